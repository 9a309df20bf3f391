#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs the tests. Takes a CMake preset (release by default; sanitize is what CI runs as well).
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}

bash ci/packages.sh
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" -- --quiet
status=0
failed=build/$preset/Testing/Temporary/LastTestsFailed.log
ctest --preset "$preset" -j "$(nproc)" -LE measures || status=$?
# Three or fewer may have met a busy moment, and are run once more, alone: what passes then is named, for it is to be
# mended too.
if [ "$status" -ne 0 ] && [ -s "$failed" ] && [ "$(wc -l <"$failed")" -le 3 ]; then
  cp "$failed" "build/$preset/passed-late"
  status=0
  ctest --preset "$preset" --rerun-failed || status=$?
  [ "$status" -ne 0 ] || { echo "passed at the second try alone:"; cat "build/$preset/passed-late"; }
fi
# What measures real programs, or waits for one that is late, meets a busy moment of the machine now and then: three
# tries. What fails in all of them is no chance.
ctest --preset "$preset" -j "$(nproc)" -L measures --repeat until-pass:3 || status=$?
exit "$status"
