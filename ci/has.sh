# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by the checks.

# Whether programs are there that ci/packages.sh installs. Where not, that is said; in CI it ends the run, as a check
# that was skipped would look like one that passed.
has() { # PROGRAM...
  local program
  for program in "$@"; do
    if ! command -v "$program" >/dev/null; then
      echo "skipped: '$program' is missing" >&2
      [ "${CI:-}" != true ] || exit 1
      return 1
    fi
  done
}

# Sources of gate/ that can be compiled here, each on a line: all, or those that commits since a time or edits without a
# commit changed, with those that include a changed header.
sources() { git ls-files 'gate/*.c' | grep -vE '/system_(macos|wasi)\.c$'; }
changed_sources() { # WHEN
  local names
  names=$({ git log --since "$1" --name-only --format= -- gate; git diff --name-only HEAD -- gate; } | sort -u)
  sources | while IFS= read -r file; do
    if grep -qxF "$file" <<<"$names" ||
      { sed -n 's/^#include "\(gate\/[^"]*\)"/\1/p' "$file" | grep -qxFf <(printf '%s\n' "$names"); }; then
      echo "$file"
    fi
  done
}
# Puts into the array `files` what a check reads: all sources, or with --since those that changed.
chosen_sources() { # [--since WHEN]
  if [ "${1:-}" = --since ]; then
    mapfile -t files < <(changed_sources "$2")
  else
    mapfile -t files < <(sources)
  fi
  echo "${#files[@]} of $(sources | wc -l) files"
}

# Builds these targets of the release build. Scripts that do so may run beside each other once all of it is built.
built() { # TARGET...
  [ -e build/release/build.ninja ] || cmake --preset release >/dev/null
  cmake --build --preset release --target "$@" -- --quiet
}
