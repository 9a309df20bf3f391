#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Captures baseline and canary of shop.js with @datadog/pprof (pprof) and with
# node --cpu-prof (V8's .cpuprofile), and of hold.js with node --heap-prof (V8's
# .heapprofile). Needs node and npm.
set -euo pipefail

usage='usage: capture.sh [OUT-DIR [SECONDS]]    (default: captures 15)'
[[ $# -le 2 && ${1:-} != -* ]] || { echo "$usage" >&2; exit 2; }
out=${1:-captures} seconds=${2:-15}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$out/node-pprof" "$out/node-cpu-prof" "$out/node-heap-prof"
out=$(cd "$out" && pwd)
# A profile holds the paths of what it ran, so it runs in a neutral place.
work=$(mktemp -d /tmp/pprofgate-demo.XXXXXX)
trap 'rm -rf "$work"' EXIT
cp "$here/shop.js" "$here/hold.js" "$here/package.json" "$here/package-lock.json" "$work"
cd "$work"
npm ci --silent --no-fund --no-audit

# V8 gives the time of an inlined function to its caller, which would hide what was planted.
capture() { # NAME ROUNDS
    node --no-turbo-inlining shop.js "$seconds" "$2" "$out/node-pprof/$1.pb.gz"
    node --no-turbo-inlining --cpu-prof --cpu-prof-interval 5000 \
        --cpu-prof-dir "$out/node-cpu-prof" --cpu-prof-name "$1.cpuprofile" shop.js "$seconds" "$2"
}
capture baseline 4
capture canary 12
hold() { # NAME NOTES
    node --heap-prof --heap-prof-interval 131072 --heap-prof-dir "$out/node-heap-prof" \
        --heap-prof-name "$1.heapprofile" hold.js "$2"
}
hold baseline 2
hold canary 8
chmod 644 "$out"/node-cpu-prof/*.cpuprofile "$out"/node-heap-prof/*.heapprofile # node makes them 600
