#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Captures rounds: CPU profiles of two builds of the example service, taken at the same time under the same traffic,
# while a neighbour comes and goes. Adds two lines a round to the set's MANIFEST.csv.
set -euo pipefail

if [[ $# -lt 3 ]]; then
    cat >&2 <<'USAGE'
usage: capture-pairs.sh PLAN DIR SECONDS [SEED]

PLAN has one row per variant, '#' begins a comment:
    variant,rounds,jitter,planted,service flags of the second side separated by spaces
The mix of requests of a round varies by a log-normal of sd JITTER, and is the same on both sides.
USAGE
    exit 2
fi
plan=$1 out=$2 seconds=$3 seed=${4:-1}
rate=1300 warm_up=2
lifetime=$((warm_up + seconds + 20)) # everything started here ends by itself after this

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
children=()
stop_children() { # the load before the services
    for ((c = ${#children[@]} - 1; c >= 0; c--)); do
        kill "${children[c]}" 2>/dev/null || true
        wait "${children[c]}" 2>/dev/null || true
    done
    children=()
}
trap 'stop_children; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

mkdir -p "$out"
(cd "$here/service" && go build -trimpath -o "$work/service" . && go build -trimpath -o "$work/load" ./load)

# Starts a side; its URL is written to $work/SIDE.url.
start_side() {
    local side=$1
    shift
    rm -f "$work/$side.address"
    GOMAXPROCS=2 "$work/service" -addr 127.0.0.1:0 -addr-file "$work/$side.address" -lifetime "${lifetime}s" "$@" &
    children+=($!)
    for ((i = 0; i < 200; i++)); do
        [[ -s $work/$side.address ]] && break
        sleep 0.05
    done
    [[ -s $work/$side.address ]] || return 1
    echo "http://$(<"$work/$side.address")" >"$work/$side.url"
}

fetch() { curl -sSf --max-time "$lifetime" -o "$3" "$(<"$work/$1.url")$2"; }
requests_of() { sed -n 's|.*"requests":\([0-9]*\).*|\1|p' "$1"; }

# neighbour AFTER SECONDS: keeps both cores busy for a while
neighbour() {
    sleep "$1"
    timeout "$2" sh -c 'while :; do :; done' &
    timeout "$2" sh -c 'while :; do :; done' || true
    wait
}

# round NUMBER VARIANT JITTER PLANTED NEIGHBOUR-AFTER NEIGHBOUR-SECONDS FLAG...
round() {
    local number=$1 variant=$2 jitter=$3 planted=$4 after=$5 busy=$6 pids=() side
    shift 6
    start_side a || return 1
    start_side b "$@" || return 1
    for side in a b; do
        GOMAXPROCS=1 "$work/load" -url "$(<"$work/$side.url")" -rate "$rate" -seed "$((seed * 1000 + number))" \
            -jitter "$jitter" -duration "$((warm_up + seconds + 1))s" >"$work/$side.load" &
        children+=($!)
    done
    sleep "$warm_up"
    if [[ $busy != 0 ]]; then
        neighbour "$after" "$busy" &
        children+=($!)
    fi
    for side in a b; do
        fetch "$side" /stats "$work/$side.before"
    done
    for side in a b; do
        fetch "$side" "/debug/pprof/profile?seconds=$seconds" "$work/$side.cpu" &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do
        wait "$pid" || return 1
    done
    for side in a b; do
        fetch "$side" /stats "$work/$side.after" || return 1
        local what=none name=$variant-$number$side of=$variant
        [[ $side == b ]] && what=$planted
        [[ $side == a && $planted != none ]] && of=$variant-base
        mv "$work/$side.cpu" "$out/$name.cpu.pb.gz"
        echo "$name,$of,$what,$seconds,$(($(requests_of "$work/$side.after") - $(requests_of "$work/$side.before")))$(
        ),$jitter,$busy,$number,$number" >>"$out/MANIFEST.csv"
    done
}

columns=name,variant,planted,dur_s,requests,jitter,neighbour_s,order,round
[[ -s $out/MANIFEST.csv ]] || echo $columns >"$out/MANIFEST.csv"
# Round i of n gets a random place in the i-th n-th of the session; in every other one, about, the neighbour comes.
awk -F, -v seed="$seed" -v length_s="$seconds" 'BEGIN {srand(seed)}
    /^[ \t]*(#|$)/ {next}
    {for (i = 0; i < $2; i++) {
        busy = rand() < 0.5 ? 0 : 2 + int(rand() * (length_s - 1))
        printf "%.9f,%s,%s,%s,%d,%d,%s\n", (i + rand()) / $2, $1, $3, $4, rand() * (length_s - busy), busy, $5
    }}' "$plan" | sort -t, -k1,1n >"$work/order"
number=0
while IFS=, read -r _ variant jitter planted after busy flags <&3; do
    number=$((number + 1))
    read -ra words <<<"$flags"
    # One failed round costs two rows, not the session.
    round "$number" "$variant" "$jitter" "$planted" "$after" "$busy" "${words[@]}" ||
        echo "capture-pairs.sh: round $number of '$variant' failed" >&2
    stop_children
done 3<"$work/order"
