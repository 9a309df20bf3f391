#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Draws pprof fixtures as Pyroscope's server renders them, by the packages that
# its server is made of. Needs Go, which gets the modules.
set -euo pipefail

usage='usage: capture.sh [OUT-DIR]    (default: captures)'
[[ $# -le 1 && ${1:-} != -* ]] || { echo "$usage" >&2; exit 2; }
out=${1:-captures}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
profiles=$here/../../../fixtures/producers
mkdir -p "$out/pyroscope"
out=$(cd "$out" && pwd)/pyroscope
work=$(mktemp -d /tmp/pprofgate-demo.XXXXXX)
trap 'rm -rf "$work"' EXIT
cp "$here/main.go" "$work"
(
    cd "$work"
    go mod init flamebearer
    go get github.com/pyroscope-io/pyroscope@v0.37.1
    go mod tidy
    go build -o flamebearer .
)
draw() { # PROFILE SAMPLE-TYPE UNITS SAMPLE-RATE NAME
    "$work/flamebearer" "$profiles/$1" "$2" "$3" "$4" >"$out/$5.flamebearer.json"
}
draw go/baseline.heap.pb.gz inuse_space bytes 100 heap
draw pprof-rs/baseline.pb cpu samples 1000000000 cpu
draw pprof-rs/baseline.pb samples samples 100 samples
