#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the services of a fleet with Apache Spark.

    with_spark.py FOLDER [RULES]

Summaries are made in tasks of some hours each. The shuffle moves those of a service to the task that checks it. If a
worker dies, Spark runs its task again.
"""
import fleet
from pyspark import SparkConf, SparkContext

MASTER = "local[2,4]"  # two tasks at a time on this machine; a task may fail three times before the job fails
TASKS = 64


def rows_of(context, folder, rules, summarize):
    partitions = fleet.partitions(folder)
    services = {partition.service for partition in partitions}
    parts = context.parallelize(partitions, max(1, min(TASKS, len(partitions)))).map(summarize)
    groups = parts.map(lambda part: (part.service, part)).groupByKey(max(1, len(services)))
    return groups.map(lambda group: fleet.check(group[0], group[1], rules)).collect()


def run(folder, rules, summarize=fleet.summarize):
    """For a cluster, start this program by spark-submit, and leave out the master."""
    conf = SparkConf().setAppName("pprofgate").setMaster(MASTER)
    context = SparkContext(conf=conf.set("spark.ui.enabled", "false").set("spark.ui.showConsoleProgress", "false"))
    try:
        context.setLogLevel("ERROR")
        context.addPyFile(fleet.__file__)
        return rows_of(context, folder, rules, summarize)
    finally:
        context.stop()


if __name__ == "__main__":
    fleet.main(run)
