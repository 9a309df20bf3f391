#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Unpacks an image of packaging/oci.py for one architecture, every digest checked: oci_unpack.py FILE ARCH FOLDER

Prints its user and entry point.
"""
import gzip
import hashlib
import io
import json
import sys
import tarfile

ARCHES = {"x86_64": "amd64", "aarch64": "arm64"}


def main():
    file, arch, folder = sys.argv[1:]
    with tarfile.open(file) as tar:
        files = {entry.name: tar.extractfile(entry).read() for entry in tar if entry.isfile()}

    def blob(named):
        data = files["blobs/" + named["digest"].replace(":", "/")]
        if "sha256:" + hashlib.sha256(data).hexdigest() != named["digest"] or len(data) != named["size"]:
            sys.exit(f"'{named['digest']}' is not what the image says it is")
        return data

    manifest = json.loads(blob(json.loads(files["index.json"])["manifests"][0]))
    if "manifests" in manifest:
        fit = [one for one in manifest["manifests"] if one["platform"]["architecture"] == ARCHES[arch]]
        if not fit:
            sys.exit(f"the image has nothing for '{arch}'")
        manifest = json.loads(blob(fit[0]))
    config = json.loads(blob(manifest["config"]))
    for named, digest in zip(manifest["layers"], config["rootfs"]["diff_ids"]):
        data = gzip.decompress(blob(named))
        if "sha256:" + hashlib.sha256(data).hexdigest() != digest:
            sys.exit(f"layer '{digest}' is not what the image says it is")
        with tarfile.open(fileobj=io.BytesIO(data)) as layer:
            layer.extractall(folder, filter="tar") if hasattr(tarfile, "tar_filter") else layer.extractall(folder)
    print(config["config"]["User"], *config["config"]["Entrypoint"])


if __name__ == "__main__":
    main()
