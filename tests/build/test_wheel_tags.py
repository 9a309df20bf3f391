#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""packaging/wheel_tags.py accepts wheels whose platform tags are right, and names the file that makes a tag wrong.

usage: test_wheel_tags.py PPROFGATE SOURCE NAME
"""
import pathlib
import platform
import struct
import subprocess
import sys
import tempfile
import zipfile

SOURCE = pathlib.Path(sys.argv[2]).resolve()
ARCH = platform.machine()
OTHER_ARCH = "aarch64" if ARCH == "x86_64" else "x86_64"
OLD = [f"manylinux_2_17_{ARCH}", f"manylinux2014_{ARCH}", f"musllinux_1_1_{ARCH}"]


def library(folder, code, *options):
    source, made = folder / "made.c", folder / f"lib{len(list(folder.iterdir()))}.so"
    source.write_text(code)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", made, source, *options], check=True)
    return made


def alone(folder):
    """A library that links nothing, as a static program does."""
    return library(folder, "int answer(void) { return 42; }", "-nostdlib")


def recent(folder):
    """A library that needs version 2.34 of the GNU C library, where pthread_create moved into it."""
    return library(folder, "#include <pthread.h>\nvoid *get(void) { return (void *)&pthread_create; }")


def judge(folder, platforms, content, listed=None):
    """The exit status and the output for a wheel that has one native file."""
    wheel = folder / f"a-1-py3-none-{'.'.join(platforms)}.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("a/native", content)
        archive.writestr("a-1.dist-info/WHEEL", "".join(f"Tag: py3-none-{one}\n" for one in listed or platforms))
    words = [sys.executable, "-B", SOURCE / "packaging/wheel_tags.py", wheel]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def expect(status, text, found):
    assert found[0] == status and text in found[1], found


def test_right_tags_of_a_wheel_are_accepted(folder):
    expect(0, "is right for 1 native files", judge(folder, OLD, alone(folder).read_bytes()))
    expect(0, "is right for 1 native files", judge(folder, [f"manylinux_2_34_{ARCH}"], recent(folder).read_bytes()))
    expect(0, "any is right for 0 native files", judge(folder, ["any"], b"\0asm"))
    mac = struct.pack("<II", 0xFEEDFACF, 0x0100000C)
    expect(0, "is right for 1 native files", judge(folder, ["macosx_11_0_arm64"], mac))


def test_a_tag_for_an_older_c_library_is_refused(folder):
    content = recent(folder).read_bytes()
    for name in (f"manylinux_2_28_{ARCH}", f"manylinux2014_{ARCH}"):
        expect(1, f"the tag '{name}' is wrong, as 'a/native' needs version 2.34 of the GNU C library",
               judge(folder, [name], content))
    expect(1, f"the tag 'musllinux_1_1_{ARCH}' is wrong, as 'a/native' links libc.so.6",
           judge(folder, [f"manylinux_2_34_{ARCH}", f"musllinux_1_1_{ARCH}"], content))


def test_a_wheel_that_needs_other_libraries_is_refused(folder):
    content = library(folder, "int other(void) { return 1; }", "-nostdlib", "-Wl,--no-as-needed", alone(folder),
                      f"-Wl,-rpath,{folder}").read_bytes()
    expect(1, "expected the GNU C library alone", judge(folder, [f"manylinux_2_28_{ARCH}"], content))


def test_a_wheel_for_another_machine_is_refused(folder):
    content = alone(folder).read_bytes()
    expect(1, f"is a program for {ARCH}", judge(folder, [f"manylinux_2_17_{OTHER_ARCH}"], content))
    expect(1, "is a program for Linux", judge(folder, ["any"], content))
    expect(1, "is a program for Linux", judge(folder, ["macosx_11_0_arm64"], content))
    expect(1, "no program is in it", judge(folder, OLD, b"text"))


def test_a_wheel_whose_name_differs_from_its_tags_is_refused(folder):
    expect(1, "its file WHEEL", judge(folder, OLD, alone(folder).read_bytes(), listed=OLD[:2]))


def main():
    with tempfile.TemporaryDirectory(prefix="pprofgate-wheel-") as folder:
        globals()[f"test_{sys.argv[3]}"](pathlib.Path(folder).resolve())


if __name__ == "__main__":
    main()
