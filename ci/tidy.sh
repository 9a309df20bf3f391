#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy (.clang-tidy) over gate/, in the build that clang makes for fuzzing.
#   ci/tidy.sh                 every file
#   ci/tidy.sh --changed MOST  at most MOST files that the last commits, or edits without a commit, changed, the newest
#                              change first, and then those that include a changed header (ci/has.sh)
# The analyzer follows a function for TIDY_NODES steps, by default 75000. ci/checks.sh takes 20000, in a third of the
# time, and the night 225000, which is clang's own default, in three times as long.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/has.sh
chosen_sources "$@"
[ "${#files[@]}" -gt 0 ] || exit 0
tidy=(clang-tidy --quiet -p build/fuzz)
for word in -Xclang -analyzer-config -Xclang "max-nodes=${TIDY_NODES:-75000}"; do
  tidy+=(--extra-arg="$word")
done
printf '%s\0' "${files[@]}" | xargs -0 -n 8 -P "$(nproc)" "${tidy[@]}" 2>/dev/null
