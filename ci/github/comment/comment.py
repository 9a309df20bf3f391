#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps one comment on a pull request with report.md, for ci/github/comment/action.yml.

On `pull_request` the report is a file of this job. On `workflow_run` it comes from an artifact of a run that a fork may
have written in every byte: which pull request it is about is what GitHub says of that run and not what the artifact says,
only report.md is read of the archive, in memory and up to a limit, and its text keeps no links, images, mentions or tags
but those that report.md has. The link from a cause to its line is made here: to the commit that GitHub names, of the
repository that it names. Nothing of the pull request is checked out or run.
"""
import html
import http.client
import io
import json
import lzma
import os
import pathlib
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
import zipfile
import zlib

ARTIFACT_BYTES = 50 << 20  # of the whole archive, packed
REPORT_BYTES = 256 << 10   # of report.md
COMMENT_CHARACTERS = 60000  # GitHub takes 65 536
PAGES = 30
TAGS = "code|sub|details|summary|br"
ENTITIES = "|".join(str(ord(c)) for c in "|`*_<>[]\\&~$")  # that gate_escape_markdown writes
BREAK = "\u2060"  # joins words without a width: between '@' and a name there is no mention any more
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ue000]")


WHEN = ("always", "on-change", "on-failure", "never")
PLACE = re.compile(r"^(- .*, in )(<code>([^<\n]+?)(?::(\d{1,9}))?</code>)$", re.M)  # how report.md ends the line of a cause


class Refused(Exception):
    """What was found is not what a run of the gate leaves; told, and nothing is written."""


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """An artifact is at another host, which must not see the token."""

    def redirect_request(self, *_):
        return None


class Api:
    def __init__(self, url, token):
        self.url, self.token = url.rstrip("/"), token
        self.opener = urllib.request.build_opener(NoRedirect)

    def ask(self, method, path, body=None):
        request = urllib.request.Request(self.url + path, method=method)
        request.add_header("Authorization", f"Bearer {self.token}")
        request.add_header("Accept", "application/vnd.github+json")
        request.add_header("X-GitHub-Api-Version", "2022-11-28")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        return self.opener.open(request, timeout=60)

    def json(self, method, path, body=None):
        with self.ask(method, path, body) as answer:
            return json.load(answer)

    def pages(self, path, key=None):
        for page in range(1, PAGES + 1):
            answer = self.json("GET", f"{path}{'&' if '?' in path else '?'}per_page=100&page={page}")
            items = answer[key] if key else answer
            yield from items
            if len(items) < 100:
                return

    def download(self, path, limit):
        try:
            with self.ask("GET", path) as answer:
                return limited(answer, limit)
        except urllib.error.HTTPError as answer:
            if answer.code not in (301, 302, 303, 307, 308):
                raise
            if answer.headers["Location"] is None:
                raise Refused("the address of the artifact is missing: a redirect without Location") from None
            place = urllib.parse.urljoin(self.url + path, answer.headers["Location"])
        if urllib.parse.urlsplit(place).scheme not in ("https", urllib.parse.urlsplit(self.url).scheme):
            raise Refused("the artifact is kept at an address that is not https")
        with self.opener.open(urllib.request.Request(place), timeout=60) as answer:
            return limited(answer, limit)


def limited(stream, limit):
    data = stream.read(limit + 1)
    if len(data) > limit:
        raise Refused(f"expected at most {limit} bytes, found more")
    return data


def report_of(archive):
    """report.md of a zip archive, without unpacking anything to the disk."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as packed:
            entries = [entry for entry in packed.infolist() if entry.filename == "report.md"]
            if len(entries) != 1:
                return None
            with packed.open(entries[0]) as stream:
                return limited(stream, REPORT_BYTES).decode("utf-8", "replace")
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError, zlib.error,
            lzma.LZMAError) as error:
        raise Refused(f"the artifact cannot be read: {error}") from error


def tamed(text):
    """Markdown in which nothing links, mentions, refers, hides or shows a picture; what report.md writes stays as it is,
    but for its links: the one to the run is removed, and of the others the text stays."""
    text = UNSEEN.sub("\ufffd", text.replace("\r\n", "\n").replace("\t", " "))
    text = re.sub(r"\[(<code>[^<\]\n]*</code>)\]\(<[^>\n]*>\)", r"\1", text)
    text = re.sub(r" ?\[[^\]\n]*\]\(<[^>\n]*>\)", "", text)
    # Entities are read before links and mentions are looked for: only those stay that report.md writes.
    text = text.replace("&#64;", "@").replace("&#35;", "\ue000")
    text = re.sub(rf"&(?!(?:#(?:{ENTITIES})|lt|gt|amp);)", "&amp;", text)
    text = text.replace("\ue000", "#" + BREAK).replace("@", "@" + BREAK)
    text = re.sub(rf"<(?!/?(?:{TAGS})>)", "&lt;", text)
    text = re.sub(r"[\[`~]", lambda found: f"&#{ord(found[0])};", text)
    text = re.sub(r"(?<!&)#(?=\d)", "#" + BREAK, text)
    text = re.sub(r"\bGH-(?=\d)", "GH-" + BREAK, text, flags=re.I)
    text = text.replace("://", ":" + BREAK + "//")
    text = re.sub(r"\bwww\.", "www" + BREAK + ".", text, flags=re.I)
    return text + "\n" + "</details>" * max(0, text.count("<details>") - text.count("</details>"))


def linked(text, sources):
    """Tamed text in which the place of each cause leads to its line below `sources`, an address that ends with '/'."""
    def link(found):
        path = html.unescape(found[3]).replace(BREAK, "").replace("\u200b", "")
        if any(part in ("", ".", "..") for part in path.split("/")) or "\\" in path:
            return found[0]
        line = f"#L{int(found[4])}" if found[4] else ""
        return f"{found[1]}[{found[2]}](<{sources}{urllib.parse.quote(path)}{line}>)"
    return PLACE.sub(link, text) if sources else text


def sources_of(server, repository, commit):
    """The address of a commit's files; None: one of the names is not what GitHub would give."""
    known = repository and re.fullmatch(r"[\w.-]+/[\w.-]+", repository, re.A) and re.fullmatch(r"[0-9a-f]{40,64}", commit)
    return f"{server}/{repository}/blob/{commit}/" if known else None


def is_worth(report, when):
    """Whether a pull request without a comment gets one. A comment that is there is always written anew."""
    title = report.split("\n", 1)[0]
    if when == "on-failure":
        return re.search(r"pprofgate: (FAIL|INCONCLUSIVE|NO BASELINE)", title) is not None
    return when == "always" or re.search(r"pprofgate: (PASS|FIRST)\s*$", title) is None


def cut(text, room):
    """At most `room` characters, at a line's end, with what was open closed."""
    if len(text) <= room:
        return text
    text = text[:max(0, room - 200)]
    text = text[:text.rfind("\n") + 1]
    text += "\n" + "</details>" * max(0, text.count("<details>") - text.count("</details>"))
    return text + "\n\nThe rest is in the report.\n"


def pull_request_of_run(api, repository, run):
    """The open pull request that the run checked: of the run's own branch, at its very commit. None: there is none any
    more. A number that stands in an artifact is never asked for."""
    owner, branch = run["head_repository"]["owner"]["login"], run["head_branch"]
    head = urllib.parse.quote(f"{owner}:{branch}", safe=":")
    for pull in api.pages(f"/repos/{repository}/pulls?state=open&head={head}"):
        of = pull["head"]["repo"]
        if (pull["head"]["sha"] == run["head_sha"] and of is not None and of["id"] == run["head_repository"]["id"]
                and pull["base"]["repo"]["full_name"] == repository):
            return pull["number"]
    return None


def artifact_of_run(api, repository, run, name):
    for artifact in api.pages(f"/repos/{repository}/actions/runs/{run['id']}/artifacts", "artifacts"):
        if artifact["name"] == name and not artifact["expired"]:
            if artifact["size_in_bytes"] > ARTIFACT_BYTES:
                raise Refused(f"the artifact has {artifact['size_in_bytes']} bytes, expected at most {ARTIFACT_BYTES}")
            return report_of(api.download(f"/repos/{repository}/actions/artifacts/{int(artifact['id'])}/zip",
                                          ARTIFACT_BYTES))
    return None


def keep(api, repository, number, marker, author, text, only_update):
    """The comment of `author` that begins with `marker`: made, or written anew. Nobody else's is touched."""
    for comment in api.pages(f"/repos/{repository}/issues/{number}/comments"):
        if (comment["user"] or {}).get("login") == author and (comment["body"] or "").startswith(marker):
            api.json("PATCH", f"/repos/{repository}/issues/comments/{comment['id']}", {"body": text})
            return "updated"
    if only_update:
        return "none"
    api.json("POST", f"/repos/{repository}/issues/{number}/comments", {"body": text})
    return "created"


def gather(api, env, event):
    """The number, the report or None, the commit, the address of its files or None, and the page of the run."""
    repository, server = env["GITHUB_REPOSITORY"], env["GITHUB_SERVER_URL"]
    if env["GITHUB_EVENT_NAME"] == "workflow_run":
        run = event["workflow_run"]
        if run["event"] != "pull_request" or run["head_repository"] is None:
            return None, None, None, None, None
        number = pull_request_of_run(api, repository, run)
        report = number and artifact_of_run(api, repository, run, env["INPUT_ARTIFACT"])
        sources = sources_of(server, run["head_repository"].get("full_name"), run["head_sha"])
        return number, report, run["head_sha"], sources, f"{server}/{repository}/actions/runs/{int(run['id'])}"
    if "pull_request" not in event:
        return None, None, None, None, None
    report = None
    if env["INPUT_REPORT"]:
        path = pathlib.Path(env["INPUT_REPORT"], "report.md")
        if path.is_file():
            with path.open("rb") as stream:
                report = limited(stream, REPORT_BYTES).decode("utf-8", "replace")
    head = event["pull_request"]["head"]
    url = f"{server}/{repository}/actions/runs/{env['GITHUB_RUN_ID']}"
    sources = sources_of(server, (head.get("repo") or {}).get("full_name"), head["sha"])
    return event["pull_request"]["number"], report, head["sha"], sources, url


def written(marker, report, commit, sources, url):
    if report is None:
        text = "## ⚠️ pprofgate: nothing was decided\n\nThe run left no report."
    else:
        text = linked(tamed(report).rstrip(), sources)
    end = f"\n\n<sub>of {commit[:12]}, <a href=\"{url}\">run with all reports</a></sub>\n"
    return marker + "\n" + cut(text, COMMENT_CHARACTERS - len(marker) - len(end) - 1) + end


def main():
    env = os.environ
    name = env["INPUT_NAME"]
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,60}", name) is None or "--" in name:
        raise Refused("the input 'name': expected letters, digits, spaces and '._-'")
    when = env["INPUT_COMMENT"]
    if when not in WHEN:
        raise Refused(f"the input 'comment': expected one of {', '.join(WHEN)}, found '{when}'")
    api = Api(env["GITHUB_API_URL"], env["INPUT_TOKEN"])
    with open(env["GITHUB_EVENT_PATH"], encoding="utf-8") as stream:
        event = json.load(stream)
    number, report, commit, sources, url = gather(api, env, event)
    done = "none"
    if number is not None and when != "never":
        marker = f"<!-- pprofgate: {name} -->"
        done = keep(api, env["GITHUB_REPOSITORY"], int(number), marker, env["INPUT_AUTHOR"],
                    written(marker, report, commit, sources, url), report is None or not is_worth(report, when))
    told = "no open pull request is at the commit of this run" if number is None else f"pull request {int(number)}: {done}"
    print(f"pprofgate comment: {told}")
    with open(env["GITHUB_OUTPUT"], "a", encoding="utf-8") as stream:
        stream.write(f"comment={done}\n" + (f"pull-request={int(number)}\n" if number is not None else ""))


if __name__ == "__main__":
    try:
        main()
    except (Refused, OSError, http.client.HTTPException, ValueError, LookupError, TypeError, AttributeError) as refusal:
        # Whatever is wrong with an answer, of a proxy say, is one line and not a traceback.
        is_told = isinstance(refusal, (Refused, OSError))
        said = str(refusal) if is_told else f"an answer is not one of GitHub's API: {type(refusal).__name__}: {refusal}"
        said = re.sub(r"[\r\n%]+", " ", said)[:500]
        print(f"::error title=pprofgate comment::{said}")
        sys.exit(1)
