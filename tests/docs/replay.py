# SPDX-License-Identifier: Apache-2.0
"""A server on loopback that serves captured profiles as Go's net/http/pprof would, one after another, and a counter."""
import http.server
import pathlib
import sys
import threading
import urllib.parse

# side: kind of the captures of fixtures/go-service, and what they are called there
SIDES = {"baseline": "baseline", "canary": "regression", "refactored": "benign"}
RUNS = 3
REQUESTS_A_RUN = 13000


class Replay(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):  # noqa: N802 (the library's name)
        place = urllib.parse.urlparse(self.path)
        state = self.server.state
        if place.path == "/metrics":
            with state["lock"]:
                state["requests"] += REQUESTS_A_RUN
                text = f'# TYPE http_requests_total counter\nhttp_requests_total{{code="200"}} {state["requests"]}\n'
            self.reply(200, text.encode(), "text/plain; version=0.0.4")
        elif place.path == "/debug/pprof/profile":
            with state["lock"]:
                state["run"] = state["run"] % RUNS + 1
                path = state["cpu"] / f'{state["side"]}-{state["run"]}.pb.gz'
            self.reply(200, path.read_bytes(), "application/octet-stream")
        else:
            self.reply(404, b"not here\n", "text/plain")

    def reply(self, status, body, kind):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def serve(root, side):
    """Starts one; returns its address and what ends it. The side "store" is the stand-in of tests/stores."""
    if side == "store":
        sys.path.insert(0, str(pathlib.Path(root) / "tests/stores"))
        import stand_in
        return stand_in.serve(stand_in.State(pathlib.Path(root) / "fixtures")) + "/well", lambda: None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Replay)
    server.daemon_threads = True
    server.state = {"lock": threading.Lock(), "requests": 0, "run": 0, "side": SIDES[side],
                    "cpu": pathlib.Path(root) / "fixtures/go-service/cpu"}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}", server.shutdown
