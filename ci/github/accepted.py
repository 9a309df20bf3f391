#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds who accepts the growth of a pull request's head commit, and writes 'COMMIT by WHO: REASON' to a file.

The acceptance is a comment on the pull request whose first line is `pprofgate-accept COMMIT: REASON`, with all digits
of the head commit. Its author needs the permission write or admin, by the API's endpoint for collaborators:
`author_association` is also MEMBER or COLLABORATOR for people who can only read. Without an acceptance no file is
written. If the API does not answer, the exit status is 2.

environment: GITHUB_API_URL, GITHUB_REPOSITORY, INPUT_TOKEN, PPROFGATE_PULL (number), PPROFGATE_HEAD (commit),
PPROFGATE_ACCEPTED (the file to write)
"""
import json
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

PAGES = 30
ANSWER_BYTES = 8 << 20
REASON_BYTES = 500
LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}")


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """The token goes to the API alone."""

    def redirect_request(self, *_):
        return None


class Api:
    def __init__(self, url, repository, token):
        self.base, self.token = f"{url.rstrip('/')}/repos/{repository}", token
        self.opener = urllib.request.build_opener(NoRedirect)

    def get(self, path):
        request = urllib.request.Request(self.base + path)
        request.add_header("Authorization", f"Bearer {self.token}")
        request.add_header("Accept", "application/vnd.github+json")
        request.add_header("X-GitHub-Api-Version", "2022-11-28")
        with self.opener.open(request, timeout=60) as answer:
            data = answer.read(ANSWER_BYTES + 1)
        if len(data) > ANSWER_BYTES:
            raise ValueError(f"an answer of more than {ANSWER_BYTES} bytes")
        return json.loads(data)

    def comments(self, pull):
        for page in range(1, PAGES + 1):
            found = self.get(f"/issues/{pull}/comments?per_page=100&page={page}")
            yield from found
            if len(found) < 100:
                return

    def may_write(self, login):
        try:
            answer = self.get(f"/collaborators/{urllib.parse.quote(login, safe='')}/permission")
        except urllib.error.HTTPError as error:
            if error.code == 404:  # no collaborator
                return False
            raise
        return answer.get("permission") in ("write", "admin")


def accepted(api, pull, head):
    """The text for --accepted, of the newest comment that counts; None if there is none."""
    command = re.compile(rf"pprofgate-accept {head}: *(\S[^\r\n]*)")
    found = []
    for comment in api.comments(pull):
        match = command.match(comment.get("body") or "")
        user = comment.get("user") or {}
        if match and user.get("type") == "User" and LOGIN.fullmatch(user.get("login") or ""):
            found.append((user["login"], match[1]))
    for login, reason in reversed(found):
        if api.may_write(login):
            reason = "".join(c if c.isprintable() else " " for c in reason)
            reason = reason.encode()[:REASON_BYTES].decode(errors="ignore").strip()
            return f"{head} by {login}: {reason}" if reason else None
        print(f"::notice title=pprofgate::{login} may not write to this repository, so the acceptance does not count")
    return None


def main():
    pull, head = os.environ.get("PPROFGATE_PULL", ""), os.environ.get("PPROFGATE_HEAD", "")
    if not re.fullmatch(r"[0-9]{1,10}", pull) or not re.fullmatch(r"[0-9a-f]{40,64}", head):
        print("::notice title=pprofgate::acceptance by a comment needs the event pull_request", file=sys.stderr)
        return 0
    api = Api(os.environ["GITHUB_API_URL"], os.environ["GITHUB_REPOSITORY"], os.environ["INPUT_TOKEN"])
    try:
        text = accepted(api, pull, head)
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        print(f"pprofgate: acceptance: the request to the GitHub API failed: {error}", file=sys.stderr)
        return 2
    if text is not None:
        with open(os.environ["PPROFGATE_ACCEPTED"], "w", encoding="utf-8") as file:
            file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
