#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The built documentation site: every link leads to a file and an anchor that exist, every page can be reached from the
first one, nothing is loaded from another server, and the search index finds each page of the book.

usage: check.py SITE SOURCE
"""
import html.parser
import json
import re
import sys
import urllib.parse
from pathlib import Path

REPOSITORY = "https://github.com/pprofgate/pprofgate/blob/main/"
# Pages that no link leads to by design.
UNLINKED = {"404.html", "search.html"}
# A page that judges in the browser is one file, and its own tests are in tests/browser.
OPAQUE = {"judge.html"}


class Reader(html.parser.HTMLParser):
    """Links, anchors and what a page loads."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.loads = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.anchors.update(value for name in ("id", "name") if (value := values.get(name)))
        if tag == "a" and values.get("href") is not None:
            self.links.append((self.getpos()[0], values["href"]))
        elif tag == "link" and values.get("rel") not in ("canonical", "next", "prev"):
            self.loads.append((self.getpos()[0], values.get("href") or ""))
        elif values.get("src"):
            self.loads.append((self.getpos()[0], values["src"]))


def file_of(site, page, path):
    """The file that a server sends for a path on a page."""
    found = (site / page).parent / urllib.parse.unquote(path) if path else site / page
    if path.startswith("/"):
        found = site / path.lstrip("/")
    return (found / "index.html" if found.is_dir() else found).resolve()


def check_link(site, source, pages, page, link):
    """What is wrong with a link, or None; the page of the site that it leads to, or None."""
    if link.startswith(REPOSITORY):
        path = urllib.parse.unquote(link[len(REPOSITORY):].partition("#")[0])
        return (None if (source / path).exists() else "the repository has no such file"), None
    if re.match(r"[a-z]+:", link) or link.startswith("//"):
        return None, None
    path, _, anchor = link.partition("#")
    goal = file_of(site, page, path)
    if not goal.is_file():
        return "no such file", None
    name = str(goal.relative_to(site))
    if anchor and name in pages and urllib.parse.unquote(anchor) not in pages[name].anchors:
        return "no such anchor", None
    return None, name


def check_load(site, page, address):
    """What is wrong with a file that a page loads, or None."""
    if address.startswith("data:"):
        return None
    if re.match(r"[a-z]+:|//", address):
        return "another server"
    return None if file_of(site, page, address.partition("?")[0]).is_file() else "no such file"


def check_search(site, pages):
    """Each page of the book has entries in the search index, and each entry's place exists."""
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))["docs"]
    problems, found = [], set()
    for entry in index:
        path, _, anchor = entry["location"].partition("#")
        name = path + "index.html" if not path or path.endswith("/") else path
        found.add(name)
        if name not in pages or (anchor and anchor not in pages[name].anchors):
            problems.append(f"search index: '{entry['location']}' leads nowhere")
    missing = set(pages) - found - UNLINKED - OPAQUE
    return problems + [f"search index: '{name}' is missing" for name in sorted(missing)], len(index)


def main():
    site, source = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    names = sorted(str(path.relative_to(site)) for path in site.rglob("*.html"))
    pages = {name: Reader("" if name in OPAQUE else (site / name).read_text(encoding="utf-8")) for name in names}
    problems, links, reached, queue = [], 0, {"index.html"}, ["index.html"]
    leads = {}
    for name, page in pages.items():
        for line, link in page.links:
            wrong, goal = check_link(site, source, pages, name, link)
            links += 1
            if wrong:
                problems.append(f"{name}:{line}: link '{link}': {wrong}")
            leads.setdefault(name, set()).add(goal)
        for line, address in page.loads:
            wrong = check_load(site, name, address)
            if wrong:
                problems.append(f"{name}:{line}: loads '{address}': {wrong}")
    while queue:
        for goal in leads.get(queue.pop(), set()) - reached - {None}:
            reached.add(goal)
            queue.append(goal)
    problems += [f"{name}: no link leads there" for name in names if name not in reached | UNLINKED]
    searched, entries = check_search(site, pages)
    problems += searched
    if "judge.html" not in pages:
        problems.append("judge.html, the page that judges in the browser, is missing")
    for text in problems:
        print(text, file=sys.stderr)
    print(f"{len(pages)} pages, {links} links, {entries} search entries, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
