#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records shop.py, shop.rb and shop.c with the profilers on the path, for compare.py: stackprof (ruby-stackprof),
# valgrind, simpleperf, of npm v8-profiler-next, and of PyPI pyinstrument, scalene, memray, austin-dist
# and austin-python (austin2pprof).
set -euo pipefail

usage='usage: capture.sh [OUT-DIR [SECONDS]]    (default: recordings 2)'
[[ $# -le 2 && ${1:-} != -* ]] || { echo "$usage" >&2; exit 2; }
out=${1:-recordings} seconds=${2:-2}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
# Profiles hold the paths of what ran, so it runs in a neutral place.
work=$(mktemp -d /tmp/pprofgate-profilers.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp "$here"/shop.* .
has() { command -v "$1" >/dev/null || { echo "no $1: left out" >&2; return 1; }; }

if has stackprof; then
    for mode in cpu wall object; do
        for raw in raw flat; do
            ruby shop.rb "$mode" "$([[ $mode == object ]] && echo 7 || echo 500)" "$raw" "dump" "$((seconds * 3000))"
            stackprof --json dump >"$out/$mode-$raw.stackprof.json"
            stackprof --text --limit 100000 dump >"$out/$mode-$raw.stackprof.txt"
        done
    done
fi
if has valgrind; then
    ${CC:-cc} -g -O0 -o shop shop.c
    for rounds in 1 100 5000; do
        valgrind --tool=dhat --dhat-out-file="$out/shop-$rounds.dhat.json" ./shop "$rounds" \
            2>"$out/shop-$rounds.dhat.txt"
    done
    valgrind --tool=dhat --dhat-out-file="$out/ls.dhat.json" ls -la / >/dev/null 2>"$out/ls.dhat.txt"
    massif() { # NAME PROGRAM...
        local name=$1
        shift
        for cut in "" -cut; do
            local options=(--threshold=0 --peak-inaccuracy=0 --max-snapshots=10)
            [[ -z $cut ]] || options=()
            valgrind -q --tool=massif "${options[@]}" --massif-out-file=massif.out "$@" >/dev/null
            ms_print --threshold=0 massif.out >"$out/$name$cut.massif.txt"
            mv massif.out "$out/$name$cut.massif"
        done
    }
    for rounds in 1 100 5000; do massif "shop-$rounds" ./shop "$rounds"; done
    for times in 60 200; do massif "hold-$times" ./shop 3000 "$times"; done
    massif ls ls -la /
    massif grep grep -cE 'a+(b|c)*d' shop.c || true # it finds nothing, and ends with 1
fi
if has pyinstrument; then
    for interval in 0.001 0.005; do
        pyinstrument -i "$interval" -r session -o session shop.py "$seconds"
        pyinstrument --show-all --load session -r json -o "$out/$interval.pyinstrument.json"
        "$(dirname "$(command -v pyinstrument)")/python" - session >"$out/$interval.pyinstrument.txt" <<'PYTHON'
import sys
from pyinstrument.session import Session
for stack, seconds in Session.load(sys.argv[1]).frame_records:
    print(";".join(frame.split("\0")[0] for frame in stack), seconds)
PYTHON
    done
fi
if has scalene; then
    for round in 1 2; do
        for _ in 1 2 3 4; do # it writes {} where it thinks that there is too little to show
            scalene run -o "$out/$round.scalene.json" shop.py "$seconds" >/dev/null
            [[ $(stat -c %s "$out/$round.scalene.json") -gt 2 ]] && break
        done
    done
fi
if has austin && has austin2pprof; then
    for mode in wall cpu; do
        options=(-i 1000)
        [[ $mode == cpu ]] && options+=(-s)
        austin "${options[@]}" -o "$out/$mode.austin" python3 shop.py "$seconds" >/dev/null
        austin2pprof "$out/$mode.austin" "$out/$mode.austin.pprof"
    done
fi
if has simpleperf; then # of the Android NDK; it records Linux too, and unwinds --call-graph dwarf itself
    ${CC:-cc} -g -O0 -pthread -o crew "$here/../symbols/crew.c"
    for graph in fp dwarf; do
        simpleperf record -e cpu-clock -f 199 --call-graph "$graph" -o perf.data ./crew "$((seconds * 2000))" \
            >/dev/null 2>&1
        simpleperf report-sample --show-callchain -i perf.data -o "$out/$graph.simpleperf.data.txt"
        mv perf.data "$out/$graph.simpleperf.data"
    done
fi
if has node && node -e 'require("v8-profiler-next")' 2>/dev/null; then # in NODE_PATH
    for form in tree list; do node shop.js "$form" "$seconds" "$out/$form.cpuprofile"; done
fi
if has bpftrace; then # needs root
    ${CC:-cc} -g -O1 -fno-omit-frame-pointer -o shop shop.c
    bpftrace -e 'profile:hz:199 /comm == "shop"/ { @[ustack] = count(); @n = count(); }' -c "./shop 9000000" \
        >"$out/shop.bpftrace.txt"
fi
if has memray; then
    for leaks in "" --leaks; do
        memray run -q -f -o capture shop.py "$seconds"
        memray transform speedscope $leaks -f -o "$out/peak$leaks.memray.json" capture >/dev/null
        memray transform csv $leaks -f -o "$out/peak$leaks.memray.csv" capture >/dev/null
    done
fi
