#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the action has its program from: given, a release by its checksum, or built.

usage: test_get.py PPROFGATE ROOT NAME|all
"""
import functools
import hashlib
import http.server
import os
import pathlib
import shutil
import sys
import tarfile
import tempfile
import threading

import test_action as actions
from scratch import expect, refuse, repository, same
from test_action import play

GATE = ROOT = None


def test_setup_installs_the_program_without_a_verdict(repo):
    repository(ROOT, repo)
    found = play(repo, {"command": "setup"})
    same((found["status"], found["verdict"]), (0, ""), found["log"])
    same(found["path"], [os.path.dirname(GATE)])
    same(found["binary"], GATE)


class Releases:
    """A server of release files on loopback, for as long as the block lasts."""

    def __init__(self, folder):
        class Quiet(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def release(folder, version):
    """The files of a release, as docs say that they are: the archive, and its checksums. Returns the archive."""
    name = f"pprofgate-{version}-linux-{os.uname().machine}"
    where = pathlib.Path(folder) / f"pprofgate/pprofgate/releases/download/v{version}"
    where.mkdir(parents=True)
    archive = where / f"{name}.tar.gz"
    with tarfile.open(archive, "w:gz") as out:
        out.add(GATE, f"{name}/bin/pprofgate")
    sum256 = hashlib.sha256(archive.read_bytes()).hexdigest()
    (where / "SHA256SUMS").write_text(f"{'0' * 64}  other.deb\n{sum256}  {archive.name}\n", encoding="utf-8")
    return archive


def own_checkout(folder):
    """An action's checkout whose program is quick to build: all of ours but the sources."""
    folder = pathlib.Path(folder)
    shutil.copytree(ROOT / "ci", folder / "ci")
    shutil.copy(ROOT / "action.yml", folder)
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(pprofgate VERSION 4.5.6 LANGUAGES NONE)\n"
        f"add_custom_target(pprofgate COMMAND ${{CMAKE_COMMAND}} -E copy \"{GATE}\" pprofgate)\n", encoding="utf-8")
    return folder


def test_a_release_is_checked_by_its_checksum(repo):  # needs: curl
    """A release by its checksum; of a tag the version of the action's own checkout; a wrong archive never runs."""
    repository(ROOT, repo)
    with tempfile.TemporaryDirectory(prefix="pprofgate-releases.") as folder:
        action = own_checkout(folder + "/action")
        archive = release(folder + "/files", "4.5.6")
        sums = archive.with_name("SHA256SUMS")
        good = sums.read_text(encoding="utf-8")
        right = hashlib.sha256(archive.read_bytes()).hexdigest()
        with Releases(folder + "/files") as url:
            got = functools.partial(play, repo, event="push", server_url=url, action=action)
            setup = {"command": "setup", "binary": ""}
            for given, ref in (({"version": "4.5.6"}, "main"), ({"version": "v4.5.6"}, "main"), ({}, "v4"),
                               ({"version": "4.5.6", "sha256": right.upper()}, "main")):
                found = got({**setup, **given}, action_ref=ref)
                same((found["status"], pathlib.Path(found["binary"]).parts[-3:]),
                     (0, (archive.name[:-7], "bin", "pprofgate")), found["log"])
            found = got({**setup, "version": "9.9.9"})
            same(found["status"], 2, found["log"])
            expect(found["log"], "::error title=pprofgate::the release 9.9.9 was not found")
            found = got({**setup, "version": "4.5.6", "sha256": "ab" * 32})
            same((found["status"], found["binary"]), (2, ""), found["log"])
            expect(found["log"], f"expected SHA-256 {'ab' * 32}, found {right}")
            sums.write_text(good.replace(right, "0" * 64), encoding="utf-8")
            for ref in ("v4", "main"):
                found = got({**setup, **({"version": "4.5.6"} if ref == "main" else {})}, action_ref=ref)
                same((found["status"], found["binary"]), (2, ""), found["log"])
                expect(found["log"], "is not what was released")
            sums.write_text("nothing\n", encoding="utf-8")
            found = got({**setup, "version": "4.5.6"})
            same((found["status"], found["binary"]), (2, ""), found["log"])
            expect(found["log"], "no SHA-256 is known")


def test_the_checkout_is_built_without_a_release(repo):  # needs: curl
    """Without a release, of a branch, or when told so, the action's own checkout is built."""
    repository(ROOT, repo)
    with tempfile.TemporaryDirectory(prefix="pprofgate-releases.") as folder:
        action = own_checkout(folder + "/action")
        (action / "ci/packages.sh").write_text("echo packages are looked for\n", encoding="utf-8")
        pathlib.Path(folder, "files").mkdir()
        with Releases(folder + "/files") as url:
            for given, ref in (({}, "main"), ({"version": "source"}, "v4"), ({}, "v4")):
                found = play(repo, {"command": "setup", "binary": "", **given}, event="push", server_url=url,
                             action=action, action_ref=ref)
                same((found["status"], pathlib.Path(found["binary"]).parts[-2:]), (0, ("pprofgate-build", "pprofgate")),
                     found["log"])
                expect(found["log"], "building pprofgate from", "packages are looked for")
                refuse(found["log"], "::warning")


def test_empty_ref_is_reported(repo):
    """Without github.action_ref the release is unknown: the build from source comes with a warning that names a way out."""
    repository(ROOT, repo)
    with tempfile.TemporaryDirectory(prefix="pprofgate-releases.") as folder:
        action = own_checkout(folder + "/action")
        (action / "ci/packages.sh").write_text("", encoding="utf-8")
        setup = {"command": "setup", "binary": ""}
        found = play(repo, setup, event="push", action=action, action_ref="")
        same(found["status"], 0, found["log"])
        expect(found["log"], "::warning title=pprofgate::github.action_ref is empty", "set the input 'version'",
               "building pprofgate from")
        for given in ({"version": "source"}, {"binary": GATE}):
            refuse(play(repo, {**setup, **given}, event="push", action=action, action_ref="")["log"], "::warning")


def main():
    global GATE, ROOT
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    GATE, ROOT, name = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    actions.GATE, actions.ROOT = GATE, ROOT
    tests = {key[5:]: value for key, value in globals().items() if key.startswith("test_")}
    for key in tests if name == "all" else [name]:
        with tempfile.TemporaryDirectory(prefix="pprofgate-ci.") as work:
            tests[key](pathlib.Path(os.path.realpath(work)) / "repo")
            print(f"ok: {key}")


if __name__ == "__main__":
    main()
