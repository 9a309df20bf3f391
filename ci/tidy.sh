#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy (.clang-tidy) over gate/, in the build that clang makes for fuzzing.
#   ci/tidy.sh                 every file
#   ci/tidy.sh --since WHEN    files that commits since then, or edits without a commit, changed; and those that include
#                              a changed header
# The analyzer follows a function for TIDY_NODES steps, by default 75000. ci/checks.sh takes 20000, in a third of the
# time, and the night 225000, which is clang's own default, in three times as long.
set -euo pipefail
cd "$(dirname "$0")/.."

# The system calls of macOS and WASI cannot be compiled here.
all() { git ls-files 'gate/*.c' | grep -vE '/system_(macos|wasi)\.c$'; }

changed() { # WHEN
  local names
  names=$({ git log --since "$1" --name-only --format= -- gate; git diff --name-only HEAD -- gate; } | sort -u)
  all | while IFS= read -r file; do
    if grep -qxF "$file" <<<"$names" ||
      { sed -n 's/^#include "\(gate\/[^"]*\)"/\1/p' "$file" | grep -qxFf <(printf '%s\n' "$names"); }; then
      echo "$file"
    fi
  done
}

if [ "${1:-}" = --since ]; then
  mapfile -t files < <(changed "$2")
else
  mapfile -t files < <(all)
fi
echo "${#files[@]} of $(all | wc -l) files"
[ "${#files[@]}" -gt 0 ] || exit 0
tidy=(clang-tidy --quiet -p build/fuzz)
for word in -Xclang -analyzer-config -Xclang "max-nodes=${TIDY_NODES:-75000}"; do
  tidy+=(--extra-arg="$word")
done
printf '%s\0' "${files[@]}" | xargs -0 -n 8 -P "$(nproc)" "${tidy[@]}" 2>/dev/null
