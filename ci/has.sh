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

# What the last commits changed, and edits without a commit: the newest change first. Counted in commits, so that equal
# checkouts have equal checks, whenever they are made. The night looks at everything.
commits_of_a_change=30 # more than land at once
changed_files() { # PATH...
  {
    git diff --name-only HEAD -- "$@"
    git rev-list -n $commits_of_a_change HEAD | git log --no-walk --stdin --name-only --format= -- "$@"
  } | awk '!seen[$0]++'
}
# Whether a change touches these paths, so that a step about them alone has something to find.
touched() { # PATH...
  [ -n "$(changed_files "$@")" ]
}

# Sources of gate/ that can be compiled here, each on a line: all, or those that changed, the newest change first, and
# then those that include a changed header.
sources() { git ls-files 'gate/*.c' | grep -vE '/system_(macos|wasi)\.c$'; }
changed_sources() {
  local names
  names=$(changed_files gate)
  {
    grep -xFf <(sources) <<<"$names" || true
    # shellcheck disable=SC2046,SC2086 # no source has a space in its name
    grep -lFf <(printf '#include "%s"\n' $names) $(sources) || true
  } | awk '!seen[$0]++'
}
# Puts into the array `files` what a check reads: all sources, or with --changed at most so many of those that changed.
chosen_sources() { # [--changed MOST]
  if [ "${1:-}" = --changed ]; then
    mapfile -t files < <(changed_sources | head -n "$2")
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
