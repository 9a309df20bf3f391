#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Serves fake_api.FakeApi, with pull request 1 of SHA, while a command runs; what was commented goes to FILE.

usage: served.py SHA FILE COMMAND...

The command has GITHUB_API_URL in its environment, and INPUT_TOKEN.
"""
import os
import pathlib
import subprocess
import sys

from fake_api import TOKEN, FakeApi


def main():
    sha, file, command = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    with FakeApi() as api:
        api.pull(1, sha)
        if file.exists():
            api.say(1, "github-actions[bot]", file.read_text(encoding="utf-8"))
        status = subprocess.run(command, env={**os.environ, "GITHUB_API_URL": api.url, "INPUT_TOKEN": TOKEN},
                                check=False).returncode
        if len(api.comments) != 1:
            sys.exit(f"expected one comment on the pull request, found {len(api.comments)}")
        file.write_text(api.comments[0]["body"], encoding="utf-8")
    sys.exit(status)


if __name__ == "__main__":
    main()
