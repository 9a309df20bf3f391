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

# Builds these targets of the release build. Scripts that do so may run beside each other once all of it is built.
built() { # TARGET...
  [ -e build/release/build.ninja ] || cmake --preset release >/dev/null
  cmake --build --preset release --target "$@" -- --quiet
}
