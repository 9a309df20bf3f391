#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every call of the program and of the library that can fail, made to fail, one run each (tests/faults), then signals at
# random moments: some 40 000 runs, for the night. Of what a run calls very often some are drawn, others each night.
# It ends with what was run and how it ended; ctest runs a sample.
#   ci/faults.sh [--only SCENARIO] [--call CALL] [--jobs N] [--many N] [--seed N]
set -euo pipefail
cd "$(dirname "$0")/.."
seed=$(date +%Y%m%d)
cmake --preset release >/dev/null
cmake --build --preset release --target pprofgate faults faults_host -- --quiet
echo "draws by seed $seed, where no --seed is told"
python3 -B tests/faults/faults.py --all --seed "$seed" "$@" build/release/pprofgate \
  build/release/tests/faults/libfaults.so .
[[ $# -gt 0 ]] || python3 -B tests/faults/conditions.py build/release/pprofgate . \
  a_signal_at_any_moment_leaves_complete_or_no_files 25 "$seed"
