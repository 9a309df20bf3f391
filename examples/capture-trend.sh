#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Takes the heaps of fixtures/trend anew, from the service in examples/leak. usage: capture-trend.sh
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$root/examples/leak" && CGO_ENABLED=0 go build -trimpath -o "$work/service" .)
mkdir -p "$root/fixtures/trend/leaking" "$root/fixtures/trend/stable"
"$work/service" -leak -o "$root/fixtures/trend/leaking"
"$work/service" -o "$root/fixtures/trend/stable"
