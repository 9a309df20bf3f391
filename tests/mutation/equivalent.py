# SPDX-License-Identifier: Apache-2.0
"""The faults that are argued to change nothing: equivalent.txt, keyed by file, operator and text, not by line number.

An entry holds for every line of the file with that text; one that begins with FILE:FUNCTION, for those of the function.

    # a comment
    gate/compare/evidence.c: boundary
      - the line as it is
      + the line with the fault
      the reason, on as many lines as it takes
"""


class Equivalent:
    """Return the entries of equivalent.txt."""

    def __init__(self):
        self.entries = {}  # (file or file:function, operator, before, after): reason

    @staticmethod
    def _keys(fault, lines):
        return [(place, fault.operator, fault.before, fault.changed(lines))
                for place in (fault.file, f"{fault.file}:{fault.function}")]

    def files(self):
        return sorted({place.partition(":")[0] for place, *_ in self.entries})

    def holds(self, fault, lines):
        return any(key in self.entries for key in self._keys(fault, lines))

    def stale(self, gathered):
        """Entries that fit no fault of those files."""
        sources, found = gathered
        lines = {file: source.split("\n") for file, source in sources.items()}
        known = {key for fault in found for key in self._keys(fault, lines[fault.file])}
        return [" | ".join(key) for key in self.entries if key not in known]


def read(path, tree):
    """Parse the file; a malformed entry, or one of a file that `tree` lacks, ends the program."""
    out, key, reason = Equivalent(), None, []

    def close():
        if key is None:
            return
        if len(key) != 4 or not reason:
            raise SystemExit(f"{path.name}: '{key[0]}: {key[1]}' needs a '- ' line, a '+ ' line and a reason")
        out.entries[tuple(key)] = " ".join(reason)

    for line in path.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            close()
            file, _, operator = line.partition(": ")
            key, reason = [file, operator.strip()], []
        elif key is not None and len(key) < 4:
            key.append(line.strip()[2:].strip())
        else:
            reason.append(line.strip())
    close()
    gone = [file for file in out.files() if not (tree / file).is_file()]
    if gone:
        raise SystemExit(f"{path.name}: has entries of files that do not exist, take them out: {', '.join(gone)}")
    return out
