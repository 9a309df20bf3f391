#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for Pyroscope, Parca, Prometheus and the API server of Kubernetes on loopback, which misbehaves by path.

Each is spoken as far as pprofgate asks it: `/WHAT/querier.v1.QuerierService/...`, `/WHAT/parca.query.v1alpha1...`,
`/WHAT/api/v1/query`; WHAT is how it behaves. Profiles are those of fixtures/captures: label version="1.4" is one build
and "1.5" a slower one, one file for each minute of the day. What these servers really say is held by the Go servers
(go/), which are built from the projects' own modules.
"""
import gzip
import http.server
import json
import pathlib
import re
import socketserver
import ssl
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "evade"))
import pprof  # noqa: E402
from pprof import field as message  # noqa: E402

TOKEN = "tok-3f9a1c77-secret"
CONNECT, GRPC_WEB = "application/proto", "application/grpc-web+proto"


def fields(data):
    """{number: [value, ...]} of a protobuf message: what pprofgate sends is flat enough."""
    found = {}
    for number, _, value in pprof.fields(data):
        found.setdefault(number, []).append(value)
    return found


def frame(data, flags=0):
    return bytes([flags]) + len(data).to_bytes(4, "big") + data


class State:
    def __init__(self, fixtures):
        self.fixtures = pathlib.Path(fixtures)
        self.lock = threading.Lock()
        self.asked = {}
        self.seen = []  # dicts: what, path, selector, type, start, end, authorization, tenant, ...
        self.other = ""
        self.first = {}
        self.nested = b""  # the answer of /nested
        self.is_calm = False  # the canary does what the baseline does: no single slice decides

    def count(self, key):
        with self.lock:
            self.asked[key] = self.asked.get(key, 0) + 1
            return self.asked[key]

    def profile(self, selector, start_ms, end_ms=None):
        """Packed; None: there is none. Another one each minute; where somebody asks for seconds, each second."""
        versions = {'version="1.4"': "mix", 'version="1.5"': "p10", 'app="shop"': "mix"}
        name = next((n for label, n in versions.items() if label in selector), None)
        if name is None:
            return None
        step = 1000 if end_ms is not None and end_ms - start_ms < 30000 else 60000
        found = sorted((self.fixtures / "captures").glob(("mix" if self.is_calm else name) + "-*.cpu.pb.gz"))
        if self.is_calm:
            found = found[name == "p10"::2]
        week = start_ms // 604800000 if "app=" in selector else 0  # a week ago is another profile
        return found[(start_ms // step + week) % len(found)].read_bytes()


class Paths(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    # ---- answers

    def answer(self, status, body, kind, headers=()):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, code, text):
        self.answer(status, json.dumps({"code": code, "message": text}).encode(), "application/json")

    def trailer(self, code, text="", data=b""):
        lines = b"grpc-status: %d\r\ngrpc-message: %s\r\n" % (code, text.encode())
        self.answer(200, data + frame(lines, 0x80), GRPC_WEB)

    # ---- how it behaves; True: that was the answer

    def as_locked(self):
        if self.told["authorization"] != "Bearer " + TOKEN:
            self.refuse(401, "unauthenticated", "who are you, '%s'?" % self.told["authorization"])
            return True
        if self.told["tenant"] != "team-a":
            self.refuse(401, "unauthenticated", "no org id")
            return True
        return False

    def as_busy(self):
        if self.state.count(self.told["what"]) <= 2:
            self.refuse(503, "unavailable", "too many queries")
            return True
        return False

    def as_invalid(self):
        self.refuse(400, "invalid_argument", 'parse error: unexpected "}"')
        return True

    def as_flaky(self):
        if self.state.count(self.told["what"]) == 3:
            self.refuse(400, "out_of_range", "not now")
            return True
        return False

    def as_rising(self):
        """The canary is there from the third second on."""
        first = self.state.first.setdefault(self.told["what"], self.told["start"])
        if 'version="1.5"' in self.told["selector"] and self.told["start"] < first + 2000:
            self.answer(200, message(5, b""), CONNECT)
            return True
        return False

    def as_slow(self):
        time.sleep(4)
        self.close_connection = True
        return True

    def as_page(self):
        self.answer(200, b"<!DOCTYPE html><title>Login</title>", "text/html")
        return True

    def as_garbage(self):
        self.answer(200, b"\x0a\xff\xff\xff\xff\xff\x01x", CONNECT)
        return True

    def profile_of(self, raw):
        self.answer(200, message(5, message(1, raw)), CONNECT)
        return True

    def as_same(self):
        """Returns the same profile for any query, like a cache that ignores the request's body."""
        first = sorted((self.state.fixtures / "captures").glob("mix-*.cpu.pb.gz"))[0]
        return self.profile_of(gzip.decompress(first.read_bytes()))

    def as_heap(self):
        return self.profile_of(gzip.decompress((self.state.fixtures / "go-service/heap/baseline-1.pb.gz").read_bytes()))

    def as_text(self):
        """Collapsed stacks, which are a profile, and not what such a store sends."""
        packed = frame(message(6, b"main;work %d\n" % self.state.count("text")))
        self.answer(200, packed + frame(b"grpc-status: 0\r\n", 0x80), GRPC_WEB)
        return True

    def as_nested(self):
        """A small answer whose stacks have 1.6 billion frames."""
        return self.profile_of(self.state.nested)

    def as_endless(self):
        self.send_response(200)
        self.send_header("Content-Type", CONNECT)
        self.end_headers()
        self.close_connection = True
        try:
            while True:
                self.wfile.write(bytes(1 << 16))
        except OSError:
            return True

    def as_large(self):
        self.answer(200, bytes(1 << 21), CONNECT)
        return True

    def as_bomb(self):
        """Two MiB of zeros in two kB."""
        self.answer(200, gzip.compress(bytes(1 << 21)), CONNECT, [("Content-Encoding", "gzip")])
        return True

    def as_elsewhere(self):
        self.answer(307, b"", "text/plain", [("Location", self.state.other + "/well" + self.method)])
        return True

    def as_moved(self):
        self.answer(308, b"", "text/plain", [("Location", "/well" + self.method)])
        return True

    def as_login(self):
        self.answer(302, b"", "text/plain", [("Location", "/well" + self.method)])
        return True

    def as_missing(self):
        self.refuse(404, "not_found", "no such path")
        return True

    # Parca's

    def as_trailererror(self):
        self.trailer(5, "could not find profile at requested time and selectors")
        return True

    def as_headerror(self):
        self.answer(200, b"", GRPC_WEB, [("Grpc-Status", "16"), ("Grpc-Message", "who are you?")])
        return True

    def as_unavailable(self):
        if self.state.count(self.told["what"]) <= 2:
            self.trailer(14, "starting")
            return True
        return False

    def as_packed(self):
        self.answer(200, frame(b"x", 1) + frame(b"grpc-status: 0\r\n", 0x80), GRPC_WEB)
        return True

    def as_untrailed(self):
        self.answer(200, frame(message(6, b"x")), GRPC_WEB)
        return True

    def as_unended(self):
        """The profile is there, and no word of how the query ended."""
        self.answer(200, frame(message(6, b"x")) + frame(b"", 0x80), GRPC_WEB)
        return True

    def as_more(self):
        """More frames behind the last."""
        self.answer(200, (frame(message(6, b"x")) + frame(b"grpc-status: 0\r\n", 0x80)) * 2, GRPC_WEB)
        return True

    def as_escape(self):
        self.trailer(7, "\x1b[2J\x1b]0;owned\x07 ::error::x")
        return True

    def as_cutframe(self):
        self.answer(200, frame(message(6, b"x"))[:-1], GRPC_WEB)
        return True

    def as_twice(self):
        self.answer(200, frame(message(6, b"x")) * 2 + frame(b"grpc-status: 0\r\n", 0x80), GRPC_WEB)
        return True

    # ---- protocols

    def select(self, body):
        """Both of Pyroscope's methods."""
        asked = fields(body)
        self.told.update(type=asked[1][0].decode(), selector=asked[2][0].decode(), start=asked[3][0], end=asked[4][0],
                         asked_ms=time.time() * 1000, nodes=asked[5][0], format=asked.get(6, [0])[0])
        if self.headers.get("Content-Type") != CONNECT:
            return self.refuse(415, "unknown", "content type")
        if getattr(self, "as_" + self.told["what"], bool)():
            return None
        is_older = self.method.endswith("/SelectMergeProfile")
        packed = self.state.profile(self.told["selector"], self.told["start"], self.told["end"])
        profile = b"" if packed is None else gzip.decompress(packed)
        if is_older:
            return self.answer(200, profile, CONNECT)
        if self.told["what"] == "older":
            return self.refuse(404, "unimplemented", "no such method")
        if self.told["what"] == "flamegraph":  # a server from before the format pprof
            return self.answer(200, message(1, message(1, b"total")), CONNECT)
        assert self.told["format"] == 4, self.told
        return self.answer(200, message(5, message(1, profile)), CONNECT)

    def query(self, body):
        """Parca's."""
        assert body[0] == 0 and int.from_bytes(body[1:5], "big") == len(body) - 5, body
        asked = fields(body[5:])
        assert asked[1] == [2] and asked[5] == [1], asked
        merge = fields(asked[3][0])
        kind, selector = merge[1][0].decode().split("{", 1)
        moments = [fields(merge[n][0]) for n in (2, 3)]
        start, end = (m.get(1, [0])[0] * 1000 + m.get(2, [0])[0] // 1000000 for m in moments)
        self.told.update(type=kind, selector="{" + selector, start=start, end=end)
        if getattr(self, "as_" + self.told["what"], bool)():
            return None
        packed = self.state.profile(self.told["selector"], start, end)
        if packed is None:  # types, and no sample of them
            texts = b"".join(message(6, text) for text in (b"", b"cpu", b"nanoseconds"))
            packed = gzip.compress(message(1, b"\x08\x01\x10\x02") + texts)
        return self.trailer(0, data=frame(message(6, packed)))

    def prometheus(self, body):
        asked = {k: v[0] for k, v in urllib.parse.parse_qs(body.decode()).items()}
        self.told.update(query=asked["query"], time=float(asked["time"]))
        what = self.told["what"]
        if getattr(self, "as_" + what, bool)():
            return None
        vector = [({"endpoint": "/a"}, "120.5"), ({"endpoint": "/b"}, "79.5")]
        results = {
            "well": ("vector", vector), "scalar": ("scalar", [1, "42"]), "none": ("vector", []),
            "zero": ("vector", [({}, "0")]), "negative": ("vector", [({}, "-3")]), "nan": ("vector", [({}, "NaN")]),
            "unlabelled": ("vector", vector + [({}, "1")]), "matrix": ("matrix", []), "text": ("vector", [({}, 7)]),
        }
        if what == "wrong":
            text = {"status": "error", "errorType": "bad_data", "error": "1:5: parse error"}
            return self.answer(400, json.dumps(text).encode(), "application/json")
        kind, result = results[what]
        if kind == "vector":
            result = [{"metric": m, "value": [1, v]} for m, v in result]
        text = {"status": "success", "data": {"resultType": kind, "result": result}}
        return self.answer(200, json.dumps(text).encode(), "application/json")

    # ---- the API server of a cluster

    def pods(self, asked):
        """Pages of two: three running ones of each version, and some that are not."""
        version = asked["labelSelector"].split("version=")[-1]
        start = int(asked.get("continue", "0"))
        items = [{"metadata": {"name": "shop-%s-%d" % (version.replace(".", "-"), i)}, "status": {"phase": "Running"}}
                 for i in range(3)]
        items.insert(1, {"metadata": {"name": "old"}, "status": {"phase": "Succeeded"}})
        items = [] if version == "9.9" else items
        if self.told["what"] == "escape":
            items = [{"metadata": {"name": "../../../secrets/x"}, "status": {"phase": "Running"}}]
        more = {"continue": str(start + 2)} if start + 2 < len(items) else {}
        if self.told["what"] == "endless":
            more = {"continue": "0"}
        text = {"kind": "PodList", "metadata": more, "items": items[start:start + 2]}
        return self.answer(200, json.dumps(text).encode(), "application/json")

    def proxy(self, target, path):
        if path == "/metrics":
            number = 1000 * self.state.count(("metrics", target))
            return self.answer(200, b"requests_total %d\n" % number, "text/plain")
        if path != "/debug/pprof/profile":
            return self.as_missing()
        found = re.match(r"(?:pods|services)/shop-1-([45])", target)
        if found is None:
            text = {"kind": "Status", "message": 'services "%s" not found' % target.split("/")[-1].split(":")[0], "code": 404}
            return self.answer(404, json.dumps(text).encode(), "application/json")
        packed = self.state.profile('version="1.%s"' % found.group(1), 60000 * self.state.count(found.group(0)))
        return self.answer(200, packed, "application/octet-stream")

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        what, self.method = re.match(r"/([^/]*)(/.*)$", url.path).groups()
        asked = {k: v[0] for k, v in urllib.parse.parse_qs(url.query).items()}
        self.told = {"what": what, "path": self.path, "authorization": self.headers.get("Authorization"),
                     "tenant": self.headers.get("X-Scope-OrgID")}
        with self.state.lock:
            self.state.seen.append(self.told)
        if what == "cluster" and self.told["authorization"] != "Bearer " + TOKEN:
            text = {"kind": "Status", "message": 'pods is forbidden: User "system:anonymous" cannot list', "code": 403}
            return self.answer(403, json.dumps(text).encode(), "application/json")
        if self.method == "/api/v1/namespaces/prod/pods":
            return self.pods(asked)
        found = re.match(r"/api/v1/namespaces/prod/((?:pods|services)/[^/]+:6060)/proxy(/.*)$", self.method)
        return self.proxy(*found.groups()) if found else self.as_missing()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        what, self.method = re.match(r"/([^/]*)(/.*)$", self.path).groups()
        self.told = {"what": what, "path": self.path, "authorization": self.headers.get("Authorization"),
                     "tenant": self.headers.get("X-Scope-OrgID")}
        with self.state.lock:
            self.state.seen.append(self.told)
        protocols = {"/querier.v1.QuerierService/SelectMergeStacktraces": self.select,
                     "/querier.v1.QuerierService/SelectMergeProfile": self.select,
                     "/parca.query.v1alpha1.QueryService/Query": self.query, "/api/v1/query": self.prometheus}
        return protocols.get(self.method, lambda _: self.as_missing())(body)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):  # clients that hang up are what this is for
            super().handle_error(request, client_address)


def serve(state, certificate=None):
    """Begin to serve in a thread; the address. `certificate`: (file, key, the authority of who may ask)."""
    server = Server(("127.0.0.1", 0), type("Handler", (Paths,), {"state": state}))
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate[:2])
        context.load_verify_locations(certificate[2])
        context.verify_mode = ssl.CERT_REQUIRED
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    return "http%s://127.0.0.1:%d" % ("s" if certificate else "", server.server_address[1])
