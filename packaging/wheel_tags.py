#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the programs and libraries in wheels run wherever the platform tags of the wheel promise it.

usage: wheel_tags.py WHEEL...

A program for Linux has to be static, or link the GNU C library alone and need no version of it later than the tag
`manylinux_MAJOR_MINOR` allows (PEP 600). Under `musllinux` it has to be static. Needs readelf for programs for Linux.
"""
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

ELF, MACH_O_64 = b"\x7fELF", struct.pack("<I", 0xFEEDFACF)
ELF_MACHINES = {62: "x86_64", 183: "aarch64"}
MACH_O_CPUS = {0x01000007: "x86_64", 0x0100000C: "arm64"}
OLDER_NAMES = {"manylinux2014": "manylinux_2_17", "manylinux2010": "manylinux_2_12", "manylinux1": "manylinux_2_5"}
GNU_LIBRARIES = re.compile(r"(ld-linux[a-z0-9_-]*|libc|libm|libpthread|libdl|librt)\.so\.\d")


def platforms_of(archive, name):
    """The platform tags in the name, which have to be those of the file WHEEL."""
    python, abi, platforms = name[: -len(".whl")].split("-")[-3:]
    info = next(entry for entry in archive.namelist() if entry.endswith(".dist-info/WHEEL"))
    listed = set(re.findall(r"^Tag: (\S+)", archive.read(info).decode(), re.MULTILINE))
    named = {f"{one}-{abi}-{platform}" for one in python.split(".") for platform in platforms.split(".")}
    if listed != named:
        raise ValueError(f"its name has the tags {sorted(named)}, its file WHEEL {sorted(listed)}")
    return sorted(platforms.split("."))


def readelf(option, content):
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        return subprocess.run(["readelf", option, "-W", file.name], capture_output=True, text=True, check=True).stdout


def check_elf(content, platform):
    machine = ELF_MACHINES.get(struct.unpack_from("<H", content, 18)[0], "another processor")
    kind, promised = re.fullmatch(r"(manylinux|musllinux|linux)(.*)", platform)[1], platform
    if not platform.endswith(f"_{machine}"):
        raise ValueError(f"is a program for {machine}")
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d", content))
    if not needed:
        return
    if kind == "musllinux":
        raise ValueError(f"links {', '.join(needed)}, expected a static program")
    others = [library for library in needed if not GNU_LIBRARIES.fullmatch(library)]
    if others:
        raise ValueError(f"links {', '.join(others)}, expected the GNU C library alone")
    for old, new in OLDER_NAMES.items():
        promised = promised.replace(f"{old}_", f"{new}_")
    allowed = re.match(r"manylinux_(\d+)_(\d+)_", promised)
    versions = [tuple(map(int, found)) for found in re.findall(r"GLIBC_(\d+)\.(\d+)", readelf("-V", content))]
    if allowed and max(versions) > (int(allowed[1]), int(allowed[2])):
        raise ValueError(f"needs version {'.'.join(map(str, max(versions)))} of the GNU C library")


def check_program(content, platform):
    """Raises ValueError if `content` is a program or a library that does not run on `platform`."""
    is_elf, is_mach_o = content.startswith(ELF), content.startswith(MACH_O_64)
    if not is_elf and not is_mach_o:
        return False
    if is_elf and "linux" in platform:
        check_elf(content, platform)
    elif is_mach_o and platform.startswith("macosx_"):
        cpu = MACH_O_CPUS.get(struct.unpack_from("<I", content, 4)[0], "another processor")
        if not platform.endswith(f"_{cpu}"):
            raise ValueError(f"is a program for {cpu}")
    else:
        raise ValueError(f"is a program for {'Linux' if is_elf else 'macOS'}")
    return True


def check_wheel(path):
    """Returns a line that describes the wheel."""
    with zipfile.ZipFile(path) as archive:
        platforms = platforms_of(archive, path.rsplit("/", 1)[-1])
        contents = {name: archive.read(name) for name in archive.namelist()}
    native = 0
    for name, content in contents.items():
        for platform in platforms:
            try:
                found = check_program(content, platform)
            except ValueError as error:
                raise ValueError(f"the tag '{platform}' is wrong, as '{name}' {error}") from error
        native += found
    if native == 0 and platforms != ["any"]:
        raise ValueError(f"the tags {platforms} are wrong, as no program is in it")
    return f"{path}: {'.'.join(platforms)} is right for {native} native files"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for path in sys.argv[1:]:
        try:
            print(check_wheel(path))
        except ValueError as error:
            sys.exit(f"{path}: {error}")


if __name__ == "__main__":
    main()
