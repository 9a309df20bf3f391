#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes files with the profilers on the path, and shows that each one that is not read is refused by name.

usage: refused.py PROGRAM [FOLDER]

FOLDER has programs of a virtual environment with memray, py-spy, line_profiler, viztracer, yappi and pyinstrument;
without it those of the path are used. What is missing is left out, and so named. Python's own cProfile always runs.
Prints a row a file; exit status 1 if a file is read that should not be, or is refused without its name."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

PROGRAM = """import sys
import time
def price(n):
    return sum(i * i for i in range(n))
def serve(until):
    while time.process_time() < until:
        price(500)
serve(time.process_time() + 1)
"""

JAVA = "public class Idle { public static void main(String[] args) throws Exception { Thread.sleep(60000); } }\n"

# (program, arguments, file, part of the message); the program runs in a folder with shop.py.
ROWS = [
    (sys.executable, ["-m", "cProfile", "-o", "shop.prof", "shop.py"], "shop.prof", "pstats of Python"),
    ("kernprof", ["-l", "-o", "shop.lprof", "shop.py"], "shop.lprof", "a pickle of Python"),
    ("viztracer", ["--quiet", "-o", "viztracer.json", "shop.py"], "viztracer.json", "a trace of VizTracer"),
    ("yappi", ["-f", "pstat", "-o", "yappi.pstat", "shop.py"], "yappi.pstat", "pstats of Python"),
    ("memray", ["run", "-q", "-f", "-o", "memray.bin", "shop.py"], "memray.bin", "a memray capture"),
    ("memray", ["flamegraph", "-f", "-o", "memray.html", "memray.bin"], "memray.html", "an HTML report of memray"),
    ("py-spy", ["record", "-f", "flamegraph", "-o", "py-spy.svg", "--", sys.executable, "shop.py"], "py-spy.svg",
     "a drawn graph (SVG)"),
    ("py-spy", ["record", "-f", "chrometrace", "-o", "py-spy.json", "--", sys.executable, "shop.py"], "py-spy.json",
     "a trace of py-spy"),
    ("pyinstrument", ["-r", "html", "-o", "pyinstrument.html", "shop.py"], "pyinstrument.html",
     "a report of pyinstrument"),
    ("pyinstrument", ["-r", "text", "-o", "pyinstrument.txt", "shop.py"], "pyinstrument.txt",
     "a report of pyinstrument"),
    ("pyinstrument", ["-r", "session", "-o", "pyinstrument.session", "shop.py"], "pyinstrument.session",
     "a session of pyinstrument"),
    ("pyinstrument", ["-r", "pstats", "-o", "pyinstrument.pstats", "shop.py"], "pyinstrument.pstats",
     "pstats of Python"),
]


def refusal(program, path):
    got = subprocess.run([program, "inspect", path], capture_output=True, text=True, check=False)
    return got.stderr.strip() if got.returncode == 2 else f"read, exit status {got.returncode}"


def path_of(name):
    folders = [sys.argv[2], os.environ["PATH"]] if len(sys.argv) == 3 else [os.environ["PATH"]]
    return shutil.which(name, path=os.pathsep.join(folders))


def of_jvm(folder):
    """Yield (file, part of the message) of a thread dump, a class histogram and a heap dump."""
    if not (shutil.which("java") and shutil.which("jstack") and shutil.which("jcmd")):
        print("no java, jstack and jcmd: left out")
        return
    (folder / "Idle.java").write_text(JAVA)
    subprocess.run(["javac", "Idle.java"], cwd=folder, check=True)
    with subprocess.Popen(["java", "-cp", ".", "Idle"], cwd=folder) as java:
        try:
            heap = folder / "idle.hprof"
            for name, command in (("threads.txt", ["jstack", str(java.pid)]),
                                  ("classes.txt", ["jcmd", str(java.pid), "GC.class_histogram"]),
                                  ("heap.txt", ["jcmd", str(java.pid), "GC.heap_dump", str(heap)])):
                for _ in range(20):  # until it answers
                    got = subprocess.run(command, capture_output=True, check=False)
                    if got.returncode == 0:
                        break
                (folder / name).write_bytes(got.stdout)
        finally:
            java.send_signal(signal.SIGKILL)
    yield "threads.txt", "a thread dump of the JVM"
    yield "classes.txt", "a class histogram of the JVM"
    yield "idle.hprof", "a heap dump of the JVM"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    program, failed = os.path.abspath(sys.argv[1]), False
    with tempfile.TemporaryDirectory() as name:
        folder, rows = pathlib.Path(name), []
        (folder / "shop.py").write_text(PROGRAM)
        for tool, arguments, file, part in ROWS:
            if path_of(tool) is None:
                print(f"no {tool}: {file} left out")
                continue
            ran = subprocess.run([path_of(tool), *arguments], cwd=folder, check=False, capture_output=True, text=True)
            if not (folder / file).exists():
                print(f"{tool} ended with status {ran.returncode}:\n{ran.stdout}{ran.stderr}")
            rows.append((file, part))
        rows += of_jvm(folder)
        for file, part in rows:
            got = refusal(program, folder / file) if (folder / file).exists() else "was not made"
            failed |= part not in got
            print(f"{'as it should be' if part in got else 'WRONG':16} {file:22} {got.split(': ', 2)[-1][:90]}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
