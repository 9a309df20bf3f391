#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the command of Zig's compiler, which has the C libraries of WebAssembly and macOS.
#   packaging/zig.sh             prints the command in PPROFGATE_ZIG, or the program that was installed
#   packaging/zig.sh install     first installs the package `ziglang` of PyPI, unless the compiler is there
# Exit status 77: there is no such compiler.
set -euo pipefail
version=0.17.1
if [ -n "${PPROFGATE_ZIG:-}" ]; then
  echo "$PPROFGATE_ZIG"
  exit 0
fi
folder=${XDG_CACHE_HOME:-$HOME/.cache}/pprofgate/zig-$version
if [ "${1:-}" = install ] && [ ! -f "$folder/program" ]; then
  rm -rf "$folder"
  python3 -m venv "$folder"
  "$folder/bin/pip" install --quiet --disable-pip-version-check "ziglang==$version"
  # The program itself starts faster than Python's module that calls it.
  "$folder/bin/python" -c 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))' \
    >"$folder/program.new"
  mv "$folder/program.new" "$folder/program"
fi
if [ ! -f "$folder/program" ]; then
  echo "skipped: Zig's compiler is missing; 'bash packaging/zig.sh install' installs it; PPROFGATE_ZIG names one" >&2
  exit 77
fi
cat "$folder/program"
