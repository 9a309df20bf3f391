#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Bundles and minifies the program in src/ with esbuild and with webpack, and captures it with node --cpu-prof: as it
# is written (source.cpuprofile), and as each made it (esbuild, webpack), whose source maps are kept beside.
# Needs node and npm.
set -euo pipefail

usage='usage: capture.sh [OUT-DIR [SECONDS]]    (default: captures 4)'
[[ $# -le 2 && ${1:-} != -* ]] || { echo "$usage" >&2; exit 2; }
out=${1:-captures} seconds=${2:-4}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$out/bundled"
out=$(cd "$out" && pwd)/bundled
# A profile holds the paths of what it ran, so it runs in a neutral place.
work=$(mktemp -d /tmp/pprofgate-demo.XXXXXX)
trap 'rm -rf "$work"' EXIT
cp -r "$here/src" "$here/bundle.mjs" "$here/package.json" "$here/package-lock.json" "$work"
cd "$work"
npm ci --silent --no-fund --no-audit
node bundle.mjs dist
echo '{"type":"commonjs"}' >dist/package.json

# V8 gives the time of an inlined function to its caller.
capture() { # NAME SCRIPT ROUNDS
    node --no-turbo-inlining --cpu-prof --cpu-prof-interval 2000 \
        --cpu-prof-dir "$out" --cpu-prof-name "$1.cpuprofile" "$2" "$seconds" "$3"
}
capture source src/main.js 20
capture source-canary src/main.js 60
for bundler in esbuild webpack; do
    capture $bundler dist/$bundler/shop.js 20
    mkdir -p "$out/$bundler"
    cp dist/$bundler/shop.js.map "$out/$bundler/"
done
capture esbuild-canary dist/esbuild/shop.js 60
chmod 644 "$out"/*.cpuprofile # node makes them 600
