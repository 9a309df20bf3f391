# SPDX-License-Identifier: Apache-2.0
"""Profiles of bare addresses, as profilers write them that know no names; for the tests here and the book's.

    bare.py FOLDER    compiles shop.cpp into FOLDER/shop and writes FOLDER/shop.pb, a sample at every few bytes of it
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "evade"))
import pprof  # noqa: E402
import programs  # noqa: E402

BASE = 0x561234560000


class Addresses:
    """A profile of bare addresses: one sample each, in one mapping."""

    def __init__(self, path, binary, addresses, build_id=None, name=None):
        base, offset, size = programs.code(binary)
        page = base % 4096
        self.path, self.start = path, BASE
        strings = ["", "cpu", "nanoseconds", str(name or binary), programs.build_id(binary) if build_id is None
                   else build_id]
        field = pprof.field
        out = bytearray(field(1, field(1, 1) + field(2, 2)))
        out += field(3, field(1, 1) + field(2, BASE) + field(3, BASE + page + size) + field(4, offset - page) +
                     field(5, 3) + field(6, 4))
        for i, address in enumerate(addresses, 1):
            out += field(4, field(1, i) + field(2, 1) + field(3, BASE + page + address - base))
            out += field(2, field(1, pprof.varint(i)) + field(2, pprof.varint(1000000)))
        for text in strings:
            out += field(6, text.encode())
        path.write_bytes(bytes(out))


def main(folder):
    binary = programs.cpp(folder)
    places = [start + at for start, size in programs.functions(binary, "shop") for at in range(0, size, 3)]
    Addresses(folder / "shop.pb", binary, places, name="/srv/bin/shop")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
