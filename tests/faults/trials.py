# SPDX-License-Identifier: Apache-2.0
"""Scenarios of `pprofgate try`, each on its own repository: a command, a server, a bisection."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "trial"))
import repository  # noqa: E402
from live import verdict_of  # noqa: E402
from scenarios import Scenario, environment  # noqa: E402


class Try(Scenario):
    """Compare a revision with the working tree. The user's repository must not change, no process may be left running,
    and the next try must work with the cache that this one left."""
    varies = True

    def __init__(self, name, status, cost, *words):
        super().__init__(name, status, "try", "--cache", "ignored", "--json", "report.json", *words, "HEAD",
                         GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null", GIT_OPTIONAL_LOCKS="0")
        self.cost, self.template, self.whole = cost, None, None

    def fill(self, inputs, folder):
        made = repository.fake_repository(inputs.program, folder)
        made.write("cost", self.cost + "\n")
        return made

    def make(self, inputs):
        folder = inputs.place / self.name
        folder.mkdir()
        made = self.fill(inputs, folder)
        self.template, self.whole = made.folder, repository_files(made.folder)

    def prepare(self, place, inputs):
        if self.template is None:
            self.make(inputs)
        shutil.copytree(self.template, place, dirs_exist_ok=True, symlinks=True)

    def looks_after(self, name):
        return name != "report.json"

    def is_report(self, name):
        return name == "report.json"

    def is_same(self, name, data, expected):
        return verdict_of(data) == verdict_of(expected)

    def after(self, place, inputs, ended):
        running = runs_on(place)
        if running:
            return f"runs on: {running}"
        if repository_files(place) != self.whole:
            changed = {name for name, _ in set(repository_files(place).items()) ^ set(self.whole.items())}
            return f"changed in the user's repository: {sorted(changed)}"
        if ended.status == self.status:
            return None
        again = subprocess.run([inputs.program, *self.words(inputs)], capture_output=True, check=False, cwd=place,
                               env=environment() | self.environment)
        if again.returncode != self.status:
            return f"no other try works: {again.returncode}, {again.stderr.decode().strip()}"
        return None


class Server(Try):
    """The build is a server. Only one can run at a time, because its port is in the rules."""
    alone = threading.Lock()
    PROGRAM = """
import os, socket, sys
cost = open("cost").read().strip()
text = f"main;work;busy 100{len(os.environ['PPROFGATE_SIDE'])}\\nmain;work;slow {cost}\\nmain;idle 500\\n".encode()
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
while True:
    client, _ = server.accept()
    try:
        if client.recv(65536):
            head = b"HTTP/1.1 200 OK\\r\\nConnection: close\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(text)
            client.sendall(head + text)
    except OSError:
        pass
    client.close()
"""

    def fill(self, inputs, folder):
        port = repository.free_port()
        made = super().fill(inputs, folder)
        made.write("server.py", self.PROGRAM)
        made.write(".pprofgate.yml", repository.RULES + f"""
try:
  run: exec {sys.executable} -I -S server.py {port}
  profile: http://127.0.0.1:{port}/debug/pprof/profile
  load: echo did 50
  work: 'did (\\d+)'
  rounds: 1
  seconds: 1
  timeout: 25
""")
        made.git("add", "server.py")
        made.git("commit", "-q", "-m", "serves")
        return made


class Bisection(Try):
    """The second of three commits is the first slow one. It must be found, or none may be named."""

    def words(self, inputs):
        return [*super().words(inputs)[:-1], "--bisect", "HEAD~3", "HEAD"]

    def fill(self, inputs, folder):
        made = repository.fake_repository(inputs.program, folder)
        for i, cost in enumerate((101, 1502, 1503), 1):
            made.write("cost", f"{cost}\n")
            made.commit(f"change {i}")
        return made

    def is_told(self, ended):
        """A run of a commit was killed, or took too long by a clock that leapt. The commit itself may be the reason, so
        it is undecided."""
        why = (b"was killed by signal", b" took longer than ")
        return ended.status == 3 and b" skipped: " in ended.err and any(words in ended.err for words in why)

    def after(self, place, inputs, ended):
        if ended.status == self.status and b" change 2 (" not in ended.out or re.search(rb" change [13] \(", ended.out):
            return "another commit is named"
        return super().after(place, inputs, ended)


def repository_files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
            and path.relative_to(folder).parts[0] != "ignored" and not path.name.startswith("report.json")}


def runs_on(place):
    """Return the processes that still run in this folder, after up to 10 s: killed processes take time to end."""
    for _ in range(100):
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(entry / "cwd").startswith(str(place)):
                    found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
            except OSError:
                continue
        if not found:
            return []
        time.sleep(0.1)
    return found




def all_of(inputs):
    if not shutil.which("git"):
        return []
    return [Try("try_pass", 0, "120"), Try("try_fail", 1, "4000"), Server("try_server", 0, "120"),
            Bisection("try_bisect", 0, "100")]
