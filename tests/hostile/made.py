# SPDX-License-Identifier: Apache-2.0
"""Inputs that cost: written here, since none of them is worth keeping. Small files that ask for much."""
import gzip
import pathlib
import struct
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "evade"))
from pprof import field as message, field as number, varint  # noqa: E402


def packed(field, values):
    return message(field, b"".join(varint(value) for value in values))


class Profile:
    """pprof bytes, as large as asked for. Location N is function N, unless lines say otherwise."""

    def __init__(self, drop_frames="", types=1, period=0):
        self.strings = {"": 0}
        self.parts = []
        for i in range(types):
            name = self.text(f"cpu{i}" if i + 1 < types else "cpu")
            self.parts.append(message(1, number(1, name) + number(2, self.text("nanoseconds"))))
        if period:
            self.parts.append(message(11, self.parts[-1][2:]) + number(12, period))
        if drop_frames:
            self.parts.append(number(7, self.text(drop_frames)))

    def text(self, text):
        return self.strings.setdefault(text, len(self.strings))

    def function(self, ident, name):
        self.parts.append(message(5, number(1, ident) + number(2, self.text(name))))

    def location(self, ident, functions):
        lines = b"".join(message(4, number(1, function)) for function in functions)
        self.parts.append(message(4, number(1, ident) + lines))

    def sample(self, locations, value, types=1, labels=()):
        texts = b"".join(message(3, number(1, self.text(key)) + number(2, self.text(text))) for key, text in labels)
        self.parts.append(message(2, packed(1, locations) + packed(2, [value] * types) + texts))

    def bytes(self):
        table = b"".join(message(6, text.encode()) for text in self.strings)
        return gzip.compress(b"".join(self.parts) + table, 9)


def plain(names, drop_frames="", value=1000000):
    """A sample a name, each called by main."""
    profile = Profile(drop_frames)
    profile.function(1, "main")
    profile.location(1, [1])
    for i, name in enumerate(names, 2):
        profile.function(i, name)
        profile.location(i, [i])
        profile.sample([i, 1], value)
    return profile.bytes()


def deep(stacks, depth):
    """Stacks of one function in itself, each from a root of its own."""
    profile = Profile()
    profile.function(1, "f")
    profile.location(1, [1])
    for i in range(2, stacks + 2):
        profile.function(i, f"root{i}")
        profile.location(i, [i])
        profile.sample([1] * (depth - 1) + [i], 1000000)
    return profile.bytes()


def inlined(stacks, depth, lines):
    """Stacks of locations that are many inlined calls each."""
    profile = Profile()
    for i in range(1, lines + 1):
        profile.function(i, f"inlined{i}")
    profile.location(1, range(1, lines + 1))
    for i in range(2, stacks + 2):
        profile.function(lines + i, f"root{i}")
        profile.location(i, [lines + i])
        profile.sample([1] * depth + [i], 1000000)
    return profile.bytes()


def inlined_again(stacks, depth, lines):
    """The same in every sample, whose four callers differ."""
    profile = Profile(period=1000000)
    for i in range(1, lines + 1):
        profile.function(i, f"inlined{i}")
    profile.location(1, range(1, lines + 1))
    for i in range(2, 40):
        profile.function(lines + i, f"caller{i}")
        profile.location(i, [lines + i])
    for i in range(stacks):
        profile.sample([1] * depth + [2 + i // 38**power % 38 for power in range(4)], 1000000)
    return profile.bytes()


def one_name(functions, length):
    """One name of that many bytes is every function's."""
    profile = Profile(period=1000000)
    for i in range(1, functions + 1):
        profile.function(i, "a.b::c<d>" * (length // 9))
        profile.location(i, [i])
        profile.sample([i], 1000000)
    return profile.bytes()


def chain(depth, stacks, value):
    """Stacks of the first functions of one chain, evenly deep."""
    profile = Profile(period=1000000)
    for i in range(1, depth + 1):
        profile.function(i, f"pkg{i % 7}.f{i}")
        profile.location(i, [i])
    for i in range(1, stacks + 1):
        profile.sample(range(depth * i // stacks, 0, -1), value)
    return profile.bytes()


def empty_objects(count):
    """JSON that takes eighty times its size."""
    head = b'{"nodes":[{"id":1,"callFrame":{"functionName":"f"}}],"samples":[1],"timeDeltas":[0],"x":['
    return gzip.compress(head + b"{}," * count + b"0]}", 9)


def stackprof_again(count, value):
    """stackprof's JSON with one stack `count` times. 2,000,000 of it take 50 kB packed, and 400 MB as a tree."""
    head = b'{"version":1.2,"mode":"cpu","interval":1000,"samples":5,"frames":{"1":{"name":"f","total_samples":1,"samples":1}},"raw":['
    return gzip.compress(head + b"1,1,9," * count + b"1,1,%d]}" % value, 6)


def zeros(count):
    return gzip.compress(bytes(count), 9)


def zeros_behind_a_head(count):
    """A profile that goes on and on: one string of nothing but zeros."""
    return gzip.compress(b"".join([message(1, number(1, 0)), varint(6 << 3 | 2), varint(count), bytes(count)]), 9)


def elf_of_zeros(count):
    """A program whose debug information is `count` zeros, compressed. Its code is at 0x1000."""
    packer = zlib.compressobj(9)
    packed = b"".join([packer.compress(bytes(1 << 20)) for _ in range(count >> 20)]) + packer.flush()
    names = b"\0.text\0.debug_info\0.debug_abbrev\0.shstrtab\0"
    code, head = bytes(256), struct.pack("<IIQQ", 1, 0, count, 1)  # Elf64_Chdr: ELFCOMPRESS_ZLIB
    body, sections, at = b"", [bytes(64)], 0x1000
    for name, kind, flags, address, data in ((b".text", 1, 6, 0x1000, code), (b".debug_info", 1, 0x800, 0, head + packed),
                                             (b".debug_abbrev", 1, 0x800, 0, head + packed), (b".shstrtab", 3, 0, 0, names)):
        sections.append(struct.pack("<IIQQQQIIQQ", names.index(name), kind, flags, address, at + len(body), len(data),
                                    0, 0, 1, 0))
        body += data + bytes(-len(data) % 8)
    load = struct.pack("<IIQQQQQQ", 1, 5, 0x1000, 0x1000, 0x1000, len(code), len(code), 0x1000)
    start = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0x1000, 64, at + len(body), 0, 64, 56,
                                                      1, 64, len(sections), len(sections) - 1)
    return (start + load).ljust(at, b"\0") + body + b"".join(sections)


def without_names(path):
    """A sample at 0x1010 of the program `path`."""
    profile = Profile(period=1000000)
    profile.parts.append(message(3, number(1, 1) + number(2, 0x1000) + number(3, 0x2000) + number(4, 0x1000) +
                                 number(5, profile.text(path))))
    profile.parts.append(message(4, number(1, 1) + number(2, 1) + number(3, 0x1010)))
    profile.sample([1], 1000000)
    return profile.bytes()
