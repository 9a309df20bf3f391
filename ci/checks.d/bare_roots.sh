#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the README's two commands on a bare Debian: in a clone of HEAD, as root, with no git identity. Fails if a root
# cannot be created, if a command fails, and if the second one takes too long.
#   bare_roots.sh        Debian 12, which has no git, like the machine of someone who unpacked an archive, and gets it
#                        from ci/packages.sh. Of the tests every sixth, since .ci/run has run them all beside it: what
#                        a bare machine lacks, more than one of them needs
#   bare_roots.sh all    for the night: every test, there and on Debian 13 with git, like the machine of someone who
#                        cloned
# PPROFGATE_MIRROR is the address below which `debian` is; without it, the address comes from this machine's apt.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds_on_two_cores=180

# Run COMMAND in the clone in ROOT, and print how long it took.
timed() { # NAME ROOT COMMAND
  local TIMEFORMAT='%R %U %S' log=$work/$1.log status=0
  { time chroot "$2" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root bash -c "cd /pprofgate && $3" \
    >>"$log" 2>&1 9>&- || status=$?; } 2>"$work/$1.time"
  awk -v what="$1: $3" '{ printf "%s: %d s, %d s of processor time\n", what, $1, $2 + $3 }' "$work/$1.time" \
    >>"$work/times"
  return $status
}

# Called by mmdebstrap with the folder of the new root, in which it mounted /proc and /dev.
commands_in() { # NAME ROOT TESTS
  git clone --quiet . "$2/pprofgate"
  timed "$1" "$2" "bash ci/quickstart.sh"
  flock 9 # one after the other, since some tests wait for programs
  timed "$1" "$2" "bash ci/test.sh$3"
  # Compare processor time, since the machine may have other work.
  awk -v most=$((2 * seconds_on_two_cores)) '{ exit $2 + $3 > most }' "$work/$1.time" || {
    echo "$1: expected that 'bash ci/test.sh' takes at most $seconds_on_two_cores s on 2 cores; label tests as slow" >&2
    return 1
  }
}

if [ "${1:-}" = --commands ]; then # WORK NAME TESTS ROOT
  work=$2
  exec 9>"$work/lock"
  commands_in "$3" "$5" "$4"
  exit
fi

# shellcheck disable=SC2016 # apt's own variables
mirror=${PPROFGATE_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
  sed -n 's|^\(.*\)/debian/*$|\1|p' | head -1)}
if [ -z "$mirror" ]; then
  echo "no Debian root can be created: this machine's apt has no Debian mirror; set PPROFGATE_MIRROR" >&2
  exit 1
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/pprofgate-roots.XXXXXX")
trap 'rm -rf "$work"' EXIT

create() { # NAME SUITE OPTIONS...
  mmdebstrap --quiet --variant=minbase --format=null --keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
    --customize-hook="bash '$PWD/ci/checks.d/bare_roots.sh' --commands '$work' '$1' '$tests' \"\$1\"" "${@:3}" \
    "$2" /dev/null "$mirror/debian" 2>"$work/$1.errors"
}

status=0
case ${1:-} in
  '')
    tests=" sixth"
    create "Debian 12" bookworm || status=$?
    ;;
  all)
    tests=
    create "Debian 12" bookworm || status=$?
    create "Debian 13" trixie --include=git || status=$?
    ;;
  *)
    echo "bare_roots.sh: expected nothing or all, found '$1'" >&2
    exit 2
    ;;
esac
cat "$work/times" || true
if [ $status -ne 0 ]; then
  echo "the README's commands failed on a bare Debian; what they and mmdebstrap printed:" >&2
  tail -n 100 "$work"/*.errors "$work"/*.log >&2 || true
  grep -a -H -A 30 'Failed  ' "$work"/*.log >&2 || true
fi
exit $status
