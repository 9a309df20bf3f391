#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests with gcov's counters and prints which part of each room's lines and branches they execute. Fails where
# a room has less than ci/coverage.txt says. Takes about ten minutes; arguments go to ctest (-R REGEX, -E REGEX).
set -euo pipefail
cd "$(dirname "$0")/.."
bash ci/packages.sh
cmake --preset coverage >/dev/null
cmake --build --preset coverage -- --quiet
find build/coverage -name '*.gcda' -delete
status=0
ctest --preset coverage -j "$(nproc)" "$@" >build/coverage/tests.log || status=$?
tail -n 3 build/coverage/tests.log
ci/coverage.py build/coverage ci/coverage.txt
exit $status
