#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Captures baseline and canary of src/main.rs with pprof-rs (pprof, not
# compressed). Needs cargo and a C linker; the build takes about a minute.
set -euo pipefail

usage='usage: capture.sh [OUT-DIR [SECONDS]]    (default: captures 15)'
[[ $# -le 2 && ${1:-} != -* ]] || { echo "$usage" >&2; exit 2; }
out=${1:-captures} seconds=${2:-15}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$out/pprof-rs"
out=$(cd "$out" && pwd)/pprof-rs
# A profile holds the paths of what it ran, so it is built and runs in a neutral place.
work=$(mktemp -d /tmp/pprofgate-demo.XXXXXX)
trap 'rm -rf "$work"' EXIT
cp -r "$here/Cargo.toml" "$here/src" "$work"
cd "$work"
cargo build --quiet --release

target/release/shop "$seconds" 20 "$out/baseline.pb"
target/release/shop "$seconds" 45 "$out/canary.pb"
