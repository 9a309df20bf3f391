#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Captures one set of profiles (CPU, heap, allocs, mutex, block) of the example
# service under load on loopback, and adds a line to the set's MANIFEST.csv.
set -euo pipefail

usage() {
    cat <<'EOF'
usage: capture.sh [options] [-- SERVICE-FLAG...]

  -o DIR        where profiles and MANIFEST.csv go (default: captures)
  -n NAME       name of this capture (default: baseline-1)
  -v VARIANT    variant, for the manifest (default: NAME without its -number)
  -p TEXT       what was planted, for the manifest (default: none)
  -t SECONDS    length of the CPU profile, 1 to 120 (default: 30)
  -c CONDITION  quiet, jitter, noisy or jitter+noisy (default: quiet)
                jitter: the endpoint mix varies between runs
                noisy:  a neighbour process keeps one core busy
  -s SEED       seed of the load (default: 1)
  -r RATE       requests per second (default: 3500)
  -j SD         log-normal deviation of the jitter (default: 0.15)
  -O NUMBER     place in a randomised order, for the manifest (default: 0)
  -b DIR        use or leave the built programs here (default: a temporary one)

Example: capture.sh -n leaf-1 -- -plant=leaf -plant-size=630
EOF
}

die() {
    echo "capture.sh: $*" >&2
    exit 1
}

out=captures name=baseline-1 variant='' planted=none seconds=30 condition=quiet
seed=1 rate=3500 deviation=0.15 order=0 bin=''
while getopts 'o:n:v:p:t:c:s:r:j:O:b:h' option; do
    case $option in
    o) out=$OPTARG ;;
    n) name=$OPTARG ;;
    v) variant=$OPTARG ;;
    p) planted=$OPTARG ;;
    t) seconds=$OPTARG ;;
    c) condition=$OPTARG ;;
    s) seed=$OPTARG ;;
    r) rate=$OPTARG ;;
    j) deviation=$OPTARG ;;
    O) order=$OPTARG ;;
    b) bin=$OPTARG ;;
    h) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
    esac
done
shift $((OPTIND - 1))
variant=${variant:-${name%-*}}

[[ $name =~ ^[A-Za-z0-9._-]+$ ]] || die "name '$name' has characters other than letters, digits, '.', '_' and '-'"
if ! [[ $seconds =~ ^[0-9]{1,3}$ ]] || ((10#$seconds < 1 || 10#$seconds > 120)); then
    die "-t is '$seconds', expected 1 to 120"
fi
seconds=$((10#$seconds))
[[ $planted != *[,\"]* ]] || die "-p must not hold a comma or a quote"
jitter=0 neighbour=no
case $condition in
quiet) ;;
jitter) jitter=$deviation ;;
noisy) neighbour=yes ;;
jitter+noisy) jitter=$deviation neighbour=yes ;;
*) die "condition is '$condition', expected quiet, jitter, noisy or jitter+noisy" ;;
esac

warm_up=2
lifetime=$((warm_up + seconds + 30)) # everything started here ends by itself after this

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
service='' load='' busy=''
clean_up() {
    for child in $busy $load $service; do
        kill "$child" 2>/dev/null || true
        wait "$child" 2>/dev/null || true
    done
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

bin=${bin:-$work}
mkdir -p "$out" "$bin"
bin=$(cd "$bin" && pwd)
if [[ ! -x $bin/service || ! -x $bin/load ]]; then
    (cd "$here/service" && go build -trimpath -o "$bin/service" . && go build -trimpath -o "$bin/load" ./load)
fi

GOMAXPROCS=2 "$bin/service" -addr 127.0.0.1:0 -addr-file "$work/address" -lifetime "${lifetime}s" "$@" &
service=$!
for ((i = 0; i < 100; i++)); do
    [[ -s $work/address ]] && break
    kill -0 "$service" 2>/dev/null || die "the service did not start"
    sleep 0.05
done
[[ -s $work/address ]] || die "the service gave no address within 5 s"
url=http://$(<"$work/address")

fetch() { curl -sSf --max-time "$lifetime" -o "$2" "$url$1"; }
# One number of the service's /stats, or of the host's busy time.
stat_of() { sed -n "s|.*\"$2\":\([0-9.]*\).*|\1|p" "$1"; }
host_busy() {
    awk -v hz="$(getconf CLK_TCK)" '$1 == "cpu" {print ($2 + $3 + $4 + $7 + $8) / hz}' /proc/stat 2>/dev/null || echo 0
}
difference() { awk -v a="$1" -v b="$2" 'BEGIN {printf "%.3f", b - a}'; }

if [[ $neighbour == yes ]]; then
    timeout "$lifetime" sh -c 'while :; do :; done' &
    busy=$!
fi
# The load outlasts the profile by a second, then ends by itself.
GOMAXPROCS=1 "$bin/load" -url "$url" -rate "$rate" -seed "$seed" -jitter "$jitter" \
    -duration "$((warm_up + seconds + 1))s" >"$work/load.json" &
load=$!
sleep "$warm_up"

fetch /stats "$work/before.json"
busy_before=$(host_busy)
fetch "/debug/pprof/profile?seconds=$seconds" "$work/cpu"
fetch /stats "$work/after.json"
busy_after=$(host_busy)
if [[ -n $busy ]]; then
    kill "$busy"
    wait "$busy" 2>/dev/null || true
    busy=''
fi
wait "$load" || die "the load failed: $(cat "$work/load.json")"
load=''
fetch '/debug/pprof/heap?gc=1' "$work/heap"
for kind in allocs mutex block; do
    fetch "/debug/pprof/$kind" "$work/$kind"
done
kill "$service"
wait "$service" || die "the service did not stop cleanly"
service=''

for kind in cpu heap allocs mutex block; do
    mv "$work/$kind" "$out/$name.$kind.pb.gz"
done
wall=$(difference "$(stat_of "$work/before.json" wall_seconds)" "$(stat_of "$work/after.json" wall_seconds)")
cpu=$(difference "$(stat_of "$work/before.json" cpu_seconds)" "$(stat_of "$work/after.json" cpu_seconds)")
requests=$(($(stat_of "$work/after.json" requests) - $(stat_of "$work/before.json" requests)))
endpoints=(checkout search browse archive report reserve notify)
header='' parts=''
for endpoint in "${endpoints[@]}"; do
    header+=",requests/$endpoint"
    served=$(stat_of "$work/after.json" "requests/$endpoint")
    parts+=",$((served - $(stat_of "$work/before.json" "requests/$endpoint")))"
done
manifest=$out/MANIFEST.csv
columns=name,variant,planted,dur_s,wall_s,cpu_s,requests,condition,order,host_busy_s
[[ -s $manifest ]] || echo "$columns$header" >"$manifest"
busy=$(difference "$busy_before" "$busy_after")
echo "$name,$variant,$planted,$seconds,$wall,$cpu,$requests,$condition,$order,$busy$parts" >>"$manifest"
tail -n 1 "$manifest"
