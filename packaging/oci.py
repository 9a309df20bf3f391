#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes an OCI image as a tar archive, without a daemon: packaging/oci.py VERSION OUT ARCH=STAGE... [--ca FILE]

One layer from nothing: the program, its licence, /etc/passwd and an empty /tmp; with --ca the authorities too. The
user is 65532. Several architectures make one index. Equal input gives equal bytes: no clock, no names, sorted files.
"""
import argparse
import datetime
import gzip
import hashlib
import io
import json
import os
import pathlib
import tarfile

USER = 65532
ARCHES = {"x86_64": "amd64", "aarch64": "arm64"}
CA = "etc/ssl/certs/ca-certificates.crt"


def add(tar, name, data=None, mode=0o644, owner=0):
    """One entry; without data a folder."""
    info = tarfile.TarInfo(name)
    info.mode, info.uid, info.gid, info.mtime = mode, owner, owner, 0
    if data is None:
        info.type = tarfile.DIRTYPE
    else:
        info.size = len(data)
    tar.addfile(info, io.BytesIO(data) if data is not None else None)


def layer(stage, ca):
    """The layer's tar archive: every file of the stage under /usr."""
    files = {}
    for path in sorted(stage.rglob("*")):
        if path.is_file():
            mode = 0o755 if path.parent.name == "bin" else 0o644
            files["usr/" + path.relative_to(stage).as_posix()] = (path.read_bytes(), mode)
    files["etc/passwd"] = (f"pprofgate:x:{USER}:{USER}::/tmp:/sbin/nologin\n".encode(), 0o644)
    files["etc/group"] = (f"pprofgate:x:{USER}:\n".encode(), 0o644)
    if ca:
        files[CA] = (ca, 0o644)
    folders = {str(parent) for name in files for parent in pathlib.PurePosixPath(name).parents if str(parent) != "."}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name in sorted(folders):
            add(tar, name, mode=0o755)
        add(tar, "tmp", mode=0o1777)
        add(tar, "work", mode=0o755, owner=USER)
        for name, (data, mode) in sorted(files.items()):
            add(tar, name, data, mode)
    return out.getvalue()


class Layout:
    """An OCI image layout in memory."""

    def __init__(self):
        self.files = {"oci-layout": b'{"imageLayoutVersion": "1.0.0"}'}

    def blob(self, data, media_type):
        digest = hashlib.sha256(data).hexdigest()
        self.files["blobs/sha256/" + digest] = data
        return {"mediaType": media_type, "digest": "sha256:" + digest, "size": len(data)}

    def json(self, value, kind):
        data = json.dumps(value, indent=1, sort_keys=True).encode()
        return self.blob(data, f"application/vnd.oci.image.{kind}.v1+json")

    def write(self, path, index):
        self.files["index.json"] = json.dumps(index, indent=1, sort_keys=True).encode()
        with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
            for name in ("blobs", "blobs/sha256"):
                add(tar, name, mode=0o755)
            for name in sorted(self.files):
                add(tar, name, self.files[name])


def add_image(layout, arch, stage, version, ca):
    """The manifest of one architecture, as the index names it."""
    tar = layer(stage, ca)
    packed = layout.blob(gzip.compress(tar, 9, mtime=0), "application/vnd.oci.image.layer.v1.tar+gzip")
    env = ["PATH=/usr/bin", "HOME=/tmp"] + ([f"SSL_CERT_FILE=/{CA}"] if ca else [])
    labels = {
        "org.opencontainers.image.title": "pprofgate",
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.licenses": "Apache-2.0",
        "org.opencontainers.image.source": "https://github.com/pprofgate/pprofgate",
    }
    made = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    created = made.strftime("%Y-%m-%dT%H:%M:%SZ")
    config = layout.json(
        {
            "created": created,
            "architecture": ARCHES[arch],
            "os": "linux",
            "config": {"User": f"{USER}:{USER}", "Entrypoint": ["/usr/bin/pprofgate"], "Env": env,
                       "WorkingDir": "/work", "Labels": labels},
            "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(tar).hexdigest()]},
            "history": [{"created": created, "created_by": "packaging/oci.py"}],
        }, "config")
    manifest = layout.json(
        {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config,
         "layers": [packed], "annotations": labels}, "manifest")
    return dict(manifest, platform={"architecture": ARCHES[arch], "os": "linux"})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("version")
    parser.add_argument("out")
    parser.add_argument("stages", nargs="+", metavar="ARCH=STAGE")
    parser.add_argument("--ca", metavar="FILE", help="the authorities' certificates")
    told = parser.parse_args()
    ca = pathlib.Path(told.ca).read_bytes() if told.ca else None
    layout = Layout()
    manifests = []
    for pair in told.stages:
        arch, _, stage = pair.partition("=")
        manifests.append(add_image(layout, arch, pathlib.Path(stage), told.version, ca))
    named = {"org.opencontainers.image.ref.name": told.version + ("-ca" if ca else "")}
    if len(manifests) == 1:
        top = dict(manifests[0], annotations=named)
    else:
        top = layout.json({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
                           "manifests": manifests}, "index")
        top["annotations"] = named
    layout.write(told.out, {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
                            "manifests": [top]})


if __name__ == "__main__":
    main()
