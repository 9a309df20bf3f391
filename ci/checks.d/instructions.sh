#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a check of small pairs costs in instructions, counted by callgrind: the same on a busy machine and on an idle
# one, so that what makes the program slower is seen in the change that does it. Bounds are some 5 % above what is, as
# the C library and the lengths of paths add a little from machine to machine; who makes it faster lowers them. On
# x86-64, where they were counted.
set -euo pipefail
cd "$(dirname "$0")/../.."

. ci/has.sh
has valgrind || exit 0
if [ "$(uname -m)" != x86_64 ]; then
  echo "skipped: the bounds were counted on x86-64"
  exit 0
fi
built pprofgate synthetic
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# counted NAME MILLIONS BASELINE CANARY: sets millions, which may be MILLIONS at most.
counted() {
  local verdict=0
  valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file="$work/log" \
    build/release/pprofgate check --report "$work/report" "$3" "$4" >"$work/out" 2>&1 || verdict=$?
  if [ "$verdict" -gt 1 ] && [ "$verdict" -ne 3 ]; then
    cat "$work/out" "$work/log"
    exit 1
  fi
  millions=$(awk '/refs/ { gsub(",", ""); printf "%d", $NF / 1e6 }' "$work/log")
  echo "$1: $millions million instructions, at most $2"
  if [ "$millions" -gt "$2" ]; then
    echo "$1 costs more than it did: valgrind --tool=callgrind and callgrind_annotate say where" >&2
    status=1
  fi
}

# pair NAME SAMPLES LABELS
pair() {
  build/release/tests/bench/synthetic "$2" 42 4000 1 0 "$3" >"$work/$1.a"
  build/release/tests/bench/synthetic "$2" 42 4000 2 5 "$3" >"$work/$1.b"
}

pair 2k 2000 0
pair 4k 4000 0
pair labelled 2000 2
counted 'captured pair' 78 fixtures/go-service/cpu/baseline-1.pb.gz fixtures/go-service/cpu/regression-1.pb.gz
counted '2 k samples, labelled' 110 "$work/labelled.a" "$work/labelled.b"
counted '2 k samples' 106 "$work/2k.a" "$work/2k.b"
half=$millions
counted '4 k samples' 138 "$work/4k.a" "$work/4k.b"
if [ "$millions" -gt $((half * 2)) ]; then
  echo "twice the samples cost more than twice the instructions: $millions for $half million" >&2
  status=1
fi
exit $status
