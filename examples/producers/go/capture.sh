#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Captures baseline and canary of main.go: heap, mutex, block and goroutine
# profiles, each as text (debug=1) and in pprof's format. Needs Go.
set -euo pipefail

usage='usage: capture.sh [OUT-DIR]    (default: captures)'
[[ $# -le 1 && ${1:-} != -* ]] || { echo "$usage" >&2; exit 2; }
out=${1:-captures}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$out/go"
out=$(cd "$out" && pwd)
# A profile holds the paths of what it ran, so it is built in a neutral place.
work=$(mktemp -d /tmp/pprofgate-demo.XXXXXX)
trap 'rm -rf "$work"' EXIT
cp "$here/main.go" "$here/go.mod" "$work"
cd "$work"
go build -o shop .
./shop 4 "$out/go" baseline
./shop 12 "$out/go" canary
