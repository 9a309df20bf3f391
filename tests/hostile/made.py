# SPDX-License-Identifier: Apache-2.0
"""Inputs that cost: written here, since none of them is worth keeping. Small files that ask for much."""
import gzip


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, body):
    return varint(field << 3 | 2) + varint(len(body)) + body


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


def zeros(count):
    return gzip.compress(bytes(count), 9)


def zeros_behind_a_head(count):
    """A profile that goes on and on: one string of nothing but zeros."""
    return gzip.compress(b"".join([message(1, number(1, 0)), varint(6 << 3 | 2), varint(count), bytes(count)]), 9)
