#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records Service.java with the flight recorder of each JDK in /usr/lib/jvm and with async-profiler, for compare.py, and
# Collector.java with two sizes of the heap.
# Needs JDK 17 or later, a Java for each recording, and Maven, which gets async-profiler and its converter.
set -euo pipefail

usage='usage: capture.sh [OUT-DIR [SECONDS [PATTERN]]]    (default: recordings 4, of all names)'
[[ $# -le 3 && ${1:-} != -* ]] || { echo "$usage" >&2; exit 2; }
out=${1:-recordings} seconds=${2:-4} pattern=${3:-.}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
# A recording holds the paths of what it ran, so it runs in a neutral place.
work=$(mktemp -d /tmp/pprofgate-jfr.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"
for artifact in tools.profiler:async-profiler:4.1 tools.profiler:async-profiler:2.9 tools.profiler:jfr-converter:4.1; do
    mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy -Dartifact="$artifact" \
        -DoutputDirectory="$work"
done
cp jfr-converter-4.1.jar "$out/"
for version in 4.1 2.9; do
    mkdir "$version"
    (cd "$version" && python3 -m zipfile -e "../async-profiler-$version.jar" .)
done
oldest=$(printf '%s\n' /usr/lib/jvm/*/bin/javac | sort -V | head -n 1)
cp "$here/Service.java" "$here/Collector.java" .
"$oldest" --release 17 --add-modules jdk.jfr -d classes Service.java Collector.java

# Recordings of the JDK: NAME JAVA OPTIONS OF THE RECORDING [OPTIONS OF JAVA AND ARGUMENTS OF THE PROGRAM]
record() {
    local name=$1 java=$2 options=$3
    shift 3
    local program=(Service "${length:-$seconds}" 40) more=()
    for word in "$@"; do
        if [[ $word == -* ]]; then more+=("$word"); else program+=("$word"); fi
    done
    [[ $name =~ $pattern ]] || return 0
    echo "$name"
    # DebugNonSafepoints gives inlined methods their own samples.
    "$java" -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints -Xmx512m "${more[@]}" -cp classes \
        -XX:StartFlightRecording:filename="$out/$name.jfr,$options" "${program[@]}" >"$name.log" 2>&1
}

# Recordings of async-profiler: NAME JAVA VERSION OPTIONS OF THE AGENT
profile() {
    [[ $1 =~ $pattern ]] || return 0
    echo "$1"
    local machine agent
    machine=$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')
    agent=$work/$3/linux-$machine/libasyncProfiler.so
    "$2" -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints -Xmx512m -cp classes \
        -agentpath:"$agent=start,jfr,$4,file=$out/$1.jfr" \
        Service "${length:-$seconds}" 40 >"$1.log" 2>&1
}

# The same load with a heap of some size: NAME JAVA HEAP
collect() {
    [[ $1 =~ $pattern ]] || return 0
    echo "$1"
    "$2" -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints -XX:+UseParallelGC -Xmx"$3" -cp classes \
        Collector 300 20 "$out/$1.jfr" 0 >"$1.log" 2>&1
}

many_events=jdk.JavaMonitorEnter#threshold=0us,jdk.ThreadPark#threshold=0us,jdk.ThreadDump#period=10ms
many_events+=,jdk.ObjectAllocationInNewTLAB#enabled=true,jdk.ObjectAllocationOutsideTLAB#enabled=true
for home in /usr/lib/jvm/*; do
    java=$home/bin/java
    [[ -x $java && ! -L $home ]] || continue
    version=$("$java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p')
    ((version >= 17)) || continue
    record "jdk$version-default" "$java" settings=default
    record "jdk$version-profile" "$java" settings=profile
    record "jdk$version-parallel" "$java" settings=profile -XX:+UseParallelGC
    collect "jdk$version-roomy" "$java" 800m
    collect "jdk$version-tight" "$java" 84m
    record "jdk$version-zgc" "$java" settings=profile -XX:+UseZGC
    # Small chunks, many large events, shallow stacks, and every lock: the recording has several chunks.
    length=9 record "jdk$version-chunks" "$java" \
        "settings=profile,$many_events" \
        -XX:FlightRecorderOptions:maxchunksize=1M,memorysize=1M,stackdepth=8
    if ((version >= 21)); then
        record "jdk$version-virtual" "$java" settings=profile virtual
    fi
    if ((version >= 25)); then
        record "jdk$version-cputime" "$java" 'settings=profile,jdk.CPUTimeSample#enabled=true'
    fi
    profile "async$version-cpu" "$java" 4.1 event=itimer,interval=5ms
    profile "async$version-wall" "$java" 4.1 event=wall,interval=10ms
    # A chunk lasts 5 s at least. async-profiler writes its settings into the first one only.
    length=7 profile "async$version-all" "$java" 4.1 event=itimer,wall=20ms,alloc=100k,lock=10us,chunktime=5s
    length=7 profile "async$version-chunks" "$java" 4.1 event=itimer,interval=50ms,wall=500ms,chunktime=5s
    profile "async$version-alloc" "$java" 4.1 event=alloc,alloc=64k,live
    profile "async$version-lock" "$java" 4.1 event=lock,lock=1us
    profile "async$version-malloc" "$java" 4.1 event=nativemem,nativemem=16k
    if ((version == 17)); then
        length=7 profile "async$version-old-wall" "$java" 2.9 event=wall,interval=20ms,chunktime=5s
        profile "async$version-old-cpu" "$java" 2.9 event=itimer,alloc=64k
        profile "async$version-sync" "$java" 4.1 event=itimer,alloc=256k,lock=100us,jfrsync=profile
    fi
done
# Recordings written one after the other are one recording, and any may be compressed.
first=("$out"/jdk*-default.jfr)
cat "${first[@]}" "$out"/async17-cpu.jfr >"$out/joined.jfr"
gzip -n -c "${first[0]}" >"$out/compressed.jfr.gz"
