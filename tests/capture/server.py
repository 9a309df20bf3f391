#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server of profiles on loopback that misbehaves by path: /WHAT/debug/pprof/profile, /WHAT/metrics.

WHAT is a method `do_WHAT` of Paths below, or the name of a side. Profiles are those of fixtures/go-service.
"""
import gzip
import http.server
import os
import pathlib
import socket
import socketserver
import ssl
import threading
import time
import urllib.parse
import urllib.request

TOKEN = "tok-3f9a1c77-secret"
LONG_TOKEN = "tok-" + "3f9a1c77" * 23 + "-secret"  # longer than the part of an answer that messages show
PASSWORD = "pa55-w0rd-secret"
MEBIBYTE = 1024 * 1024


class State:
    """State of a server: how often each path was requested, and the requests that it received."""

    def __init__(self, fixtures):
        self.fixtures = pathlib.Path(fixtures)
        self.lock = threading.Lock()
        self.asked = {}
        self.seen = []  # (time, path with query, Authorization or None)
        self.is_taking = False  # a profile of /alone
        self.other = ""  # address of redirects to another host

    def count(self, key):
        with self.lock:
            self.asked[key] = self.asked.get(key, 0) + 1
            return self.asked[key]

    def profile(self, side, kind, number):
        files = {"profile": "cpu", "heap": "heap", "allocs": "heap", "mutex": "mutex", "block": "block"}
        folder = self.fixtures / "go-service" / files.get(kind, "cpu")
        start = {"baseline": "baseline", "canary": {"cpu": "regression", "heap": "alloc"}.get(folder.name, "")}[side]
        found = sorted(p for p in folder.iterdir() if p.name.startswith(start) and p.name.endswith(".pb.gz"))
        if side == "canary" and not start:
            found = [p for p in found if not p.name.startswith("baseline")]
        if kind != "old":  # many profiles of one build, so that none is sent twice
            pattern = "%s-*.%s.pb.gz" % ({"baseline": "mix", "canary": "p10"}[side], folder.name)
            found = sorted((self.fixtures / "captures").glob(pattern)) or found
        return found[(number - 1) % len(found)].read_bytes()


class Paths(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "test"

    def log_message(self, *args):
        pass

    # ---- answers

    def answer(self, status, body, kind="application/octet-stream", headers=()):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def say(self, status, text, headers=()):
        self.answer(status, text.encode(), "text/plain; charset=utf-8", headers)

    def good(self, side="baseline"):
        number = self.state.count(("profile", side, self.kind))
        time.sleep(0.1)
        self.answer(200, self.state.profile(side, self.kind, number))

    def break_off(self):
        self.wfile.flush()
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    # ---- behaviours

    def do_baseline(self):
        self.good("baseline")

    def do_canary(self):
        self.good("canary")

    def do_redeployed(self):
        if self.state.count("redeployed") == 1:
            return self.good()
        return self.answer(200, self.state.profile("baseline", "old", 1))

    def do_alone(self):
        """Takes one profile at a time."""
        with self.state.lock:
            is_busy, self.state.is_taking = self.state.is_taking, True
        if is_busy:
            return self.say(500, "Could not enable CPU profiling: cpu profiling already in use\n")
        time.sleep(0.2)
        self.good("baseline")
        with self.state.lock:
            self.state.is_taking = False
        return None

    def do_replicas(self):
        """Two such programs, of which each gets every other request."""
        self.good("baseline")

    def do_text(self):
        """Stacks with counts, as py-spy writes them, without a time or a duration."""
        number = self.state.count("text")
        time.sleep(0.3)
        self.answer(200, b"main (a.py:1);f (a.py:9) %d\nmain (a.py:1);g (a.py:7) %d\n" % (400 + number, 300 - number))

    do_texttoo = do_text

    def do_dies(self):
        """Breaks off its second profile, and is down for the next request, which a proxy answers."""
        number = self.state.count("dies")
        if number == 2:
            self.send_response(200)
            self.send_header("Content-Length", "100000")
            self.end_headers()
            self.wfile.write(b"half")
            return self.break_off()
        if number == 3:
            return self.say(503, "no healthy upstream\n")
        return self.good("canary")

    def do_hang(self):
        time.sleep(6)
        self.close_connection = True

    def do_trickle(self):
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        for _ in range(60):
            self.wfile.write(b"x")
            self.wfile.flush()
            time.sleep(0.1)
        self.close_connection = True

    def do_page(self):
        self.answer(200, b"<!DOCTYPE html><html><title>Login</title></html>", "text/html")

    def do_empty(self):
        self.answer(200, b"")

    def do_short(self):
        """Says a length and closes in the middle: always."""
        body = self.state.profile("baseline", "profile", 1)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2])
        self.break_off()

    def do_chunked(self):
        """The same, of a chunked answer, but well the second time."""
        if self.state.count("chunked") > 1:
            return self.good()
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"400\r\n" + b"x" * 100)
        return self.break_off()

    def do_cutgzip(self):
        """A whole answer over HTTP that is half a profile."""
        body = self.state.profile("baseline", "profile", 1)
        self.answer(200, body[: len(body) // 2])

    def do_reset(self):
        if self.state.count("reset") > 2:
            return self.good()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.close_connection = True
        return self.connection.close()

    def do_thrice(self):
        if self.state.count("thrice") > 3:
            return self.good()
        return self.say(500, "overloaded\n")

    def do_repeats(self):
        """Is broken twice, and repeats who asked, whole and in parts."""
        import base64
        told = self.headers.get("Authorization", "")
        if self.state.count("repeats") > 2:
            return self.good()
        parts = told.split(" ", 1)[-1]
        plain = base64.b64decode(parts).decode() if told.startswith("Basic ") else parts
        return self.say(500, "%s %s %s %s\n" % (parts, plain, plain.split(":")[-1], told))

    def do_repeatslate(self):
        """Never well: whatever is cut out of what it says ends within the token."""
        told = self.headers.get("Authorization", "")
        number = self.state.count("repeatslate")
        self.say(500, "x" * {1: 120, 2: 4070}.get(number, 65500) + told)

    def do_always500(self):
        self.say(500, "no way\n")

    def do_busy(self):
        if self.state.count("busy") > 2:
            return self.good()
        return self.say(500, "Could not enable CPU profiling: cpu profiling already in use\n")

    def do_dropped(self):
        """Hangs up the first time, without a word."""
        if self.state.count("dropped") > 1:
            return self.good()
        self.close_connection = True

    def do_alwaysbusy(self):
        self.say(500, "Could not enable CPU profiling: cpu profiling already in use\n")

    def do_later(self):
        if self.state.count("later") > 1:
            return self.good()
        return self.say(429, "slow down\n", [("Retry-After", "1")])

    def do_muchlater(self):
        self.say(503, "maintenance\n", [("Retry-After", "7200")])

    def do_missing(self):
        self.say(404, "404 page not found\n")

    def do_writetimeout(self):
        self.say(400, "profile duration exceeds server's WriteTimeout\n")

    def do_locked(self):
        """Requires the token, and repeats the Authorization header."""
        told = self.headers.get("Authorization", "")
        if told != "Bearer " + TOKEN:
            return self.say(401, "who are you, '%s'?\n" % told)
        return self.good()

    def do_lockeduser(self):
        import base64
        if self.headers.get("Authorization") != "Basic " + base64.b64encode(b"ada:" + PASSWORD.encode()).decode():
            return self.say(401, "who are you?\n")
        return self.good()

    def do_tokenquery(self):
        if "access_token=" + TOKEN not in self.path:
            return self.say(403, "no, %s\n" % self.path)
        return self.good()

    def do_elsewhere(self):
        self.answer(302, b"", headers=[("Location", self.state.other + "/baseline/debug/pprof/profile?token=" + TOKEN)])

    def do_moved(self):
        self.answer(307, b"", headers=[("Location", "/baseline/debug/pprof/profile?seconds=1")])

    def do_round(self):
        self.answer(302, b"", headers=[("Location", self.path)])

    def do_large(self):
        """Says how large it is."""
        self.send_response(200)
        self.send_header("Content-Length", str(4096 * MEBIBYTE))
        self.end_headers()
        self.pour()

    def do_endless(self):
        """Does not say it."""
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        self.pour()

    def pour(self):
        try:
            for _ in range(4096):
                self.wfile.write(bytes(MEBIBYTE))
        except OSError:
            pass
        self.close_connection = True

    def do_expands(self):
        self.answer(200, self.state.expands)

    def do_otherkind(self):
        self.answer(200, self.state.profile("baseline", "heap", 1))

    def do_nothingwaits(self):
        """No two profiles are equal: each has a string of its own (field 6) that nothing uses."""
        body = (self.state.fixtures / "bad" / "block-empty.pb.gz").read_bytes()
        body = gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body
        self.answer(200, gzip.compress(body + b"\x32\x02%02d" % self.state.count("nothingwaits")))

    def do_waitslater(self):
        """Nothing waits in the first window."""
        if self.state.count("waitslater") > 1:
            return self.good("baseline")
        return self.do_nothingwaits()

    def do_nosamples(self):
        # one sample type, no sample, string table: "", "cpu", "nanoseconds"
        body = b"\x0a\x04\x08\x01\x10\x02" + b"\x32\x00" + b"\x32\x03cpu" + b"\x32\x0bnanoseconds"
        self.answer(200, gzip.compress(body))

    def do_uncollected(self):
        """An allocs window in which Go's collector did not run: one sample type, no sample. Others are well."""
        if self.kind != "allocs":
            return self.good("canary")
        body = b"\x0a\x04\x08\x01\x10\x02" + b"\x32\x00" + b"\x32\x0balloc_space" + b"\x32\x05bytes"
        return self.answer(200, gzip.compress(body))

    do_uncollectedtoo = do_uncollected  # each address has only one name

    def do_uncollectedfirst(self):
        """The first window is so."""
        if self.kind != "allocs" or self.state.count("uncollectedfirst") > 1:
            return self.good("canary")
        return self.do_uncollected()

    def do_uncollectedlater(self):
        """All windows but the first are so."""
        if self.kind != "allocs" or self.state.count("uncollectedlater") == 1:
            return self.good("baseline")
        return self.do_uncollected()

    def do_collects(self):
        """A window of allocations takes its second."""
        time.sleep(1 if self.kind == "allocs" else 0)
        self.good("baseline")

    do_collectstoo = do_collects

    def do_collectsonce(self):
        """Busy when its collector is to run again."""
        if self.kind == "heap" and self.state.count("collectsonce") > 1:
            return self.say(503, "busy\n")
        return self.do_collects()

    def do_allocsonly(self):
        """Profiles of allocations alone are served."""
        if self.kind != "allocs":
            return self.say(404, "no such profile\n")
        time.sleep(1)
        return self.good("canary")

    def do_flaky(self):
        """Well in the first two rounds."""
        if self.state.count("flaky") > 2:
            return self.say(404, "gone\n")
        return self.good("canary")

    # ---- metrics

    def metrics(self, what, number):
        n = 1000 + 250 * number
        head = "# HELP http_requests_total requests\n# TYPE http_requests_total counter\n"
        both = 'http_requests_total{code="200",endpoint="/a"} %d\nhttp_requests_total{code="200",endpoint="/b"} %.1e\n'
        late = 'http_requests_total{code="500",endpoint="/a"} 7\n'
        started = "process_start_time_seconds 1.7e+09\n"
        return {
            "grows": head + both % (n, 2000 + 1000 * number) + late + started,
            "stuck": head + both % (1000, 2000) + late,
            "restarts": head + both % (3 if number % 2 else 5000, 2000),
            "open": "# TYPE http_requests counter\n# UNIT x y\nhttp_requests_total{endpoint=\"/a\\\"b\"} %d 1700000000.5 "
                    "# {trace_id=\"x\"} 1\nhttp_requests_created{endpoint=\"/a\\\"b\"} 1.7e9\n# EOF\n" % n,
            "gauge": "# TYPE http_requests_total gauge\nhttp_requests_total %d\n" % n,
            "page": "<html>no metrics here</html>",
        }[what]

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        parts = [p for p in url.path.split("/") if p]
        with self.state.lock:
            self.state.seen.append((time.monotonic(), self.path, self.headers.get("Authorization")))
        what = parts[0] if parts else ""
        self.kind = parts[-1] if parts else ""
        if what == "metrics" and len(parts) > 1:
            side = parts[2] if len(parts) > 2 else ""
            if parts[1] == "late":  # valid, and slow
                number = self.state.count(("late", side))
                time.sleep(0 if number <= 2 else 1.5)  # queried once before the first profile
                return self.say(200, "http_requests_total %d\n" % number)
            if parts[1] == "gone":
                return self.say(404, "no\n")
            return self.say(200, self.metrics(parts[1], self.state.count(("metrics", parts[1], side))))
        behaviour = getattr(self, "do_" + what, None)
        if behaviour is None or len(parts) < 2:
            return self.say(404, "404 page not found\n")
        return behaviour()


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # expected: clients of this server hang up


class ProxyPaths(http.server.BaseHTTPRequestHandler):
    """A proxy that leads each name to one server, and notes what it saw. `self.proxy` is its Proxy."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def refuse(self, status, text):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if text.startswith("<") else "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def is_refused(self):
        self.proxy.seen.append((self.command, self.path, dict(self.headers.items())))
        if self.proxy.answer is not None:
            self.refuse(*self.proxy.answer)
        return self.proxy.answer is not None

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if self.is_refused():
            return
        headers = {name: value for name, value in self.headers.items() if not name.lower().startswith("proxy-")}
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        request = urllib.request.Request("%s%s?%s" % (self.proxy.target, url.path, url.query), headers=headers)
        with direct.open(request) as found:
            body = found.read()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_CONNECT(self):
        if self.is_refused():
            return
        host, port = self.proxy.target.split("//")[1].split(":")
        with socket.create_connection((host, int(port))) as far:
            self.send_response(200)
            self.end_headers()
            back = threading.Thread(target=self.pass_on, args=(far, self.connection), daemon=True)
            back.start()
            self.pass_on(self.connection, far)
            back.join(5)
        self.close_connection = True

    @staticmethod
    def pass_on(come, go):
        try:
            while data := come.recv(65536):
                go.sendall(data)
            go.shutdown(socket.SHUT_WR)
        except OSError:
            pass


class Proxy:
    """A proxy on loopback to `target`, for any requested name. `answer`: (status, text) that it returns instead."""

    def __init__(self, target):
        self.target, self.answer, self.seen = target, None, []
        handler = type("Handler", (ProxyPaths,), {"proxy": self})
        server = Server(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        self.host = "127.0.0.1:%d" % server.server_address[1]


class UnixServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True

    def get_request(self):
        request, _ = super().get_request()
        return request, ("unix", 0)

    def handle_error(self, request, client_address):
        pass


def serve(state, certificate=None, path=None):
    """Begin to serve in a thread; the address. `certificate`: (file, key). `path`: of a unix socket."""
    handler = type("Handler", (Paths,), {"state": state})
    server = UnixServer(path, handler) if path else Server(("127.0.0.1", 0), handler)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    if path:
        return "unix://" + path
    return "%s://127.0.0.1:%d" % ("https" if certificate else "http", server.server_address[1])
