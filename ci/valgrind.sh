#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every end-to-end case under valgrind's memcheck, for the night: what is read before it is written, read or written
# past its end or after it was freed, and what is never freed. A case that does so fails. Patterns are interpreted:
# PCRE2's compiled ones read past the end of a text on purpose, within a word of the machine, and do not use it.
#   ci/valgrind.sh [REGEX]     the cases whose names match (default: all)
set -euo pipefail
cd "$(dirname "$0")/.."
command -v valgrind >/dev/null || { echo "valgrind.sh: valgrind is not installed; ci/packages.sh checks" >&2; exit 2; }
# Optimised a little: half the time, and lines are still those of the source.
cmake -S . -B build/valgrind -G Ninja -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_C_FLAGS="-O1 -DGATE_WITHOUT_JIT" -DCMAKE_CROSSCOMPILING_EMULATOR="$(
  printf '%s;' "$(command -v valgrind)" --quiet --error-exitcode=99 --leak-check=full \
    --errors-for-leak-kinds=definite,possible --show-leak-kinds=definite,possible --fair-sched=yes
)--child-silent-after-fork=yes" >/dev/null
cmake --build build/valgrind --target run_case -- --quiet
ctest --test-dir build/valgrind --output-on-failure -j"${JOBS:-$(nproc)}" --timeout 1800 -R "^case\\.${1:-}"
