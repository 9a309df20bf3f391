#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures `pprofgate check` with all its reports beside `gzip -dc` and, where there is a Go, `go tool pprof`, on the
# same pairs, and prints Markdown: a table of ratios, and what each stage takes. Runs of the programs take turns, so
# that a ratio is of runs that the machine treated alike. A measurement, not a test: it asserts nothing.
#
#   tests/bench/speed.sh [BUILD_DIRECTORY]     (default: build/release)
#
#   TIMES=5          rounds: a ratio is given as its least, its median and its largest
#   PAIRS="2k ..."   which pairs: 2k 50k 100k 1M labelled go-service large (default: all that there are)
#   GO_SECONDS=300   how long one run of go tool pprof may take; 0: leave it out
#   GO_TIMES=1       rounds in which it runs too
#   RUNS=50          at last, so many runs a side of 100k beside one; 0: leave them out
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)
times=${TIMES:-5}
go_seconds=${GO_SECONDS:-300}
go_times=${GO_TIMES:-1}
runs=${RUNS:-50}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
measure=$build/tests/bench/measure
command -v go > /dev/null || go_seconds=0

synthetic() { # NAME SAMPLES LOCATIONS [LABELS]
    "$build/tests/bench/synthetic" "$2" 42 "$3" 1 0 "${4:-0}" > "$work/$1.a"
    "$build/tests/bench/synthetic" "$2" 42 "$3" 2 5 "${4:-0}" > "$work/$1.b"
}

# Sets a and b; fails where the pair is not to be had.
make_pair() {
    a=$work/$1.a b=$work/$1.b
    case $1 in
    2k) synthetic 2k 2000 4000 ;;
    50k) synthetic 50k 50000 208000 ;;
    100k) synthetic 100k 100000 200000 ;;
    1M) synthetic 1M 1000000 200000 ;;
    labelled) synthetic labelled 1000000 200000 2 ;;
    go-service)
        a=$root/fixtures/go-service/cpu/baseline-1.pb.gz
        b=$root/fixtures/go-service/cpu/regression-1.pb.gz ;;
    large)
        a=$root/../shared/corpus/7f36efac_pprof_large.cpu
        [ -r "$a" ] || return 1
        # Another file of the same profile, or the two would be skipped as one.
        gzip -dc "$a" | gzip -1 > "$work/large.b"
        b=$work/large.b ;;
    esac
    [ -r "$a" ] && [ -r "$b" ]
}

# The least, the median and the largest of numbers, one a line.
spread() {
    sort -g | awk '{ n[NR] = $1 } END { if (NR == 0) print "–"; else
        printf "%.3g · %.3g · %.3g\n", n[1], n[int((NR + 1) / 2)], n[NR] }'
}

# One round of a pair: a line of wall ÷ gzip, CPU ÷ gzip, go ÷ wall (or nothing), CPU seconds, KiB.
round() {
    local zip_wall zip_cpu wall cpu rss go_wall=
    read -r zip_wall zip_cpu _ < <("$measure" 1 gzip -dc "$a" "$b")
    read -r wall cpu rss < <("$measure" 1 "$build/pprofgate" check --report "$work/report" "$a" "$b")
    if [ "$go_seconds" != 0 ] && [ "$1" -le "$go_times" ]; then
        read -r go_wall _ < <(
            "$measure" 1 timeout "$go_seconds" go tool pprof -top -diff_base "$a" "$b" 2> /dev/null) || go_wall=stopped
    fi
    awk -v zw="$zip_wall" -v zc="$zip_cpu" -v w="$wall" -v c="$cpu" -v go="$go_wall" -v rss="$rss" 'BEGIN {
        printf "%.4f %.4f %s %.4f %d\n", w / zw, (zc > 0 ? c / zc : 0),
            (go == "" ? "-" : go == "stopped" ? "stopped" : go / w), c, rss }'
}

column() { awk -v at="$1" '$at != "-" && $at != "stopped" { print $at }' "$work/rounds"; }

go_column() {
    if grep -q stopped "$work/rounds"; then
        echo "stopped after $go_seconds s"
    else
        column 3 | spread
    fi
}

# Many runs a side of 100k, none like another, beside one of each; in turns.
many_runs() {
    local i wall rss one raw
    mkdir -p "$work/A" "$work/B"
    for ((i = 1; i <= runs; i++)); do
        "$build/tests/bench/synthetic" 100000 42 200000 "$((2 * i))" 0 > "$work/A/$i.pb.gz"
        "$build/tests/bench/synthetic" 100000 42 200000 "$((2 * i + 1))" 5 > "$work/B/$i.pb.gz"
    done
    raw=$(cat "$work"/[AB]/* | gzip -dc | wc -c)
    for ((i = 1; i <= 3; i++)); do
        read -r one _ < <(
            "$measure" 1 "$build/pprofgate" check --report "$work/report" "$work/A/1.pb.gz" "$work/B/1.pb.gz")
        read -r wall _ rss < <("$measure" 1 "$build/pprofgate" check --report "$work/report" "$work/A" "$work/B")
        awk -v wall="$wall" -v one="$one" 'BEGIN { print wall / one }' >> "$work/ratios"
    done
    printf '\n%s runs a side of 100k: %s times as long as one, %s MiB, (RSS − 16 MiB) ÷ raw %s\n' "$runs" \
        "$(spread < "$work/ratios")" "$((rss / 1024))" \
        "$(awk -v rss="$rss" -v raw="$raw" 'BEGIN { printf "%.2f", (rss - 16384) * 1024 / raw }')"
}

read -r load _ < /proc/loadavg
echo "Least · median · largest of $times rounds on $(nproc) processors ($(uname -m)), load $load"
echo
echo "| pair | raw, both | wall ÷ gzip -dc | CPU ÷ gzip -dc | peak RSS | (RSS − 16 MiB) ÷ raw | go tool pprof ÷ wall |"
echo "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
declare -A took
stages=
for pair in ${PAIRS:-2k 50k 100k 1M labelled go-service large}; do
    make_pair "$pair" || { echo "| $pair | not there | | | | | |"; continue; }
    raw=$(gzip -dc "$a" "$b" | wc -c)
    for ((i = 1; i <= times; i++)); do round "$i"; done > "$work/rounds"
    rss=$(column 5 | sort -n | tail -n 1)
    took[$pair]=$(column 4 | sort -g | head -n 1)
    printf '| %s | %s MB | %s | %s | %s MiB | %s | %s |\n' "$pair" \
        "$(awk -v raw="$raw" 'BEGIN { printf "%.3g", raw / 1e6 }')" "$(column 1 | spread)" "$(column 2 | spread)" \
        "$((rss / 1024))" "$(awk -v rss="$rss" -v raw="$raw" 'BEGIN { printf "%.2f", (rss - 16384) * 1024 / raw }')" \
        "$(go_column)"
    line='s/^pprofgate: (.*) took (.*) ms, (.*) ms of processors, (.*) MiB.*/| \1 | \2 | \3 | \4 |/p'
    { "$build/pprofgate" check --timings --report "$work/report" "$a" "$b" 2> "$work/told" > "$work/out" ||
        [ $? -le 3 ]; }
    stages+=$(echo; sed -nE "$line" "$work/told" | sed "s/^/| $pair /")
    rm -f "$work/$pair".?
done
if [ -n "${took[1M]:-}" ] && [ -n "${took[100k]:-}" ]; then
    printf '\nCPU time of 1M ÷ CPU time of 100k, on one call graph: %s\n' \
        "$(awk -v a="${took[1M]}" -v b="${took[100k]}" 'BEGIN { printf "%.1f", a / b }')"
fi
[ "$runs" = 0 ] || many_runs
printf '\n| pair | stage | ms | ms of processors | MiB so far |\n| --- | --- | ---: | ---: | ---: |%s\n' "$stages"
