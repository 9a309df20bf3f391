#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The comment on a pull request, against a fake of the API: made, written anew, of forks, and of hostile artifacts.

usage: test_comment.py PPROFGATE ROOT NAME|all
"""
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

from fake_api import TOKEN, FakeApi
from runner import Runner
from scratch import environment, expect, played, refuse, same

GATE = ROOT = None
SHA = "1234567890abcdef1234567890abcdef12345678"
MARKER = "<!-- pprofgate: pprofgate -->"
BOT = "github-actions[bot]"


def packed(files, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, text in files:
            archive.writestr(name, text)
    return out.getvalue()


def run_of(sha=SHA, owner="team", branch="change", repo_id=1, event="pull_request"):
    """GitHub's data of the run that triggered a workflow_run event."""
    return {"workflow_run": {"id": 77, "event": event, "head_sha": sha, "head_branch": branch,
                             "head_repository": {"id": repo_id, "full_name": f"{owner}/shop", "owner": {"login": owner}}}}


def play(api, event, event_name="workflow_run", folder=None, **given):
    with tempfile.TemporaryDirectory(prefix="pprofgate-comment.") as work:
        payload = pathlib.Path(work, "event.json")
        payload.write_text(json.dumps(event), encoding="utf-8")
        github = {"api_url": api.url, "event_name": event_name, "event_path": str(payload), "repository": api.repository,
                  "run_id": "78", "server_url": "https://github.invalid", "token": TOKEN}
        runner = Runner(work + "/runner", folder or work, github, environment(), {"": ROOT / "ci/github/comment"})
        status, outputs = runner.action(ROOT / "ci/github/comment", {"token": TOKEN, **given})
        same(api.refused, [])
        return status, outputs.get("comment"), runner.log


def bodies(api):
    return [comment["body"] for comment in api.comments if comment["user"]["login"] == BOT]


def reports(folder, canary="regression"):
    cpu = ROOT / "fixtures/go-service/cpu"
    env = environment(GITHUB_ACTIONS="true", GITHUB_SERVER_URL="https://github.invalid", GITHUB_REPOSITORY="team/shop",
                      GITHUB_RUN_ID="77")
    subprocess.run([GATE, "check", cpu / "baseline-1.pb.gz", cpu / f"{canary}-1.pb.gz", "--report", folder], env=env,
                   stdout=subprocess.DEVNULL, check=False)
    return (pathlib.Path(folder) / "report.md").read_text(encoding="utf-8")


def test_a_comment_is_created_and_updated(work):
    """The report of the gate, made by the first run and written anew by the next."""
    with FakeApi() as api:
        api.pull(5, SHA)
        api.artifacts["pprofgate-report"] = packed([("report.md", reports(work / "a")), ("report.html", "<html>")])
        same(play(api, run_of())[:2], (0, "created"))
        body = bodies(api)[0]
        expect(body, MARKER + "\n## ❌ pprofgate: FAIL", "<code>main.priceRound</code>", "(&#42;shop)", "<details>",
               "checkout.go:121</code>](<https://github.invalid/team/shop/blob/" + SHA + "/", "checkout.go#L121>)\n",
               "https://github.invalid/team/shop/actions/runs/77", SHA[:12])
        same(body.count("://"), 2, body)
        shown = body[:body.index("<details>")]  # the visible part: verdict, a line per cause, totals
        same(len([line for line in shown.split("\n") if line.startswith("- ")]), 1, shown)
        same(len(shown.strip().split("\n")) < 12, True, shown)
        api.artifacts["pprofgate-report"] = packed([("report.md", reports(work / "b", "speedup"))])
        same(play(api, run_of())[:2], (0, "updated"))
        same(len(api.comments), 1)
        expect(api.comments[0]["body"], MARKER + "\n## ✅ pprofgate: PASS")
        del api.artifacts["pprofgate-report"]
        same(play(api, run_of())[:2], (0, "updated"))
        expect(api.comments[0]["body"], "nothing was decided")


def test_the_report_of_this_job_is_used(work):
    """On pull_request the report is this job's, and another comment of ours has another name."""
    reports(work / "pprofgate-report")
    with FakeApi() as api:
        event = {"pull_request": {"number": 9, "head": {"sha": SHA}}}
        same(play(api, event, "pull_request", folder=work)[:2], (0, "created"))
        same(play(api, event, "pull_request", folder=work, name="heap")[:2], (0, "created"))
        same(play(api, event, "pull_request", folder=work)[:2], (0, "updated"))
        same([body.split("\n")[0] for body in bodies(api)], [MARKER, "<!-- pprofgate: heap -->"])
        same([comment["issue"] for comment in api.comments], [9, 9])
        same(play(api, {}, "push", folder=work)[:2], (0, "none"))
        status, _, log = play(api, event, "pull_request", folder=work, name="a --> b")
        same(status, 1)
        expect(log, "::error title=pprofgate comment::the input 'name'")


def module():
    """comment.py, for what needs no runner."""
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location("comment", ROOT / "ci/github/comment/comment.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_the_input_when_decides_whether_a_comment_is_created(_):
    """on-change and on-failure decide whether a comment is made; an existing comment is always updated."""
    texts = {"pass": "## ✅ pprofgate: PASS\n", "warns": "## ⚠️ pprofgate: PASS with warnings\n", "fail": "## ❌ pprofgate: FAIL\n",
             "open": "## ❔ pprofgate: INCONCLUSIVE\n", "first": "## pprofgate: FIRST\n", "none": "## pprofgate: NO BASELINE\n"}
    made = {"always": set(texts), "on-change": {"warns", "fail", "open", "none"}, "on-failure": {"fail", "open", "none"}}
    comment = module()
    for when, wanted in made.items():
        same({name for name, text in texts.items() if comment.is_worth(text, when)}, wanted, when)
    with FakeApi() as api:
        api.pull(5, SHA)
        api.artifacts["pprofgate-report"] = packed([("report.md", texts["pass"])])
        same(play(api, run_of(), comment="on-failure")[:2], (0, "none"))
        api.say(5, BOT, MARKER + "\nold")
        same(play(api, run_of(), comment="never")[:2], (0, "none"))
        same(play(api, run_of(), comment="on-failure")[:2], (0, "updated"))
        status, _, log = play(api, run_of(), comment="sometimes")
        same(status, 1)
        expect(log, "::error title=pprofgate comment::the input 'comment': expected one of always, on-change")


def test_places_link_to_the_commit_of_the_run(_):
    """The place of a cause leads to the commit that GitHub names, and nowhere else."""
    comment = module()
    head = f"https://github.invalid/team/shop/blob/{SHA}/"
    same(comment.sources_of("https://github.invalid", "team/shop", SHA), head)
    for repository, commit in ((None, SHA), ("team/shop", "main"), ("team/shop>", SHA), ("shop", SHA), ("a/b/c", SHA)):
        same(comment.sources_of("https://github.invalid", repository, commit), None)
    rows = (("a/b.go:7", head + "a/b.go#L7"), ("a/b.go", head + "a/b.go"), ("a&#95;b c.go:7", head + "a_b%20c.go#L7"),
            ("a&#35;\u200b1%2e.go:7", head + "a%231%252e.go#L7"), ("../../../evil/x.go:7", None), ("/etc/x:1", None),
            ("a//b.go:7", None), ("a\\..\\b.go:7", None), ("https://evil.invalid/x.go:7", None))
    for shown, link in rows:
        for text in (f"[<code>{shown}</code>](<https://evil.invalid/x>)", f"<code>{shown}</code>"):
            line = comment.linked(comment.tamed(f"## x\n- ❌ <code>f</code>: +1 pp, in {text}\n"), head).split("\n")[1]
            same(line.count("]("), 1 if link else 0, line)
            refuse(line, "evil.invalid/x>", "https://evil")
            if link:
                expect(line, ", in [<code>", f"</code>](<{link}>)")


def test_the_pull_request_of_a_fork_is_found(_):
    """For a run of a fork, the pull request is found by its branch and commit."""
    with FakeApi() as api:
        api.pull(5, SHA, owner="team", branch="change", repo_id=1)
        api.pull(6, SHA, owner="stranger", branch="change", repo_id=2)
        api.pull(7, "f" * 40, owner="stranger", branch="change", repo_id=2)
        api.pull(8, SHA, owner="stranger", branch="change", repo_id=2, state="closed")
        api.artifacts["pprofgate-report"] = packed([("report.md", "## report\n"), ("number", "5"), ("pr.txt", "5")])
        same(play(api, run_of(owner="stranger", repo_id=2))[:2], (0, "created"))
        same(api.comments[0]["issue"], 6)
        # a newer push, a branch of another repository of that name, and a run of another event
        same(play(api, run_of(sha="e" * 40, owner="stranger", repo_id=2))[:2], (0, "none"))
        same(play(api, run_of(owner="stranger", repo_id=3))[:2], (0, "none"))
        same(play(api, run_of(owner="stranger", repo_id=2, event="push"))[:2], (0, "none"))
        deleted = run_of()
        deleted["workflow_run"]["head_repository"] = None
        same(play(api, deleted)[:2], (0, "none"))
        same(len(api.comments), 1)


def test_comments_of_others_are_not_changed(_):
    """A comment of another user with the marker is not taken for ours, and comments after the first page are found."""
    with FakeApi() as api:
        api.pull(5, SHA)
        api.say(5, "stranger", MARKER + "\nmine")
        for at in range(130):
            api.say(5, "talker", f"comment {at}")
        api.artifacts["pprofgate-report"] = packed([("report.md", "## one\n")])
        same(play(api, run_of())[:2], (0, "created"))
        same(play(api, run_of())[:2], (0, "updated"))
        same(len(bodies(api)), 1)
        same(api.comments[0]["body"], MARKER + "\nmine")


HOSTILE = """## <!-- pprofgate: other --> report
@team &#64;team &commat;team &#x40;team <!-- hidden --> <img src=https://evil.invalid/x.png>
![x](https://evil.invalid/y.png) [text](https://evil.invalid/z) [a]: https://evil.invalid/b
<https://evil.invalid/c> www.evil.invalid https&#58;//evil.invalid/d #1 &#35;1 team/shop#1 GH-1
<a href="https://evil.invalid">x</a> <script>alert(1)</script> <code onclick=x>y</code> <details><details>
~~~
``` \u202e\x1b[31m
"""


def test_text_of_a_report_has_no_mentions_links_or_hidden_parts(_):
    """Text of an artifact mentions nobody, leads nowhere, and hides nothing."""
    with FakeApi() as api:
        api.pull(5, SHA)
        api.artifacts["pprofgate-report"] = packed([("report.md", HOSTILE)])
        same(play(api, run_of())[:2], (0, "created"))
        body = bodies(api)[0]
        inner = body[len(MARKER):body.rindex("\n\n<sub>")]
        refuse(inner, "@team", "<!--", "<img", "[", "<a", "<script", "<code ", "://", "www.", "&#58;", "&commat;",
               "&#x40;", "&#35;", " #1", "p#1", "GH-1", "~~~", "```", "\u202e", "\x1b", "<http")
        same(inner.count("<details>"), inner.count("</details>"))
        expect(body, "of 1234567890ab, <a href=\"https://github.invalid/team/shop/actions/runs/77\">")


def test_hostile_artifacts_write_no_file(_):
    """Archives that are large, broken, double or full of paths end in an error or in no report, and write no file."""
    bomb = packed([("report.md", b"A" * (64 << 20))])
    whole = packed([("report.md", "## fine\n")])
    double = io.BytesIO()
    with zipfile.ZipFile(double, "w") as archive, open(os.devnull, "w", encoding="utf-8") as sink:
        sys.stderr, kept = sink, sys.stderr
        archive.writestr("report.md", "one")
        archive.writestr("report.md", "two")
        sys.stderr = kept
    broken = bytearray(whole)
    broken[40] ^= 0xff
    with FakeApi() as api:
        api.pull(5, SHA)
        for data, said in ((bomb, "expected at most"), (b"not a zip", "cannot be read"), (bytes(broken), "cannot be read"),
                           (whole[:40], "cannot be read")):
            api.artifacts["pprofgate-report"] = data
            status, _, log = play(api, run_of())
            same(status, 1, log)
            expect(log, "::error title=pprofgate comment::", said)
        for data in (double.getvalue(), packed([("../report.md", "x"), ("/tmp/report.md", "x"), ("REPORT.MD", "x")])):
            api.artifacts["pprofgate-report"] = data
            same(play(api, run_of())[:2], (0, "none"))
        api.artifacts["pprofgate-report"] = whole
        api.sizes["pprofgate-report"] = 1 << 40
        same(play(api, run_of())[0], 1)
        same(api.comments, [])


def lie(body, status="200 OK", headers="", length=None):
    size = len(body) if length is None else length
    return f"HTTP/1.1 {status}\r\nContent-Length: {size}\r\n{headers}\r\n".encode() + body


def test_invalid_answers_of_the_api_change_no_comment(_):
    """A proxy's page, other JSON, or a broken connection is one line, and no comment is written or lost."""
    answers = [lie(b"<html>log in</html>"), lie(b"null"), lie(b"7"), lie(b'{"message": "moved"}'), lie(b'[{"number": {}}]'),
               lie(b'["x"]'), lie(b"[[]]"), lie(b"\xff\xfe"), lie(b'{"artifacts": 5}'), lie(b'{"artifacts": [null]}'),
               lie(b"[", length=500), lie(b"", "302 Found"), lie(b"", "302 Found", "Location: ftp://a/b\r\n"),
               lie(b"", "302 Found", "Location: http://[::1\r\n"), lie(b"{}", "500 Internal Server Error"), b"SSH-2.0-x\r\n", b""]
    broken = bytearray(packed([("report.md", "x" * 3000)]))
    broken[45:49] = b"\xff" * 4  # of the deflated data
    with FakeApi() as api:
        api.pull(5, SHA)
        api.artifacts["pprofgate-report"] = packed([("report.md", "## fine\n")])
        for place in ("/pulls", "/issues/5/comments", "/actions/runs/77/artifacts", "/actions/artifacts/1/zip"):
            for answer in answers + [lie(bytes(broken))]:
                api.lies, api.comments = {place: answer}, []
                status, _, log = play(api, run_of())
                refuse(log, "Traceback", TOKEN)
                told = [line for line in log.splitlines() if line.startswith("::error title=pprofgate comment::")]
                same(len(told), int(status == 1), (place, answer, log))
                same(bodies(api) == [] or status == 0, True, (place, answer, log))


def test_a_long_report_is_cut(_):
    with FakeApi() as api:
        api.pull(5, SHA)
        text = "## long\n<details>\n" + "| <code>ä</code> | @x |\n" * 8000
        api.artifacts["pprofgate-report"] = packed([("report.md", text)])
        same(play(api, run_of())[:2], (0, "created"))
        body = bodies(api)[0]
        if not 50000 < len(body) <= 60000:
            sys.exit(f"expected up to 60000 characters, found {len(body)}")
        same(body.count("<details>"), body.count("</details>"))
        expect(body, "The rest is in the report", "actions/runs/77")


def test_a_wrong_token_is_an_error(_):
    """A wrong token is reported as an error; the missing comment is not ignored."""
    with FakeApi() as api:
        api.pull(5, SHA)
        status, _, log = play(api, run_of(), token="another")
        same(status, 1)
        expect(log, "::error title=pprofgate comment::", "401")
        refuse(log, "another", TOKEN)


if __name__ == "__main__":
    played(globals())
