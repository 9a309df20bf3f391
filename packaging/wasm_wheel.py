#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel for machines without a native program: the WebAssembly build and what runs it by `wasmtime`.

pip prefers a wheel for the machine's platform, so this one is taken on Windows and other systems without a wheel.

usage: wasm_wheel.py PROGRAM.wasm LICENCES FOLDER
"""
import base64
import hashlib
import os
import re
import sys
import time
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def metadata(project, version, licences):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version}",
             f"Summary: {project['description']}", f"License: {project['license']['text']}",
             f"Keywords: {','.join(project['keywords'])}", f"Requires-Python: {project['requires-python']}"]
    lines += [f"Project-URL: {name}, {address}" for name, address in project["urls"].items()]
    lines += [f"License-File: {name}" for name in licences]
    for extra, packages in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {package}; extra == "{extra}"' for package in packages]
    readme = (ROOT / project["readme"]).read_text(encoding="utf-8")
    return "\n".join(lines + ["Description-Content-Type: text/markdown", "", readme])


def main():
    program, licences, folder = (Path(name) for name in sys.argv[1:4])
    with open(ROOT / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
    version = re.search(r"project\(pprofgate VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    info = f"pprofgate-{version}.dist-info"
    files = {f"pprofgate/{path.name}": path.read_bytes()
             for path in sorted((ROOT / "packaging/python/pprofgate").glob("*.py"))}
    files["pprofgate/py.typed"] = b""
    files["pprofgate/pprofgate.wasm"] = program.read_bytes()
    licence_files = {"LICENSE": (ROOT / "LICENSE").read_bytes()}
    licence_files.update({f"licences/{path.name}": path.read_bytes() for path in sorted(licences.iterdir())})
    files.update({f"{info}/licenses/{name}": content for name, content in licence_files.items()})
    files[f"{info}/METADATA"] = metadata(project, version, licence_files).encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: pprofgate\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    plugins = project["entry-points"]["pytest11"]
    entries = ["[console_scripts]", "pprofgate = pprofgate.__main__:main", "", "[pytest11]",
               *(f"{name} = {module}" for name, module in plugins.items())]
    files[f"{info}/entry_points.txt"] = "".join(f"{line}\n" for line in entries).encode()
    record = [f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},"
              f"{len(content)}" for name, content in files.items()]
    files[f"{info}/RECORD"] = ("\n".join(record + [f"{info}/RECORD,,"]) + "\n").encode()
    dated = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    wheel = folder / f"pprofgate-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, dated)
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    print(f"{wheel.stat().st_size} {wheel}")


if __name__ == "__main__":
    main()
