#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the services of a fleet with Dask.

    with_dask.py FOLDER [RULES]

Summaries are made where a worker is free. Dask moves those of a service to the worker that checks it. If a worker dies,
Dask starts another one and makes again what was lost.
"""
import collections

import fleet
from dask.distributed import Client, LocalCluster

WORKERS = 2


def rows_of(client, folder, rules, summarize):
    partitions = fleet.partitions(folder)
    parts = client.map(summarize, partitions, pure=False)
    by_service = collections.defaultdict(list)
    for partition, part in zip(partitions, parts):
        by_service[partition.service].append(part)
    del parts  # so that Dask frees the summaries of a service once it is checked
    checks = [client.submit(fleet.check, service, by_service.pop(service), rules, pure=False)
              for service in sorted(by_service)]
    return client.gather(checks)


def run(folder, rules, summarize=fleet.summarize):
    """For a cluster of machines, give its address to Client in place of LocalCluster."""
    with LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            client.upload_file(fleet.__file__)
            return rows_of(client, folder, rules, summarize)


if __name__ == "__main__":
    fleet.main(run)
