# SPDX-License-Identifier: Apache-2.0
"""Runs that are servers, whose profile is fetched."""
import json
import pathlib
import signal
import socket

from basics import AT_SECOND_CANARY
from repository import PATIENCE, RULES, Repository, check, free_port, untouched, wait_for

SERVER = """
#!/usr/bin/env python3
import http.server, os, sys, time
cost = open("cost").read().strip()
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        text = "main;work;busy 100%d\\nmain;work;slow %s\\nmain;idle 50%s\\n" % (
            len(os.environ["PPROFGATE_SIDE"]), cost, os.environ["PPROFGATE_ROUND"])
        if "profile" in self.path:
            time.sleep(0.2)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(text.encode())
    def log_message(self, *words):
        pass
time.sleep(0.2)
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def server_repository(gate, folder, port, load):
    repository = Repository(gate, folder)
    repository.write("server.py", SERVER, executable=True)
    repository.write("cost", "100\n")
    repository.write(".pprofgate.yml", RULES + f"""
try:
  run: exec python3 server.py {port}
  profile: http://127.0.0.1:{port}/debug/pprof/profile
  load: {load}
  rounds: 2
  seconds: 1
""")
    repository.commit("good")
    return repository


def test_the_server_is_profiled_under_load(gate, folder):
    port = free_port()
    repository = server_repository(gate, folder, port, "'sleep 0.1; echo did 50'\n  work: 'did (\\d+)'")
    before = repository.state()
    repository.run("try", "HEAD", "-o", str(pathlib.Path(folder) / "kept"), expect=0)
    manifest = json.loads((pathlib.Path(folder) / "kept/manifest.json").read_text())
    check(all(run["work"] == 50 for run in manifest["runs"]), manifest)
    untouched(repository, before, "a server")
    repository.write("cost", "1500\n")
    before = repository.state()
    repository.run("try", "HEAD", expect=1)
    untouched(repository, before, "a server that fails")


def test_errors_of_the_server_or_load_are_reported(gate, folder):
    port = free_port()
    repository = server_repository(gate, folder, port, "'echo no load >&2; exit 4'")
    _, err = repository.run("try", "HEAD", expect=2)
    check("'load' ended with status 4" in err and "no load" in err, err)
    repository.write("server.py", "import sys\nsys.exit('cannot listen')\n")
    _, err = repository.run("try", "HEAD", "--canary", "HEAD", expect=2)
    check("'load'" in err, err)
    repository.commit("broken")
    _, err = repository.run("try", "HEAD", expect=2)
    check("before it was ready" in err and "cannot listen" in err, err)
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        _, err = repository.run("try", "HEAD", expect=2)
        check("something answers at" in err, err)


def test_invalid_server_addresses_are_refused_at_once(gate, folder):
    """Invalid addresses are reported before anything waits for them; an address with a duration is used unchanged."""
    port = free_port()
    repository = server_repository(gate, folder, port, "'true'")
    rules = (repository.folder / ".pprofgate.yml").read_text()
    check("pprof/profile" in rules, rules)
    repository.write(".pprofgate.yml", rules + "  ready: nowhere\n")
    _, err = repository.run("try", "HEAD", expect=2)
    check("expects HOST:PORT" in err and "found 'nowhere'" in err, err)
    repository.write(".pprofgate.yml", rules.replace("debug/pprof/profile", "profile?seconds=1&a=b"))
    repository.run("try", "HEAD", "--rounds", "1")
    repository.write(".pprofgate.yml", rules.replace(
        f"http://127.0.0.1:{port}/debug", f"http://127.0.0.1:{port}x/debug") + f"  ready: 127.0.0.1:{port}\n")
    _, err = repository.run("try", "HEAD", "--rounds", "1", expect=2)
    check(f"{port}x" in err, err)


def test_messages_hide_secrets_of_server_addresses(gate, folder):
    """Messages show an address without user, password and token, whatever the error."""
    port = free_port()

    def address(path):
        return f"http://ada:pa55%2Dw0rd@127.0.0.1:{port}/{path}?token=tok-3f9a1c77"

    def tried(profile, ready, *texts):
        repository.write(".pprofgate.yml", RULES + f"""
try:
  run: exec python3 server.py {port}
  profile: {address(profile)}
  ready: {address(ready)}
  rounds: 1
  seconds: 1
  timeout: 2
""")
        out, err = repository.run("try", "HEAD", "--canary", "HEAD", expect=2)
        for text in texts:
            check(text in err, (text, err))
        for secret in ("ada:", "pa55", "tok-3f9a1c77", "YWRhOnBhNTUtdzByZA=="):
            check(secret not in out + err, (secret, out, err))

    repository = server_repository(gate, folder, port, "sleep 9")
    repository.write("server.py", SERVER.replace("self.send_response(200)\n        self.end_headers()", """
        if "gone" in self.path:
            text = self.path + " of " + self.headers["Authorization"]
        self.send_response(404 if "gone" in self.path else 200)
        self.end_headers()""".strip()), executable=True)
    repository.commit("answers some")
    tried("gone", "ready", f"no profile came from http://127.0.0.1:{port}/gone?token=***: HTTP 404", "of Basic ***")
    tried("profile", "gone", f"did not answer at http://127.0.0.1:{port}/gone?token=*** within 2 seconds")
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        repository.write(".pprofgate.yml", RULES + f"""
try: {{run: 'true', profile: '{address("profile")}', rounds: 1, seconds: 1}}
""")
        _, err = repository.run("try", "HEAD", "--canary", "HEAD", expect=2)
        check("something answers at 127.0.0.1" in err and "ada:" not in err, err)


def test_a_busy_port_skips_no_commit_of_a_bisection(gate, folder):
    """Somebody takes the port in the middle of a bisection: no commit is skipped for it."""
    port = free_port()
    repository = server_repository(gate, folder, port, "'true'")
    good = repository.git("rev-parse", "HEAD").strip()
    for i in range(1, 6):
        repository.write("cost", f"{1500 + i if i >= 3 else 100 + i}\n")
        repository.commit(f"change {i}")
    seen = pathlib.Path(folder) / "seen"
    repository.environment["SEEN"] = str(seen)
    rules = (repository.folder / ".pprofgate.yml").read_text()
    repository.write(".pprofgate.yml", rules + "  build: " + AT_SECOND_CANARY +
                     '\n    while test -e "$SEEN" && test ! -e "$SEEN.taken"; do sleep 0.05; done\n')
    process = repository.start("try", "--bisect", good, "HEAD")
    wait_for(seen, process)
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        pathlib.Path(f"{seen}.taken").touch()
        out, err = process.communicate(timeout=PATIENCE)
    check(process.returncode == 2 and "something answers at" in err, (process.returncode, out, err))
    check("skipped" not in err and "one of these" not in out, (out, err))


def test_an_interrupt_ends_the_server(gate, folder):
    port = free_port()
    repository = server_repository(gate, folder, port, "sleep 1000")
    began = pathlib.Path(folder) / "began"
    repository.write("server.py", SERVER.replace("time.sleep(0.2)\n        self", f"open({str(began)!r}, 'w'); "
                                                 "time.sleep(1000)\n        self"))
    rules = (repository.folder / ".pprofgate.yml").read_text()
    repository.write(".pprofgate.yml", rules.replace("pprof/profile", "pprof/profile?seconds=1000"))
    repository.commit("hangs")
    before = repository.state()
    process = repository.start("try", "HEAD")
    wait_for(began, process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    check(process.returncode == -signal.SIGINT and "interrupted" in err, (process.returncode, err))
    untouched(repository, before, "a server's profile interrupted")
