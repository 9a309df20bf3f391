#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every command that has threads under ThreadSanitizer, on captured runs and a synthetic pair of 100 000 samples. A
# race fails the run. Two minutes; for the night.
set -euo pipefail
cd "$(dirname "$0")/.."
bash ci/packages.sh
cmake -S . -B build/threads -G Ninja -DCMAKE_BUILD_TYPE=Debug -DPPROFGATE_HARDEN=OFF \
  -DCMAKE_C_FLAGS="-O1 -fsanitize=thread -fno-omit-frame-pointer" >/dev/null
cmake --build build/threads --target pprofgate synthetic -- --quiet
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cpu=$PWD/fixtures/go-service/cpu
many=("$cpu"/baseline-*.pb.gz)
export TSAN_OPTIONS="exitcode=66 halt_on_error=1"

run() { # STATUS WORDS...
  local status=0
  build/threads/pprofgate "${@:2}" >"$work/out" 2>"$work/err" || status=$?
  if [ "$status" -ne "$1" ]; then
    echo "pprofgate ${*:2}: expected status $1, found $status" >&2
    cat "$work/err" >&2
    exit 1
  fi
  echo "ok: pprofgate $2"
}

build/threads/tests/bench/synthetic 100000 42 200000 1 0 >"$work/a"
build/threads/tests/bench/synthetic 100000 42 200000 2 8 >"$work/b"
run 1 check --report "$work/large" "$work/a" "$work/b"
run 1 check --report "$work/small" --by endpoint --baseline "${many[@]}" --canary "$cpu"/regression-*.pb.gz
run 0 diff --html "$work/diff.html" "$work/a" "$work/b"
run 0 explain recommended "$cpu/baseline-1.pb.gz" "$cpu/regression-1.pb.gz"
run 0 calibrate -o "$work/noise.yml" "${many[@]}"
run 0 prove --draws 3 "${many[@]}"
run 3 trend "${many[@]}" # too few builds to decide
run 0 init -o "$work/rules.yml" "${many[@]}"
run 0 merge -o "$work/merged.pb.gz" "${many[@]}"
