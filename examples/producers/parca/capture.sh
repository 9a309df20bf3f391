#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds Parca's own server from its Go module, without its page, sends it profiles of fixtures/captures, and takes what
# it merges of them with pprofgate. Building takes a quarter of an hour.
set -euo pipefail

usage='usage: PPROFGATE=PROGRAM capture.sh [OUT-DIR]    (default: captures)'
[[ $# -le 1 && ${1:-} != -* ]] || { echo "$usage" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
gate=$(realpath "$(command -v "${PPROFGATE:-pprofgate}")")
profiles=$(realpath "$here/../../../fixtures/captures")
mkdir -p "${1:-captures}/parca"
out=$(cd "${1:-captures}/parca" && pwd)
work=$(mktemp -d /tmp/pprofgate-demo.XXXXXX)
server=
trap '[ -z "$server" ] || kill "$server"; chmod -R u+w "$work"; rm -rf "$work"' EXIT
port=17070 version=v0.20.0

cd "$work"
mkdir send
cp "$here/main.go" send
(cd send && go mod init send && go get "github.com/parca-dev/parca@$version" && go mod tidy && go build -o ../writer .)
cp -r "$(cd send && go list -m -f '{{.Dir}}' github.com/parca-dev/parca)" parca
chmod -R u+w parca
mkdir -p parca/ui/packages/app/web/build
echo '<html></html>' >parca/ui/packages/app/web/build/index.html
# A library of it reaches into Go's runtime, which newer linkers refuse.
(cd parca && go build -buildvcs=false -trimpath -ldflags=-checklinkname=0 -o ../server ./cmd/parca)
printf 'object_storage: {bucket: {type: FILESYSTEM, config: {directory: %s}}}\n' "$work/kept" >parca.yaml
echo 'scrape_configs: []' >>parca.yaml
./server --config-path=parca.yaml --http-address="127.0.0.1:$port" >server.log 2>&1 &
server=$!
for _ in $(seq 100); do
    ! ./writer "127.0.0.1:$port" 1.4 "$profiles"/mix-[1-9].cpu.pb.gz 2>/dev/null || break
    sleep 0.2
done
./writer "127.0.0.1:$port" 1.5 "$profiles"/p10-[1-9].cpu.pb.gz
"$gate" capture --from 2026-11-20T13:28:00Z --to 2026-11-20T13:36:30Z --runs 3 -o taken \
    --baseline "parca+http://127.0.0.1:$port?query={job=\"shop\",version=\"1.4\"}" \
    --canary "parca+http://127.0.0.1:$port?query={job=\"shop\",version=\"1.5\"}"
for run in 1 2 3; do
    cp "taken/cpu-00$run-baseline.pb.gz" "$out/baseline-$run.pb.gz"
    cp "taken/cpu-00$run-canary.pb.gz" "$out/canary-$run.pb.gz"
done
