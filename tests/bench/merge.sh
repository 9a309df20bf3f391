#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures `pprofgate merge` of many profiles beside `gzip -dc` of all of them, and prints a table in Markdown. Both
# take turns, so that a ratio is of runs that the machine treated alike. A measurement, not a test: it asserts nothing.
#
#   tests/bench/merge.sh [BUILD_DIRECTORY]     (default: build/release)
#
#   PROFILES=500        how many of each kind; 5000 take some gigabytes below TMPDIR
#   TIMES=3             rounds: the one of the least wall time is given
#   KINDS="tail ..."    which: tail service shallow captures (default: all)
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)
profiles=${PROFILES:-500}
times=${TIMES:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
measure=$build/tests/bench/measure

synthetic() { # SAMPLES DEPTH LOCATIONS
    for ((i = 1; i <= profiles; i++)); do
        "$build/tests/bench/synthetic" "$1" "$2" "$3" "$i" > "$work/in/$i.pb.gz"
    done
}

# Fills $work/in.
make_profiles() {
    mkdir "$work/in"
    case $1 in
    tail) synthetic 3500 42 20000 ;;      # deep stacks, hardly any of which comes twice
    service) synthetic 13000 20 10000 ;;  # one service: many stacks come again, and each profile has new ones
    shallow) synthetic 20000 8 20000 ;;   # nearly all come again
    captures)
        local files=("$root"/fixtures/captures/*.cpu.pb.gz)
        for ((i = 1; i <= profiles; i++)); do
            cp "${files[i % ${#files[@]}]}" "$work/in/$i.pb.gz"
        done ;;
    esac
}

read -r load _ < /proc/loadavg
echo "$profiles profiles of each kind, $times rounds on $(nproc) processors ($(uname -m)), load $load"
echo
echo "| kind | raw, all | merged, raw | CPU ÷ gzip -dc | wall ÷ gzip -dc | wall | peak RSS | RSS ÷ merged, raw |"
echo "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
for kind in ${KINDS:-tail service shallow captures}; do
    make_profiles "$kind"
    raw=$(cat "$work"/in/*.pb.gz | gzip -dc | wc -c)
    "$build/pprofgate" merge --container raw -o "$work/merged.pb" "$work/in"
    merged=$(wc -c < "$work/merged.pb")
    for ((i = 1; i <= times; i++)); do
        read -r zip_wall zip_cpu _ < <(cd "$work/in" && "$measure" 1 sh -c 'cat *.pb.gz | gzip -dc')
        read -r wall cpu rss < <("$measure" 1 "$build/pprofgate" merge -o "$work/merged.pb.gz" "$work/in")
        echo "$wall $cpu $rss $zip_wall $zip_cpu"
    done | sort -g | head -n 1 | awk -v kind="$kind" -v raw="$raw" -v merged="$merged" '{
        printf "| %s | %.3g MB | %.3g MB | %.2f | %.2f | %.2f s | %.0f MiB | %.2f |\n", kind, raw / 1e6, merged / 1e6,
            $2 / $5, $1 / $4, $1, $3 / 1024, $3 * 1024 / merged }'
    rm -rf "$work/in"
done
