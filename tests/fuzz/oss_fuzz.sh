#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds every fuzz target in the manner of OSS-Fuzz: CC, CFLAGS and LIB_FUZZING_ENGINE from the environment, programs,
# seeds and dictionaries into $OUT. Without them: clang's own fuzzer, into build/oss-fuzz/out.
set -euo pipefail
shopt -s nullglob
cd "$(dirname "$0")/../.."
work=${WORK:-$PWD/build/oss-fuzz}
out=${OUT:-$work/out}
engine=${LIB_FUZZING_ENGINE:--fsanitize=fuzzer}
export CC=${CC:-clang} CFLAGS=${CFLAGS:--g -O1 -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all}
mkdir -p "$out"
cmake -S . -B "$work/build" -G Ninja -DPPROFGATE_TESTS=OFF -DPPROFGATE_FUZZERS=ON \
  -DPPROFGATE_FUZZING_ENGINE="$engine" >/dev/null
targets=()
for source in tests/fuzz/fuzz_*.c; do
  targets+=("$(basename "$source" .c)")
done
cmake --build "$work/build" --target "${targets[@]}" -- --quiet
for target in "${targets[@]}"; do
  subject=${target#fuzz_}
  cp "$work/build/tests/fuzz/$target" "$out/"
  inputs=("$work/build/tests/fuzz/seeds/$subject"/*)
  [ ! -d "tests/fuzz/corpus/$subject" ] || inputs+=("tests/fuzz/corpus/$subject"/*)
  python3 -m zipfile -c "$out/${target}_seed_corpus.zip" "${inputs[@]}"
  [ ! -f "tests/fuzz/$subject.options" ] || cp "tests/fuzz/$subject.options" "$out/$target.options"
  case $subject in
    cpuprofile | flamebearer | gecko | heapprofile | manifest | speedscope | trace_events)
      cp tests/fuzz/json.dict "$out/$target.dict"
      ;;
    *) [ ! -f "tests/fuzz/$subject.dict" ] || cp "tests/fuzz/$subject.dict" "$out/$target.dict" ;;
  esac
done
echo "${#targets[@]} targets in $out"
