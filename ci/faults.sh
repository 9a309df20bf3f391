#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every call of the program that can fail, made to fail, one run each (tests/faults): some 22 000 runs, for the night.
# It ends with what was run and how it ended; ctest runs a sample.
#   ci/faults.sh [--only SCENARIO] [--call CALL]
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset release >/dev/null
cmake --build --preset release --target pprofgate faults faults_host -- --quiet
python3 -B tests/faults/faults.py --all "$@" build/release/pprofgate build/release/tests/faults/libfaults.so .
