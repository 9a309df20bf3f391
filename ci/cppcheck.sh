#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cppcheck over gate/.
#   ci/cppcheck.sh                   every file, as the night does
#   ci/cppcheck.sh --changed MOST    files that changed, as ci/tidy.sh has them
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/has.sh
chosen_sources "$@"
[ "${#files[@]}" -gt 0 ] || exit 0
cppcheck -j "$(nproc)" --quiet --std=c11 --enable=warning,portability --inline-suppr --error-exitcode=1 \
  --suppress=normalCheckLevelMaxBranches --suppress=missingIncludeSystem -DGATE_VERSION='""' -I . "${files[@]}"
