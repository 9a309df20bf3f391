#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Captures heap profiles of hold.cpp, baseline and canary: gperftools' text
# (HEAPPROFILE), jemalloc's heap_v2, callgrind's counts and DHAT's; beside all
# but DHAT's, what the producer's own tool sums it up to. Installs what it misses with apt-get:
# g++, google-perftools, libjemalloc-dev, valgrind.
set -euo pipefail

usage='usage: capture-heap.sh [OUT-DIR]    (default: captures)'
[[ $# -le 1 && ${1:-} != -* ]] || { echo "$usage" >&2; exit 2; }
out=${1:-captures}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if ! dpkg -s g++ google-perftools libgoogle-perftools-dev libjemalloc-dev valgrind >/dev/null 2>&1; then
    apt-get update -q
    apt-get install -q -y --no-install-recommends g++ google-perftools libgoogle-perftools-dev libjemalloc-dev valgrind
fi
mkdir -p "$out/gperftools-heap" "$out/jemalloc"
out=$(cd "$out" && pwd)
work=$(mktemp -d /tmp/pprofgate-demo.XXXXXX)
trap 'rm -rf "$work"' EXIT
cp "$here"/*.cpp "$work"
cd "$work"

flags=(-O2 -g0 -fno-omit-frame-pointer -fno-optimize-sibling-calls)
g++ "${flags[@]}" -fPIC -shared -o libstock.so stock.cpp
# shellcheck disable=SC2016 # $ORIGIN is for the dynamic linker
g++ "${flags[@]}" -no-pie -o hold hold.cpp -L. -lstock -Wl,-rpath,'$ORIGIN'
library() { # NAME
    ldconfig -p | awk -v name="$1" '$1 == name { print $NF; exit }'
}

# "self% self total% total address", as the tool has it of the samples with its own scaling, in bytes.
summed_up() { # TOOL TYPE FILE
    "$1" --text --addresses --show_bytes "--$2" hold "$3" 2>/dev/null
}

capture() { # NAME NOTES
    HEAPPROFILE="$work/$1" LD_PRELOAD=$(library libtcmalloc.so.4) ./hold "$2" 2>/dev/null
    cp "$1".0001.heap "$out/gperftools-heap/$1.heap"
    summed_up google-pprof inuse_space "$1.0001.heap" >"$out/gperftools-heap/$1.inuse_space.txt"
    summed_up google-pprof alloc_space "$1.0001.heap" >"$out/gperftools-heap/$1.alloc_space.txt"
    MALLOC_CONF="prof:true,prof_accum:true,lg_prof_sample:16,prof_prefix:$work/je-$1" \
        LD_PRELOAD=$(library libjemalloc.so.2) ./hold "$2"
    cp "je-$1".*.heap "$out/jemalloc/$1.heap"
    summed_up jeprof inuse_space "$out/jemalloc/$1.heap" >"$out/jemalloc/$1.inuse_space.txt"
    summed_up jeprof alloc_space "$out/jemalloc/$1.heap" >"$out/jemalloc/$1.alloc_space.txt"
}
capture baseline 4
capture canary 12

# What main does, counted: with its callers in a function's name, and as callgrind_annotate sums it up without.
mkdir -p "$out/callgrind"
count() { # NAME NOTES VALGRIND-OPTION...
    valgrind -q --tool=callgrind --toggle-collect=main "${@:3}" --callgrind-out-file="$1.out" ./hold "$2"
    gzip -9 -n -c "$1.out" >"$out/callgrind/$1.out.gz"
}
count baseline 4 --separate-callers=12
count canary 12 --separate-callers=12
count self 4
callgrind_annotate --auto=no --threshold=100 self.out >"$out/callgrind/self.annotated.txt"

# What main allocates, counted. `again` is another run of the baseline.
mkdir -p "$out/dhat"
allocated() { # NAME NOTES
    valgrind -q --tool=dhat --num-callers=12 --dhat-out-file="$1.json" ./hold "$2" 2>/dev/null
    gzip -9 -n -c "$1.json" >"$out/dhat/$1.json.gz"
}
allocated baseline 4
allocated again 4
allocated canary 12
