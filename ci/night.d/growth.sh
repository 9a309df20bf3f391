#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Twice of a thing costs no more than twice: instructions, which no other load changes. Needs valgrind and python3.
set -euo pipefail
cd "$(dirname "$0")/../.."
. ci/has.sh
has valgrind python3 || exit 0
built pprofgate
python3 -B tests/bench/sweep.py --instructions build/release/pprofgate
