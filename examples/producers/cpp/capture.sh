#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Captures baseline and canary of shop.cpp with gperftools' CPU profiler (its
# legacy binary format, and the functions' addresses) and, where the kernel
# allows it, with perf (collapsed stacks, the text of `perf script`, and what
# `perf report` says of it). Installs what it misses with apt-get:
# g++, libgoogle-perftools-dev, linux-perf.
set -euo pipefail

usage='usage: capture.sh [OUT-DIR [SECONDS]]    (default: captures 15)'
[[ $# -le 2 && ${1:-} != -* ]] || { echo "$usage" >&2; exit 2; }
out=${1:-captures} seconds=${2:-15}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if ! dpkg -s g++ libgoogle-perftools-dev linux-perf >/dev/null 2>&1; then
    apt-get update -q
    apt-get install -q -y --no-install-recommends g++ libgoogle-perftools-dev linux-perf
fi
mkdir -p "$out/gperftools" "$out/perf"
out=$(cd "$out" && pwd)
# A profile holds the paths of what it ran and of its libraries, so it runs in a neutral place.
work=$(mktemp -d /tmp/pprofgate-demo.XXXXXX)
trap 'rm -rf "$work"' EXIT
cp "$here"/*.cpp "$work"
cd "$work"

# Frame pointers and a fixed address: the walk of a stack is whole, and both sides have equal addresses.
flags=(-O2 -g0 -fno-omit-frame-pointer -fno-optimize-sibling-calls)
g++ "${flags[@]}" -fPIC -shared -o libprice.so price.cpp
# shellcheck disable=SC2016 # $ORIGIN is for the dynamic linker
g++ "${flags[@]}" -no-pie -o shop shop.cpp -L. -lprice -Wl,-rpath,'$ORIGIN' -Wl,--no-as-needed -lprofiler
for file in shop libprice.so; do
    echo "$file"
    nm --demangle --numeric-sort --print-size --defined-only "$file" | awk 'NF >= 4 && $3 ~ /^[tTwW]$/'
done >"$out/gperftools/symbols.txt"

capture() { # NAME ROUNDS
    CPUPROFILE_FREQUENCY=200 CPUPROFILE="$out/gperftools/$1.prof" ./shop "$seconds" "$2"
    if perf record -q -e cpu-clock -F 200 --call-graph fp -o "$1.data" ./shop "$seconds" "$2"; then
        perf script -i "$1.data" -F comm,ip,sym 2>/dev/null | awk -f "$here/fold.awk" >"$out/perf/$1.collapsed"
        perf script -i "$1.data" 2>/dev/null | gzip -9n >"$out/perf/$1.script.gz"
        perf report -i "$1.data" --no-children -g none -F sample,sym -t '|' --stdio 2>/dev/null |
            grep -v '^#' | grep . >"$out/perf/$1.report.txt"
        if command -v samply >/dev/null; then # cargo install samply
            mkdir -p "$out/samply"
            perf report -i "$1.data" --no-children -g none -F sample,dso -t '|' --stdio 2>/dev/null |
                grep -v '^#' | grep . >"$out/samply/$1.report.txt"
            samply import "$1.data" --save-only -o "$1.json" && gzip -9n <"$1.json" >"$out/samply/$1.json.gz"
        fi
    else
        echo "capture.sh: perf may not record here, no collapsed stacks of '$1'" >&2
    fi
}
capture baseline 20
capture canary 45
