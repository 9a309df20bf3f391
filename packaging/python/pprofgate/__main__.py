# SPDX-License-Identifier: Apache-2.0
"""Runs the program with this process's arguments, environment, folder and streams.

It is pprofgate.wasm where the wheel has it, else the native program.
"""
from __future__ import annotations

import os
import signal
import sys
from typing import Any

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pprofgate.wasm")


def configuration(wasmtime: Any) -> Any:
    """What the program sees of this process."""
    wasi = wasmtime.WasiConfig()
    wasi.argv = ["pprofgate"] + sys.argv[1:]
    # A Windows path has a drive, which WASI does not have: there only files below the working folder are reached.
    is_windows = sys.platform == "win32"
    environment = dict(os.environ, PWD="/" if is_windows else os.getcwd())
    wasi.env = list(environment.items())
    wasi.preopen_dir("." if is_windows else "/", "/")
    wasi.inherit_stdin()
    wasi.inherit_stdout()
    wasi.inherit_stderr()
    return wasi


def run(wasmtime: Any) -> int:
    """Runs the program, and returns its exit status."""
    settings = wasmtime.Config()
    settings.cache = True  # compiled once per user and version
    store = wasmtime.Store(wasmtime.Engine(settings))
    store.set_wasi(configuration(wasmtime))
    linker = wasmtime.Linker(store.engine)
    linker.define_wasi()
    instance = linker.instantiate(store, wasmtime.Module.from_file(store.engine, PROGRAM))
    try:
        instance.exports(store)["_start"](store)
    except wasmtime.ExitTrap as ended:
        return int(ended.code)
    return 0


def run_native() -> int:
    """Replaces this process by the native program."""
    from . import _program
    found = _program.find()
    if found is None:
        print("pprofgate: the program pprofgate is not installed for this interpreter and not on PATH", file=sys.stderr)
        return 2
    os.execv(found.words[0], [*found.words, *sys.argv[1:]])


def main() -> int:
    if not os.path.exists(PROGRAM):
        return run_native()
    try:
        import wasmtime
    except ImportError as error:
        print(f"pprofgate: there is no native program for this machine, and the WebAssembly build needs the package "
              f"'wasmtime' ({error}): pip install 'pprofgate[wasm]'", file=sys.stderr)
        return 2
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Python's own handler would wait for the program's end
    return run(wasmtime)


if __name__ == "__main__":
    sys.exit(main())
