#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests with gcov's counters and prints which part of each room's lines and branches they execute. Fails where
# a room has less than ci/coverage.txt says. Takes about fifteen minutes; arguments go to ctest (-R REGEX, -E REGEX).
#   ci/coverage.sh --corpora   only the fuzz targets, over their seeds, tests/fuzz/corpus and tests/rules; the floors
#                              are those of tests/fuzz/coverage.txt. Seconds, once it is built
set -euo pipefail
cd "$(dirname "$0")/.."

# A folder of its own, so that counters of the tests stay; gcov wants the notes of the compiler beside them.
corpora() {
  local program subject inputs counters=$PWD/build/coverage/corpora
  rm -rf "$counters"
  export GCOV_PREFIX=$counters
  for program in tests/fuzz/fuzz_*.c; do
    subject=$(basename "$program" .c)
    subject=${subject#fuzz_}
    inputs=("build/coverage/tests/fuzz/seeds/$subject")
    [ ! -d "tests/fuzz/corpus/$subject" ] || inputs+=("tests/fuzz/corpus/$subject")
    "build/coverage/tests/fuzz/fuzz_$subject" "${inputs[@]}" >/dev/null
  done
  for program in accept reject; do
    build/coverage/tests/fuzz/fuzz_rules "tests/rules/$program" >/dev/null
  done
  (cd build/coverage && find gate -name '*.gcno' -print0) | while IFS= read -r -d '' program; do
    mkdir -p "$(dirname "$counters$PWD/build/coverage/$program")"
    ln -sf "$PWD/build/coverage/$program" "$counters$PWD/build/coverage/$program"
  done
  ci/coverage.py --only "$counters" tests/fuzz/coverage.txt
}

bash ci/packages.sh
cmake --preset coverage >/dev/null
if [ "${1:-}" = --corpora ]; then
  targets=()
  for source in tests/fuzz/fuzz_*.c; do
    targets+=("$(basename "$source" .c)")
  done
  cmake --build --preset coverage --target "${targets[@]}" -- --quiet
  corpora
  exit
fi
cmake --build --preset coverage -- --quiet
find build/coverage -name '*.gcda' -delete
status=0
ctest --preset coverage -j "$(nproc)" "$@" >build/coverage/tests.log || status=$?
tail -n 3 build/coverage/tests.log
ci/coverage.py build/coverage ci/coverage.txt
exit $status
