#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures `pprofgate check` with all its reports beside `gzip -dc` and, where there is a Go, `go tool pprof`, on the
# same pairs in the same run, and prints a Markdown table of ratios. A measurement, not a test: it asserts nothing.
#
#   tests/bench/speed.sh [BUILD_DIRECTORY]     (default: build/release)
#
#   TIMES=5          runs of which the best counts
#   PAIRS="2k ..."   which pairs: 2k 100k 1M go-service large (default: all that there are)
#   GO_SECONDS=300   how long one run of go tool pprof may take; 0: leave it out
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)
times=${TIMES:-5}
go_seconds=${GO_SECONDS:-300}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
measure=$build/tests/bench/measure
command -v go > /dev/null || go_seconds=0

synthetic() { # NAME SAMPLES LOCATIONS
    "$build/tests/bench/synthetic" "$2" 42 "$3" 1 > "$work/$1.a"
    "$build/tests/bench/synthetic" "$2" 42 "$3" 2 5 > "$work/$1.b"
}

# Sets a and b; fails where the pair is not to be had.
make_pair() {
    a=$work/$1.a b=$work/$1.b
    case $1 in
    2k) synthetic 2k 2000 4000 ;;
    100k) synthetic 100k 100000 200000 ;;
    1M) synthetic 1M 1000000 200000 ;;
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

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", (b > 0 ? a / b : 0) }'; }

go_pprof() { # prints times as long as pprofgate, or a dash
    local seconds cpu rss
    [ "$go_seconds" != 0 ] || { echo '–'; return; }
    if read -r seconds cpu rss < <(
        "$measure" 1 timeout "$go_seconds" go tool pprof -top -diff_base "$a" "$b" 2> /dev/null); then
        awk -v a="$seconds" -v b="$1" 'BEGIN { printf "%.0f\n", a / b }'
    else
        echo "> $(awk -v a="$go_seconds" -v b="$1" 'BEGIN { printf "%.0f", a / b }')"
    fi
}

declare -A took
echo "| pair | raw, both | wall ÷ gzip -dc | CPU ÷ gzip -dc | peak RSS | (RSS − 16 MiB) ÷ raw | go tool pprof ÷ wall |"
echo "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
for pair in ${PAIRS:-2k 100k 1M go-service large}; do
    make_pair "$pair" || { echo "| $pair | not there | | | | | |"; continue; }
    raw=$(gzip -dc "$a" "$b" | wc -c)
    read -r zip_wall zip_cpu _ < <("$measure" "$times" gzip -dc "$a" "$b")
    read -r wall cpu rss < <("$measure" "$times" "$build/pprofgate" check --report "$work/report" "$a" "$b")
    took[$pair]=$cpu
    printf '| %s | %s MB | %s | %s | %s MiB | %s | %s |\n' "$pair" "$(ratio "$raw" 1000000)" \
        "$(ratio "$wall" "$zip_wall")" "$(ratio "$cpu" "$zip_cpu")" "$((rss / 1024))" \
        "$(ratio "$(((rss - 16384) * 1024))" "$raw")" "$(go_pprof "$wall")"
done
if [ -n "${took[1M]:-}" ] && [ -n "${took[100k]:-}" ]; then
    printf '\nCPU time of 1M ÷ CPU time of 100k, on one call graph: %s\n' "$(ratio "${took[1M]}" "${took[100k]}")"
fi
