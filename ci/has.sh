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
