#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Captures three runs of shop.php with Xdebug's profiler, baseline and canary.
# Installs what it misses with apt-get: php-cli, php-xdebug.
set -euo pipefail

usage='usage: capture.sh [OUT-DIR [ORDERS]]    (default: captures 100)'
[[ $# -le 2 && ${1:-} != -* ]] || { echo "$usage" >&2; exit 2; }
out=${1:-captures} orders=${2:-100}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if ! dpkg -s php-cli php-xdebug >/dev/null 2>&1; then
    apt-get update -q
    apt-get install -q -y --no-install-recommends php-cli php-xdebug
fi
mkdir -p "$out/xdebug"
out=$(cd "$out" && pwd)/xdebug
# A profile holds the paths of what it ran, so it runs in a neutral place.
work=$(mktemp -d /tmp/pprofgate-demo.XXXXXX)
trap 'rm -rf "$work"' EXIT
cp "$here/shop.php" "$work"
cd "$work"

capture() { # NAME ROUNDS
    php -d xdebug.mode=profile -d xdebug.output_dir="$out" -d xdebug.profiler_output_name="$1.out" \
        -d xdebug.use_compression=0 shop.php "$orders" "$2"
    gzip -9 -n -f "$out/$1.out"
}
for run in 1 2 3; do
    capture "baseline-$run" 4
    capture "canary-$run" 12
done
