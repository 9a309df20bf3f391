#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The runner of the book finds what is wrong on a page: each case is a small page, and what is said of it.

usage: test_book.py PPROFGATE
"""
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
FENCE = "```"
# page, what has to be said of it ("" where it is right)
PAGES = {
    "right": (f"{FENCE}sh\necho one; echo two\n{FENCE}\n\n{FENCE}text\none\ntwo\n{FENCE}\n", ""),
    "elided": (f"{FENCE}sh\nprintf 'a 1 b\\nc\\nd\\n'\n{FENCE}\n\n{FENCE}text\na … b\n…\n{FENCE}\n", ""),
    "a status told": (f"<!-- exit: 3 -->\n{FENCE}sh\nexit 3\n{FENCE}\n", ""),
    "goes on": (f"{FENCE}sh\necho x > kept\n{FENCE}\n\n{FENCE}sh\ncat kept\n{FENCE}\n\n{FENCE}text\nx\n{FENCE}\n", ""),
    "a file": (f"<!-- file: d/a.txt -->\n{FENCE}js\n1\n{FENCE}\n\n{FENCE}sh\ngrep 1 d/a.txt\n{FENCE}\n", ""),
    "left out": (f"<!-- not run: takes minutes -->\n{FENCE}sh\nfalse\n{FENCE}\n", ""),
    "rules": (f"{FENCE}yaml\nversion: 1\nextends: recommended\n{FENCE}\n", ""),
    "other output": (f"{FENCE}sh\necho one\n{FENCE}\n\n{FENCE}text\ntwo\n{FENCE}\n", "the output is another"),
    "more output": (f"{FENCE}sh\necho one; echo two\n{FENCE}\n\n{FENCE}text\none\n{FENCE}\n", "the output is another"),
    "a status": (f"{FENCE}sh\nfalse\n{FENCE}\n", "exit status 1, and 0 was expected"),
    "a status too good": (f"<!-- exit: 1 -->\n{FENCE}sh\ntrue\n{FENCE}\n", "exit status 0, and 1 was expected"),
    "unsaid": (f"{FENCE}\nls\n{FENCE}\n", "that nothing tests"),
    "another language": (f"{FENCE}go\nx\n{FENCE}\n", "that nothing tests"),
    "text after nothing": (f"{FENCE}text\nx\n{FENCE}\n", "what is it"),
    "indented": ("See\n\n    pprofgate check a b\n", "fence it"),
    "no directive": (f"<!-- not ran: x -->\n{FENCE}sh\ntrue\n{FENCE}\n", "is no directive"),
    "a directive astray": (f"<!-- exit: 1 -->\n\nText.\n\n{FENCE}sh\ntrue\n{FENCE}\n", "not right before its block"),
    "wrong rules": (f"{FENCE}yaml\nversion: 1\nextnds: recommended\n{FENCE}\n", "'validate' ends with 2"),
    "not JSON": (f"{FENCE}json\n{{1}}\n{FENCE}\n", "not JSON"),
    "preparation": (f"<!-- prepare: false -->\n{FENCE}sh\ntrue\n{FENCE}\n", "what prepares the block"),
    "a synopsis": (f"<!-- synopsis -->\n{FENCE}text\npprofgate check --no-such A B\n{FENCE}\n", "no option '--no-such'"),
}


def main():
    failed = 0
    for name, (text, wanted) in PAGES.items():
        with tempfile.TemporaryDirectory(prefix="pprofgate-book.") as root:
            (pathlib.Path(root) / "page.md").write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, HERE / "book.py", sys.argv[1], root, "page", "page.md"],
                                  capture_output=True, text=True, check=False)
        right = done.returncode == (1 if wanted else 0) and wanted in done.stderr
        failed += not right
        if not right:
            print(f"{name}: expected '{wanted}', status {done.returncode}:\n{done.stdout}{done.stderr}", file=sys.stderr)
    print(f"{len(PAGES)} pages")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
