# SPDX-License-Identifier: Apache-2.0
"""The part of GitHub's API that ci/github/comment asks, on loopback, with a host of artifacts that refuses tokens."""
import http.server
import json
import re
import threading
import urllib.parse

TOKEN = "the-token"


def serve(handler):
    class Quiet(handler):
        def log_message(self, *_):
            pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_address[1]}"


class FakeGitLab:
    """The part of GitLab's API that templates/pprofgate.yml reads: `notes` of merge request 7 of project 5, newest first,
    and `members` by id, each with its level."""

    def __init__(self, notes=(), members=()):
        self.notes, self.members = list(notes), dict(members)

    def __enter__(self):
        api = self

        class Calls(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                where = urllib.parse.urlsplit(self.path)
                query = dict(urllib.parse.parse_qsl(where.query))
                member = re.fullmatch(r"/api/v4/projects/5/members/all/(\d+)", where.path)
                if self.headers.get("PRIVATE-TOKEN") != TOKEN:
                    FakeApi.reply(self, 401, {"message": "401 Unauthorized"})
                elif where.path == "/api/v4/projects/5/merge_requests/7/notes" and query["sort"] == "desc":
                    FakeApi.reply(self, 200, FakeApi.page(api.notes, query))
                elif member and int(member[1]) in api.members:
                    level, state = api.members[int(member[1])]
                    FakeApi.reply(self, 200, {"id": int(member[1]), "state": state, "access_level": level})
                else:
                    FakeApi.reply(self, 404, {"message": "404 Not found"})

        self.server, url = serve(Calls)
        self.url = url + "/api/v4"
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class FakeApi:
    """`pulls` and `comments` are what the API has, `artifacts` name -> bytes of the run, `asked` what was asked."""

    def __init__(self, repository="team/shop"):
        self.repository, self.pulls, self.comments, self.artifacts = repository, [], [], {}
        self.sizes, self.asked, self.refused = {}, [], []
        self.permissions = {}  # login -> permission; all others are no collaborators
        self.lies = {}  # beginning of a path behind the repository's -> bytes of a whole answer, headers and all
        self.lock = threading.Lock()

    def __enter__(self):
        api = self

        class Blobs(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.headers.get("Authorization"):
                    api.refused.append("a token was sent to the host of artifacts")
                    self.send_error(401)
                    return
                data = api.artifacts[urllib.parse.unquote(self.path[1:])]
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        class Calls(http.server.BaseHTTPRequestHandler):
            def answer(self):
                with api.lock:
                    api.call(self)
            do_GET = do_POST = do_PATCH = answer

        self.blobs, self.blob_url = serve(Blobs)
        self.server, self.url = serve(Calls)
        return self

    def __exit__(self, *_):
        for server in (self.server, self.blobs):
            server.shutdown()
            server.server_close()

    def call(self, request):
        where = urllib.parse.urlsplit(request.path)
        query = dict(urllib.parse.parse_qsl(where.query))
        length = int(request.headers.get("Content-Length") or 0)
        body = json.loads(request.rfile.read(length)) if length else None
        self.asked.append(f"{request.command} {request.path}")
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            self.reply(request, 401, {"message": "bad credentials"})
            return
        base = f"/repos/{self.repository}"
        path = where.path[len(base):] if where.path.startswith(base) else "?"
        for begin, answer in self.lies.items():
            if path.startswith(begin):
                request.wfile.write(answer)
                request.close_connection = True
                return
        for pattern, method, act in (
                (r"/pulls", "GET", self.get_pulls), (r"/issues/(\d+)/comments", "GET", self.get_comments),
                (r"/issues/(\d+)/comments", "POST", self.post), (r"/issues/comments/(\d+)", "PATCH", self.patch),
                (r"/actions/runs/(\d+)/artifacts", "GET", self.get_artifacts),
                (r"/collaborators/([^/]+)/permission", "GET", self.get_permission),
                (r"/actions/artifacts/(\d+)/zip", "GET", None)):
            found = re.fullmatch(pattern, path)
            if found is None or method != request.command:
                continue
            if act is None:
                request.send_response(302)
                request.send_header("Location", f"{self.blob_url}/{urllib.parse.quote(self.named(found[1]))}")
                request.end_headers()
                return
            status, answer = act(query, body, *(int(group) if group.isdigit() else group for group in found.groups()))
            self.reply(request, status, answer)
            return
        self.reply(request, 404, {"message": "not found"})

    def named(self, number):
        return sorted(self.artifacts)[int(number) - 1]

    @staticmethod
    def reply(request, status, answer):
        data = json.dumps(answer).encode()
        request.send_response(status)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        request.wfile.write(data)

    @staticmethod
    def page(items, query):
        size, number = int(query.get("per_page", 30)), int(query.get("page", 1))
        return items[(number - 1) * size:number * size]

    def get_pulls(self, query, _):
        owner, _, branch = query["head"].partition(":")
        found = [pull for pull in self.pulls if pull["state"] == query["state"] and pull["head"]["ref"] == branch
                 and pull["head"]["user"]["login"] == owner]
        return 200, self.page(found, query)

    def get_comments(self, query, _, number):
        return 200, self.page([comment for comment in self.comments if comment["issue"] == number], query)

    def get_permission(self, _, __, login):
        if login not in self.permissions:
            return 404, {"message": f"{login} is not a user"}
        return 200, {"permission": self.permissions[login]}

    def post(self, _, body, number):
        self.comments.append({"id": len(self.comments) + 1, "issue": number, "user": {"login": "github-actions[bot]"},
                              **body})
        return (201, self.comments[-1]) if len(body["body"]) <= 65536 else (422, {"message": "body is too long"})

    def patch(self, _, body, number):
        self.comments[number - 1].update(body)
        return 200, self.comments[number - 1]

    def get_artifacts(self, query, _, __):
        items = [{"id": at + 1, "name": name, "expired": False, "size_in_bytes": self.sizes.get(name, len(data))}
                 for at, (name, data) in enumerate(sorted(self.artifacts.items()))]
        return 200, {"total_count": len(items), "artifacts": self.page(items, query)}

    def pull(self, number, sha, owner="team", branch="change", state="open", repo_id=1):
        self.pulls.append({"number": number, "state": state, "base": {"repo": {"full_name": self.repository}},
                           "head": {"sha": sha, "ref": branch, "user": {"login": owner}, "repo": {"id": repo_id}}})

    def say(self, number, login, body):
        self.comments.append({"id": len(self.comments) + 1, "issue": number, "user": {"login": login}, "body": body})
