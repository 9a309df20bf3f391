#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes one pprof profile as OTLP profiles of four versions of the protocol, with the collector's own types of each.
set -euo pipefail

usage='usage: capture.sh [OUT-DIR [PROFILE.pb.gz]]    (default: captures, a profile of fixtures/captures)'
[[ $# -le 2 && ${1:-} != -* ]] || { echo "$usage" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${1:-captures} profile=$(realpath "${2:-$here/../../../fixtures/captures/fast-7.cpu.pb.gz}")
mkdir -p "$out/otlp"
out=$(cd "$out" && pwd)/otlp
work=$(mktemp -d /tmp/pprofgate-demo.XXXXXX)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cp "$here/main.go" "$here/go.mod" "$work"
cd "$work"

write() { # PROTO PDATA-VERSION NAME [times]
    go get "go.opentelemetry.io/collector/pdata/pprofile@$2" github.com/google/pprof@latest 2>/dev/null
    go build -o otlp .
    ./otlp "$1" "$profile" "$3.otlp" ${4:+"$4"}
    gzip -9n <"$3.otlp" >"$out/$3.otlp.gz"
}
# Each starts from a fresh go.mod: versions only go up in one.
for row in "1.5 v0.124.0 proto-1.5" "1.7 v0.133.0 proto-1.7" "1.8 v0.139.0 proto-1.8" "1.11 v0.164.0 proto-1.11" \
    "1.11 v0.164.0 times times"; do
    cp "$here/go.mod" .
    rm -f go.sum
    # shellcheck disable=SC2086
    write $row
done
# As the collector's file exporter writes JSON, a message a line: that of both files above.
./otlp 1.11 "$profile" values.json
./otlp 1.11 "$profile" times.json times
gzip -9n <values.json >"$out/proto-1.11.json.gz"
cat values.json times.json | gzip -9n >"$out/lines.json.gz"
