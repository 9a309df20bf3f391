#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each place that asks the system for something is refused once (tests/refusals), in the build that corpora.sh made: a
# sanitizer has no room for these wrappers, and an optimised build no frame pointers to tell places by.
set -euo pipefail
cd "$(dirname "$0")/../.."
. ci/has.sh
has gcov python3 git || exit 0
cmake --preset coverage >/dev/null
cmake --build --preset coverage --target pprofgate refuse_calls -- --quiet
ctest --preset coverage -j "$(nproc)" --output-on-failure -R '^refusals\..*calls$'
