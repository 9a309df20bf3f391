#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what a static program consists of, as SPDX 2.3 JSON:
packaging/sbom.py BUILD SYSROOT VERSION ARCH OUT [--licences FOLDER]

The linker's map says which archives were taken from; the packages that these came from are named with their versions.
--licences copies each package's copyright file there.
"""
import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.parse


HEADERS = ["libxxhash-dev"]  # compiled in from its header, so that the map does not name it


def archives(map_path):
    """Archives and start files that the linker took something from."""
    used = re.findall(r"^(/\S+?\.a)\(", map_path.read_text(errors="replace"), re.M)
    used += re.findall(r"^LOAD (/\S+\.o)$", map_path.read_text(errors="replace"), re.M)
    return sorted({os.path.realpath(path) for path in used})


def host_package(path):
    """Name, version, source, source's version of the installed package that a file of the compiler belongs to."""
    for name in (path, path.removeprefix("/usr")):
        found = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True)
        if found.returncode == 0:
            package = found.stdout.split(": ")[0].split(",")[0]
            form = "${Package}\t${Version}\t${source:Package}\t${source:Version}"
            return subprocess.run(["dpkg-query", "-W", "-f", form, package], capture_output=True, text=True,
                                  check=True).stdout.split("\t")
    sys.exit(f"'{path}' belongs to no package that this machine knows; expected one of the sysroot or of the compiler")


def linked(build, sysroot):
    """Packages by name: [name, version, source, source's version], and where their copyright stands."""
    root = os.path.realpath(sysroot / "root") + "/"
    owners = dict(reversed(line.split("\t")) for line in (sysroot / "owners").read_text().splitlines())
    versions = {line.split("\t")[0]: line.split("\t") for line in (sysroot / "packages").read_text().splitlines()}
    packages = {}
    for path in archives(build / "pprofgate.map"):
        inside = path.startswith(root)
        row = versions[owners[path.removeprefix(root)]] if inside else host_package(path)
        doc = pathlib.Path((root if inside else "/") + "usr/share/doc") / row[0] / "copyright"
        packages[row[0]] = (row, doc)
    for name in HEADERS:
        packages[name] = (versions[name], pathlib.Path(root) / "usr/share/doc" / name / "copyright")
    return packages


def package(name, version, spdx_id, **more):
    return {"SPDXID": spdx_id, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION",
            "copyrightText": "NOASSERTION", **more}


def document(packages, program, version, arch):
    digest = hashlib.sha256(program).hexdigest()
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    made = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    rows = [package("pprofgate", version, "SPDXRef-pprofgate", licenseDeclared="Apache-2.0",
                    checksums=[{"algorithm": "SHA256", "checksumValue": digest}], primaryPackagePurpose="APPLICATION")]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                  "relatedSpdxElement": "SPDXRef-pprofgate"}]
    for name, ((_, held, source, source_version), _) in sorted(packages.items()):
        spdx_id = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]", "-", name)
        locator = f"pkg:deb/debian/{source}@{urllib.parse.quote(source_version, safe='~')}?arch=source"
        rows.append(package(name, held, spdx_id, sourceInfo=f"built from {source} {source_version}", externalRefs=[
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}]))
        relations.append({"spdxElementId": "SPDXRef-pprofgate", "relationshipType": "STATIC_LINK",
                          "relatedSpdxElement": spdx_id})
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"pprofgate-{version}-linux-{arch}",
            "documentNamespace": f"https://github.com/pprofgate/pprofgate/spdx/{version}/{arch}/{digest}",
            "creationInfo": {"created": made, "creators": ["Tool: packaging/sbom.py"]},
            "packages": rows, "relationships": relations}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("build", "sysroot"):
        parser.add_argument(name, type=pathlib.Path)
    for name in ("version", "arch"):
        parser.add_argument(name)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--licences", type=pathlib.Path)
    told = parser.parse_args()
    packages = linked(told.build, told.sysroot)
    program = (told.build / "stage/bin/pprofgate").read_bytes()
    told.out.write_text(json.dumps(document(packages, program, told.version, told.arch), indent=1) + "\n")
    if told.licences:
        told.licences.mkdir(parents=True, exist_ok=True)
        for name, (_, doc) in sorted(packages.items()):
            (told.licences / name).write_bytes(doc.read_bytes())


if __name__ == "__main__":
    main()
