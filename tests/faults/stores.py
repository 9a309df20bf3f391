# SPDX-License-Identifier: Apache-2.0
"""Scenarios on a store of accepted baselines, which must stay usable."""
import re
import shutil

from scenarios import Scenario

class Store(Scenario):
    """A command on its own copy of a store, which must stay usable."""

    kept = ("r1", "r2")

    def prepare(self, place, inputs):
        shutil.copytree(inputs.store, place / "store")

    def before(self, name):
        return None

    def looks_after(self, name):
        return name.startswith("store/")

    def after(self, place, inputs, ended):
        listed = inputs.gate("baseline", "list", "--store", "store", cwd=place)
        if listed.returncode != 0:
            return f"the store is none any more: {listed.stderr.decode().strip()}"
        for revision in self.kept:
            if not re.search(rb"\b%s\b" % revision.encode(), listed.stdout):
                return f"revision {revision} is lost"
        if ended.status == 0 and not re.search(rb"\br3\b", listed.stdout) and self.name == "accept":
            return "accepted, and not there"
        again = inputs.gate("check", "--store", "store", "--service", "shop", "--revision", "change", inputs.canary,
                            cwd=place)
        if again.returncode not in (0, 1, 3):
            return f"the store serves no more: {again.stderr.decode().strip()}"
        if self.name == "accept":
            once_more = inputs.gate("baseline", "accept", "--store", "store", "--service", "shop", "--revision", "r3",
                                    "--elsewhere", inputs.base, cwd=place)
            if once_more.returncode != 0:
                return f"it cannot be accepted again: {once_more.stderr.decode().strip()}"
        return None


class StoreCheck(Store):
    """A check against the store. It skips damaged records and reports them."""
    told = (b"(baseline_damaged)", b"git cannot be run", b"git does not know 'change' here ()")


class Prune(Store):
    """One of two records is kept; unreferenced objects and unfinished files are removed. Whatever a fault left, the
    next prune ends with the same store."""
    kept = ("r2",)

    def __init__(self, name, status, *words):
        super().__init__(name, status, *words)
        self.pruned = None

    def prepare(self, place, inputs):
        super().prepare(place, inputs)
        objects = next((place / "store/objects").iterdir())
        name = next(objects.iterdir()).name
        (objects / ("0" * len(name))).write_bytes(b"no record names it")
        (objects / f"{name}.pprofgate-Ab12Cd").write_bytes(b"half")

    def files_of(self, place):
        return {str(path.relative_to(place)): path.read_bytes() for path in sorted((place / "store").rglob("*"))
                if path.is_file()}

    def after(self, place, inputs, ended):
        if self.pruned is None:
            clean = place / "clean"
            clean.mkdir()
            self.prepare(clean, inputs)
            assert inputs.gate(*self.words(inputs), cwd=clean).returncode == 0
            self.pruned = self.files_of(clean)
        broken = super().after(place, inputs, ended)
        if broken:
            return broken
        if ended.status == 0 and self.files_of(place) != self.pruned:
            return "pruned, and not as without the fault"
        again = inputs.gate(*self.words(inputs), cwd=place)
        if again.returncode != 0 or self.files_of(place) != self.pruned:
            return f"another one does not end it: {again.returncode}, {again.stderr.decode().strip()}"
        return None


class Shown(Store):
    """A command that only reads: the store must not change. A file that cannot be read is shown as damaged."""

    def prepare(self, place, inputs):
        super().prepare(place, inputs)
        self.old = {str(path.relative_to(place)): path.read_bytes() for path in (place / "store").rglob("*")
                    if path.is_file()}

    def before(self, name):
        return self.old.get(name)

    def says_cause(self, out):
        return b"  damaged  " in out or b'"damaged": "' in out

    def looks_after(self, name):
        return False


def all_of(inputs):
    i = inputs
    here = ("--store", "store")
    return [
        Store("accept", 0, "baseline", "accept", *here, "--service", "shop", "--revision", "r3", "--elsewhere", i.base),
        Prune("prune", 0, "baseline", "prune", *here, "--keep", "1"),
        Shown("list", 0, "baseline", "list", *here),
        Shown("show", 0, "baseline", "show", *here, "--service", "shop", "r1"),
        Shown("show_json", 0, "baseline", "show", *here, "--service", "shop", "--json"),
        StoreCheck("check_store", 3, "check", *here, "--service", "shop", "--revision", "change", "--elsewhere",
                   "--json", "r.json", i.canary),
    ]
