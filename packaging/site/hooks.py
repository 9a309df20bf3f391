# SPDX-License-Identifier: Apache-2.0
"""What MkDocs does differently for the book: navigation from docs/README.md, Markdown as code hosts render it, and links.

MkDocs renders another Markdown than code hosts do: it numbers lists anew and nests them by four spaces. So the pages
are rendered by markdown-it, with the anchors that code hosts give to headings.
"""
import posixpath
import re
import unicodedata

from markdown_it import MarkdownIt
from mkdocs.structure.toc import get_toc

REPOSITORY = "https://github.com/pprofgate/pprofgate"
CONTENTS = "docs/README.md"
MARKDOWN = MarkdownIt("gfm-like", {"html": True, "linkify": False})


def slug(heading):
    """The anchor of a heading's text, as code hosts make it."""
    kept = "".join(c for c in heading.strip().lower() if c in " -_" or unicodedata.category(c)[0] in "LN")
    return kept.replace(" ", "-")


def on_config(config):
    """Make the navigation from the contents of the book: a section per line in bold, a page per link below it."""
    with open(posixpath.join(config.docs_dir, CONTENTS), encoding="utf-8") as file:
        text = file.read()
    sections, seen = [{"The book": [CONTENTS]}], {CONTENTS}
    for line in text.split("\n"):
        begins = re.fullmatch(r"\*\*(.+)\*\*", line)
        if begins:
            sections.append({begins[1]: []})
        for target in re.findall(r"\]\(([^)#]+\.md)", line):
            page = posixpath.normpath(posixpath.join(posixpath.dirname(CONTENTS), target))
            if page not in seen:
                seen.add(page)
                (pages,) = sections[-1].values()
                pages.append(page)
    config.nav = sections
    return config


def rewritten(link, page, files):
    """The link of a page's source, as the page of the site needs it. Other files are shown by the code host."""
    if re.match(r"[a-z]+:", link) or link.startswith("#"):
        return link
    path, hash_mark, anchor = link.partition("#")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(page.file.src_uri), path))
    file = files.get_file_from_path(target)
    if file is None:
        return f"{REPOSITORY}/blob/main/{target}{hash_mark}{anchor}"
    return file.url_relative_to(page.file) + hash_mark + anchor


def headings(tokens):
    """Give each heading its anchor, and return what the table of contents needs."""
    found, again = [], {}
    for token, inline in zip(tokens, tokens[1:]):
        if token.type != "heading_open":
            continue
        text = "".join(child.content for child in inline.children if child.type in ("text", "code_inline"))
        anchor = slug(text)
        count = again.get(anchor, 0)
        again[anchor] = count + 1
        token.attrSet("id", f"{anchor}-{count}" if count else anchor)
        found.append({"level": int(token.tag[1]), "id": token.attrGet("id"), "name": text, "children": []})
    return found


def tree(flat):
    """Headings as a tree: each is a child of the last one before it that has a lower level."""
    roots, open_ones = [], []
    for heading in flat:
        while open_ones and open_ones[-1]["level"] >= heading["level"]:
            open_ones.pop()
        (open_ones[-1]["children"] if open_ones else roots).append(heading)
        open_ones.append(heading)
    return roots


def on_page_content(html, page, config, files):
    """Render the page anew, replacing what MkDocs rendered."""
    # What only the site has is in comments of the source: the page that gates is not in the repository.
    text = re.sub(r"<!-- site: (.*?) -->", r"\1", page.markdown, flags=re.S)
    tokens = MARKDOWN.parse(text)
    page.toc = get_toc(tree(headings(tokens)))
    for token in tokens:
        for child in token.children or []:
            for name in ("href", "src"):
                if child.attrGet(name) is not None:
                    child.attrSet(name, rewritten(child.attrGet(name), page, files))
    return MARKDOWN.renderer.render(tokens, MARKDOWN.options, {})
