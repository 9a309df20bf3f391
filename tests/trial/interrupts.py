# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C, and what runs leave behind."""
import os
import pathlib
import pty
import resource
import shutil
import signal
import subprocess

from repository import FAKE, PATIENCE, check, fake_repository, untouched, wait_for


def test_processes_left_by_a_run_are_killed(gate, folder):
    repository = fake_repository(gate, folder)
    repository.write("run.sh", FAKE + "sleep 1000 &\n(trap '' TERM HUP; sleep 1000) &\n", executable=True)
    before = repository.state()
    repository.run("try", "HEAD", expect=0)
    untouched(repository, before, "a run that leaves others behind")


def test_an_interrupt_ends_all_processes(gate, folder):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # SIGQUIT leaves none
    repository = fake_repository(gate, folder)
    began = pathlib.Path(folder) / "began"
    wait = f"if test \"$PPROFGATE_SIDE\" = canary; then sleep 1000 & touch '{began}'; sleep 1000; fi\n"
    repository.write("build.sh", "#!/bin/sh\n", executable=True)
    rules = (repository.folder / ".pprofgate.yml").read_text()
    repository.write(".pprofgate.yml", rules.replace("test -f run.sh", "./build.sh"))
    repository.commit("builds by a script")
    for script, number in (("build.sh", signal.SIGINT), ("run.sh", signal.SIGINT), ("run.sh", signal.SIGTERM),
                           ("run.sh", signal.SIGQUIT)):
        text = (repository.folder / script).read_text()
        repository.write(script, text + wait)
        repository.write("new file", "not known to git\n")
        repository.write("cost", "120\n")
        repository.git("add", "cost")
        before = repository.state()
        process = repository.start("try", "HEAD", "--json", "gone.json")
        wait_for(began, process)
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)
        check(process.returncode == -number and "interrupted" in err, (script, process.returncode, err))
        untouched(repository, before, f"{script} interrupted")
        began.unlink()
        repository.write(script, text)
    repository.run("try", "HEAD", expect=0)


def test_an_interrupt_on_a_terminal_ends_progress_and_processes(gate, folder):
    """Where a line of progress is shown, by a thread of its own; Ctrl-C goes to the whole group of the terminal."""
    repository = fake_repository(gate, folder)
    began = pathlib.Path(folder) / "began"
    repository.write("run.sh", FAKE + f"touch '{began}'; sleep 1000\n", executable=True)
    before = repository.state()
    master, slave = pty.openpty()
    process = subprocess.Popen([gate, "try", "HEAD"], cwd=repository.folder, start_new_session=True, stdin=slave,
                               stdout=slave, stderr=slave, env={**repository.environment, "TERM": "xterm"})
    os.close(slave)
    wait_for(began, process)
    os.killpg(process.pid, signal.SIGINT)
    check(process.wait(timeout=PATIENCE) == -signal.SIGINT, process.returncode)
    said = os.read(master, 65536).decode(errors="replace")
    os.close(master)
    check("interrupted" in said, said)
    untouched(repository, before, "a terminal's Ctrl-C")


def test_the_try_after_a_killed_one_restores_the_cache(gate, folder):
    """What cannot be put back is put back by the next one."""
    repository = fake_repository(gate, folder)
    began = pathlib.Path(folder) / "began"
    text = (repository.folder / "run.sh").read_text()
    repository.write("run.sh", text + f"if test \"$PPROFGATE_SIDE\" = canary; then touch '{began}'; sleep 30; fi\n")
    process = repository.start("try", "HEAD")
    wait_for(began, process)
    _, err = repository.run("try", "HEAD", expect=2)
    check("another try of this repository is running" in err, err)
    process.kill()
    process.communicate()
    repository.write("run.sh", text)
    repository.run("try", "HEAD", expect=0)
    for entry in next(repository.cache.rglob("repository.git")).parent.iterdir():
        if entry.name in ("baseline", "canary"):
            shutil.rmtree(entry)
    repository.run("try", "HEAD", expect=0)


def test_processes_of_a_killed_try_end(gate, folder):
    """SIGKILL, by a user or for lack of memory: processes that the run and the build started still end."""
    repository = fake_repository(gate, folder)
    began = pathlib.Path(folder) / "began"
    text = (repository.folder / "run.sh").read_text()
    repository.write("run.sh", text + f"(trap '' TERM HUP; sleep 1000) & touch '{began}'; sleep 1000\n")
    for stage in ("run", "build"):
        repository.commit(stage)
        before = repository.state()
        process = repository.start("try", "HEAD")
        wait_for(began, process)
        check(len(repository.processes()) > 1, f"the {stage} goes on")
        process.kill()
        process.communicate(timeout=PATIENCE)
        untouched(repository, before, f"a {stage}, killed")
        began.unlink()
        rules = (repository.folder / ".pprofgate.yml").read_text()
        repository.write(".pprofgate.yml", rules.replace("test -f run.sh", "PPROFGATE_PROFILE=/dev/null ./run.sh"))
