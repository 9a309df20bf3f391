# SPDX-License-Identifier: Apache-2.0
"""What holds for all pages of the book at once: which there are, where their links lead, and which blocks are not run."""
import re
import sys

import page as pages

# Why a block may be left out. Only tested blocks stay true, so avoid adding reasons.
REASONS = {
    "builds this project": "the pipeline of this project runs it",
    "needs a build": "the files of a build that is not here",
    "needs a bundle": "a program of JavaScript and its bundler, which tests/symbols has",
    "needs a bucket": "object storage and its client",
    "needs a CI": "the files of a pipeline, which its own checks look at",
    "needs a cluster": "its own checks look at it",
    "needs root": "changes the machine",
    "needs a release": "downloads what a release has",
    "takes minutes": "measures for long",
    "a fragment": "part of a file, or of another language, that does nothing alone",
    "needs a server": "a program under load that is not here",
    "a layout": "how files or output look, in words",
}


def all_pages(root):
    found = [root / "README.md", root / "CONTRIBUTING.md", root / "SECURITY.md", root / "CHANGELOG.md"]
    for folder in ("docs", "rules", "examples", "ci", "packaging", "templates"):
        found += sorted((root / folder).rglob("*.md"))
    return [path for path in found if path.exists()]


def tested_pages(root):
    """Those whose blocks are run."""
    names = ["README.md", "CONTRIBUTING.md"] + [f"docs/{path.name}" for path in sorted((root / "docs").glob("*.md"))]
    return [root / name for name in names + ["rules/README.md", "examples/README.md"]]


def test_links(root):
    problems, anchors, linked = [], {}, set()
    everything = all_pages(root)
    for path in everything:
        for line, target in pages.Page(path).links():
            where = f"{path.relative_to(root)}:{line}"
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            goal = (path.parent / file).resolve() if file else path
            if path == root / "docs/README.md":
                linked.add(goal)
            if not goal.exists():
                problems.append(f"{where}: '{target}' leads nowhere")
            elif anchor and goal.suffix == ".md":
                if goal not in anchors:
                    anchors[goal] = pages.Page(goal).anchors()
                if anchor not in anchors[goal]:
                    problems.append(f"{where}: '{target}': no heading there has that anchor")
    for path in sorted((root / "docs").glob("*.md")):
        if path.name != "README.md" and path.resolve() not in linked:
            problems.append(f"docs/README.md: the contents leave out '{path.name}'")
    for text in problems:
        print(text, file=sys.stderr)
    sys.exit(1 if problems else 0)


def test_not_run(root):
    by_reason, problems, ran = {}, [], 0
    for path in tested_pages(root):
        for block in pages.Page(path).blocks:
            reason = block.get("not run")
            if reason is None:
                ran += block.language == "sh"
                continue
            short = reason.split(":")[0]
            by_reason.setdefault(short, []).append(f"{path.relative_to(root)}:{block.line}")
            if short not in REASONS:
                problems.append(f"{path.relative_to(root)}:{block.line}: '{short}' is none of the reasons in whole.py")
    for reason, places in sorted(by_reason.items()):
        print(f"{len(places):3}  {reason}: {', '.join(places)}")
    print(f"{ran} blocks of commands are run, {sum(map(len, by_reason.values()))} blocks are not")
    for reason in sorted(REASONS.keys() - by_reason.keys()):
        print(f"note: no block gives the reason '{reason}'")
    for text in problems:
        print(text, file=sys.stderr)
    sys.exit(1 if problems else 0)
