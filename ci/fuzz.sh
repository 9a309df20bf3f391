#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every fuzz target of the fuzz preset for some seconds each, from its seeds and from tests/fuzz/corpus.
#   ci/fuzz.sh [SECONDS [TARGET...]]
#   ci/fuzz.sh --changed MOST SECONDS     at most MOST targets: those of files that changed, the newest change first
# FUZZ_SEED=N draws the same inputs again, as .ci/run does: whether a change lands is no matter of luck; nights are.
# What is found goes to build/fuzz/found: a crash there fails the run, and belongs into tests/fuzz/corpus once fixed.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/has.sh
# A target is of the headers that it includes, and of the sources beside those.
changed_targets() {
  changed_files gate tests/fuzz | while IFS= read -r file; do
    case $file in
      tests/fuzz/fuzz_*.c) [ ! -f "$file" ] || echo "$file" ;;
      gate/*) grep -lF "\"${file%.*}.h\"" tests/fuzz/fuzz_*.c || true ;;
    esac
  done | sed 's|^tests/fuzz/\(.*\)\.c$|\1|' | awk '!seen[$0]++'
}
targets=()
if [ "${1:-}" = --changed ]; then
  mapfile -t targets < <(changed_targets | head -n "$2")
  shift 2
  echo "${#targets[@]} targets"
  [ "${#targets[@]}" -gt 0 ] || exit 0
fi
seconds=${1:-20}
shift || true
[ "${#targets[@]}" -gt 0 ] || targets=("$@")
if [ "${#targets[@]}" -eq 0 ]; then
  for source in tests/fuzz/fuzz_*.c; do
    targets+=("$(basename "$source" .c)")
  done
fi

found=build/fuzz/found
mkdir -p "$found"
run_target() {
  local name=$1 subject=${1#fuzz_} dictionary=() options=() inputs
  inputs=("build/fuzz/grown/$subject" "build/fuzz/tests/fuzz/seeds/$subject")
  [ ! -d "tests/fuzz/corpus/$subject" ] || inputs+=("tests/fuzz/corpus/$subject")
  [ ! -f "tests/fuzz/$subject.dict" ] || dictionary=(-dict="tests/fuzz/$subject.dict")
  case $subject in
    cpuprofile | flamebearer | gecko | heapprofile | manifest | speedscope | trace_events)
      dictionary=(-dict=tests/fuzz/json.dict)
      ;;
  esac
  if [ -f "tests/fuzz/$subject.options" ]; then
    mapfile -t options < <(sed -n 's/^\([a-z_]*\) = \(.*\)$/-\1=\2/p' "tests/fuzz/$subject.options")
  fi
  mkdir -p "build/fuzz/grown/$subject"
  if ! "build/fuzz/tests/fuzz/$name" -max_total_time="$seconds" -seed="${FUZZ_SEED:-0}" -timeout=10 \
    -rss_limit_mb=4096 -max_len=65536 -artifact_prefix="$found/$subject-" \
    "${options[@]}" "${dictionary[@]}" "${inputs[@]}" \
    >"build/fuzz/$subject.log" 2>&1; then
    echo "$name: FAILED"
    tail -n 40 "build/fuzz/$subject.log"
    return 1
  fi
  echo "$name: $(grep -Eo 'Done [0-9]+ runs.*' "build/fuzz/$subject.log" | tail -n 1)"
}
export -f run_target
export seconds found
# shellcheck disable=SC2016 # the inner shell expands it
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c 'set -euo pipefail; run_target "$1"' _ {}
