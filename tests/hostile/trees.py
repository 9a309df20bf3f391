# SPDX-License-Identifier: Apache-2.0
"""Trees of calls, of which each format can have many, and the table of formats.

FORMATS has a function per format and plant: f(n, value) returns bytes that grow with `n`; `value` is the cost of a
sample, so that two files of one plant differ. It is complete in `readers`."""
import json

FORMATS = {}
MAPS = "00400000-00410000 r-xp 00000000 08:01 99   /bin/app\n"


class Tree:
    """Calls: names[i] is called by node parents[i] (-1: none), and is sampled if is_sampled[i]."""

    def __init__(self):
        self.names, self.parents, self.is_sampled = [], [], []

    def add(self, name, parent, is_sampled=True):
        self.names.append(name)
        self.parents.append(parent)
        self.is_sampled.append(is_sampled)
        return len(self.names) - 1

    def children(self):
        below = [[] for _ in self.names]
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                below[parent].append(node)
        return below

    def stack(self, node):
        """Names from the root."""
        found = []
        while node >= 0:
            found.append(self.names[node])
            node = self.parents[node]
        return found[::-1]

    def stacks(self):
        return (self.stack(node) for node, is_sampled in enumerate(self.is_sampled) if is_sampled)


# ---- parts that every format can have many of ------------------------------------------------------------------------

def chain(n):
    """A chain of calls with a sample at each."""
    tree = Tree()
    for i in range(n):
        tree.add(f"f{i}", i - 1)
    return tree


def chain_of_one(n):
    tree = Tree()
    for i in range(n):
        tree.add("f", i - 1)
    return tree


def comb(n):
    """A chain of 250 calls, and leaves at its end."""
    tree = Tree()
    for i in range(250):
        tree.add(f"f{i}", i - 1, False)
    for i in range(n):
        tree.add(f"{i:x}", 249)
    return tree


def wide(n):
    """Very many tiny functions."""
    tree = Tree()
    tree.add("m", -1)
    for i in range(n):
        tree.add(f"{i:x}", 0)
    return tree


def same(n):
    """The same call again and again."""
    tree = Tree()
    tree.add("m", -1)
    for _ in range(n):
        tree.add("f", 0)
    return tree


def long_names(n):
    """Names of 20 kB that begin alike."""
    tree = Tree()
    tree.add("m", -1)
    for i in range(max(n, 2)):
        tree.add("f" + "<a::b, " * 1400 + ">" * 1400 + f"{i:x}", 0)
    return tree


def one_long_name(n):
    tree = Tree()
    tree.add("m", -1)
    tree.add("a.b/c$" * n, 0)
    return tree


TREES = (chain, chain_of_one, comb, wide, same, long_names, one_long_name)


def format_of(name, has_names=True):
    """A format that is an encoder of trees: one plant per kind of tree. A format of addresses has no names."""
    def add(encode):
        for tree in TREES if has_names else TREES[:5]:
            FORMATS.setdefault(name, {})[tree.__name__] = lambda n, value, tree=tree: encode(tree(n), value)
        return encode
    return add


def plant(name):
    """A plant of one format alone."""
    def add(function):
        FORMATS.setdefault(name, {})[function.__name__] = function
        return function
    return add


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


def addresses(tree):
    known = {}
    for stack in tree.stacks():
        yield " ".join(hex(0x401000 + known.setdefault(name, len(known)) * 16) for name in reversed(stack))
