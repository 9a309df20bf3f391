#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Captures baseline and canary of python/shop.py with CPython's own sampling
# profiler, as collapsed stacks and as the Firefox profiler's JSON, with what it
# says of each. PYTHON names a CPython of 3.15 or later.
set -euo pipefail

usage='usage: capture.sh [OUT-DIR [SECONDS]]    (default: captures 6)'
[[ $# -le 2 && ${1:-} != -* ]] || { echo "$usage" >&2; exit 2; }
out=${1:-captures} seconds=${2:-6}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$out/cpython"
out=$(cd "$out" && pwd)/cpython
# A profile holds the paths of what it ran, so it runs in a neutral place.
work=$(mktemp -d /tmp/pprofgate-demo.XXXXXX)
trap 'rm -rf "$work"' EXIT
cp "$here/../python/shop.py" "$work"
cd "$work"

capture() { # NAME ROUNDS FORMAT FILE
    "${PYTHON:-python3.15}" -m profiling.sampling run --sampling-rate 400 "--$3" -o "$4" \
        shop.py "$seconds" "$2" 2>&1 | grep -E '^(Captured|Error rate)' >"$out/$1.$3.summary.txt"
}
for side in 'baseline 4' 'canary 12'; do
    read -r name rounds <<<"$side"
    capture "$name" "$rounds" collapsed "$out/$name.collapsed"
    capture "$name" "$rounds" gecko "$work/$name.json"
    gzip -9nc "$work/$name.json" >"$out/$name.gecko.json.gz"
done
# Samples as they come, which `replay` makes another format of, and its lines of JSON.
plain() { # FORMAT FILE SECONDS
    "${PYTHON:-python3.15}" -m profiling.sampling run --sampling-rate 100 "--$1" -o "$2" shop.py "$3" 4 >/dev/null 2>&1
}
plain binary "$out/samples.bin" 2
plain jsonl "$work/lines.jsonl" 1
gzip -9nc "$work/lines.jsonl" >"$out/lines.jsonl.gz"
