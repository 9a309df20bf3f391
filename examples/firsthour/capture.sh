#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Captures the set "first hour" of one language: profiles of a service at low
# load, good and with a planted mistake, in random order, and their MANIFEST.csv.
# Needs Go for the load, node or python3 for theirs, and a built pprofgate.
# What the manifest in OUT-DIR has already is not taken again.
# shellcheck disable=SC2034 # plans and suffixes are found by name
set -euo pipefail

usage='usage: capture.sh go|node|python [OUT-DIR [SEED]]    (default: captures/LANGUAGE 1)'
[[ $# -ge 1 && $# -le 3 && $1 =~ ^(go|node|python)$ ]] || { echo "$usage" >&2; exit 2; }
language=$1 out=${2:-captures/$1} seed=${3:-1}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
gate=$(cd "$here/../.." && pwd)/build/release/pprofgate
gate=${PPROFGATE:-$gate}
[[ -x $gate ]] || { echo "capture.sh: '$gate' is not there; build it, or name it in PPROFGATE" >&2; exit 1; }
manifest=$out/MANIFEST.csv

# variant,runs,seconds,rate,flag,planted,culprit
plan_go='high-base,12,10,950,,none,
high-base,8,30,950,,none,
high-concat,8,10,950,concat,s += in a loop over 640 lines on one request in ten,main.(*depot).manifestText
high-marshal,8,10,950,marshal,json.Marshal of every request for an audit log,main.(*depot).auditRecord
low-base,6,30,560,,none,
low-base,6,10,560,,none,
low-concat,6,10,560,concat,s += in a loop over 640 lines on one request in ten,main.(*depot).manifestText'
plan_node='base,10,10,600,,none,
base,6,30,600,,none,
spread,8,10,600,spread,[...rows row] in a reduce over 1800 rows on one request in ten,manifestRows
clone,8,10,600,clone,JSON.parse(JSON.stringify(x)) on every request for an audit log,auditRecord'
plan_python='base,10,10,480,,none,
base,6,30,480,,none,
recompile,8,10,480,recompile,re.sub with a pattern for each row on one request in five,highlighted (handlers.py)
deepcopy,8,10,480,deepcopy,copy.deepcopy on every request for an audit log,Depot.audit_record (depot.py)'
plan=plan_$language

# A profile holds the paths of what it ran: one neutral place, the same for every run.
work=/tmp/firsthour
mkdir "$work" || { echo "capture.sh: is another capture at work?" >&2; exit 1; }
service='' load=''
stop_all() {
    for child in $load $service; do
        kill "$child" 2>/dev/null || true
        wait "$child" 2>/dev/null || true
    done
    load='' service=''
}
trap 'stop_all; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

prepare() {
    (cd "$here/load" && go build -trimpath -buildvcs=false -o "$work/load" .)
    case $language in
    go) (cd "$here/go" && go build -trimpath -buildvcs=false -o "$work/depot" .) ;;
    node) cp "$here"/node/*.js "$work" ;;
    python)
        cp "$here"/python/*.py "$here/python/requirements.txt" "$work"
        "${PYTHON:-python3}" -m venv "$work/venv"
        "$work/venv/bin/pip" install --quiet --disable-pip-version-check -r "$work/requirements.txt"
        ;;
    esac
    cd "$work"
}

start_service() { # PLANT LIFETIME-SECONDS
    case $language in
    go) GOMAXPROCS=2 ./depot -addr 127.0.0.1:0 -addr-file address -lifetime "$2s" -plant "$1" & ;;
    node) node depot.js address "$2" "$1" & ;;
    python) venv/bin/python depot.py address "$2" "$1" & ;;
    esac
    service=$!
}

take_profile() { # SECONDS FILE, without .gz; leaves before.json and after.json next to it
    case $language in
    go)
        fetch /stats before.json
        fetch "/debug/pprof/profile?seconds=$1" "$2.gz" # Go's profiles are compressed
        fetch /stats after.json
        ;;
    node)
        fetch /stats before.json
        fetch "/debug/cpuprofile?seconds=$1" "$2"
        fetch /stats after.json
        gzip -n9 "$2"
        ;;
    python)
        # Without --gil, py-spy takes many threads that wait in recv for running ones.
        fetch /stats before.json
        venv/bin/py-spy record --gil --rate 100 --duration "$1" --format raw --output "$2" \
            --pid "$service" >spy.log 2>&1
        fetch /stats after.json
        gzip -n9 "$2"
        ;;
    esac
}

suffix_go=cpu.pb suffix_node=cpuprofile suffix_python=collapsed
suffix=suffix_$language
warm_up=4

fetch() { curl -sSf --max-time 60 -o "$2" "$url$1"; }
number_of() { sed -n "s/.*\"$2\": *\([0-9.]*\).*/\1/p" "$1"; }
samples_of() { "$gate" inspect "$1" | sed -n 's/^ .*total [^,]*, \([0-9]*\) effective events.*/\1/p' | head -n 1; }

# What runs at a lower priority makes room.
idle_ticks() { awk '$1 == "cpu" {print $3 + $5}' /proc/stat; }

# Others may be at work here: begins after a second in which half of the machine was to be had, or after two minutes
# whatever they do.
wait_for_calm() {
    local i before enough=$(($(getconf CLK_TCK) * $(nproc) * 9 / 20))
    for ((i = 0; i < 120; i++)); do
        before=$(idle_ticks)
        sleep 1
        (($(idle_ticks) - before < enough)) || return 0
    done
}

run() { # NAME SECONDS RATE PLANT SEED; sets file, requests, cpu, samples; false: take it again
    local i lifetime=$((warm_up + $2 + 20))
    rm -f address
    requests='' samples=''
    start_service "$4" "$lifetime"
    for ((i = 0; i < 200; i++)); do
        [[ -s address ]] && break
        sleep 0.05
    done
    [[ -s address ]] || { echo "capture.sh: the service gave no address within 10 s" >&2; return 1; }
    url=http://$(<address)
    GOMAXPROCS=1 ./load -url "$url" -rate "$3" -seed "$5" -duration "$((warm_up + $2 + 3))s" >load.json &
    load=$!
    sleep "$warm_up"
    file=$1.${!suffix}
    take_profile "$2" "$file" || return 1
    wait "$load" || return 1
    load=''
    file=$file.gz
    requests=$(($(number_of after.json requests) - $(number_of before.json requests)))
    cpu=$(awk -v a="$(number_of before.json cpu_seconds)" -v b="$(number_of after.json cpu_seconds)" \
        'BEGIN {printf "%.2f", b - a}')
    samples=$(samples_of "$file")
    # A service that is late answers /stats late, too.
    awk -v n="$requests" -v due="$(($2 * $3))" -v seconds="$2" -v samples="$samples" \
        -v a="$(number_of before.json wall_seconds)" -v b="$(number_of after.json wall_seconds)" \
        'BEGIN {exit !(n > 0.95 * due && n < 1.05 * due && b - a < 1.05 * seconds && samples >= 150)}'
}

keep_allocs() { # NAME PLANTED CULPRIT ORDER; all that was allocated since the start
    fetch /debug/pprof/allocs "$1.allocs.pb.gz" && fetch /stats total.json || return 1
    mv "$1.allocs.pb.gz" "$out"
    local seconds
    seconds=$(number_of total.json wall_seconds)
    requests=$(number_of total.json requests) cpu=$(number_of total.json cpu_seconds)
    samples=$(samples_of "$out/$1.allocs.pb.gz")
    echo "$1.allocs.pb.gz,${1%-*s-*},${seconds%.*},$2,$3,$requests,$cpu,$samples,$4" >>"$manifest"
}

prepare
[[ -s $manifest ]] || echo 'file,variant,seconds,planted,culprit,work,cpu_seconds,samples,order' >"$manifest"
# Run i of n has a random place in the i-th n-th of the session, so that drift does not look like a variant.
awk -F, -v seed="$seed" \
    'BEGIN {srand(seed)} {for (i = 0; i < $2; i++) printf "%.9f,%d,%s\n", (i + rand()) / $2, i + 1, $0}' \
    <<<"${!plan}" | sort -t, -k1,1n >plan

take() { # NAME VARIANT SECONDS RATE FLAG PLANTED CULPRIT; false: not now
    stop_all
    wait_for_calm
    order=$((order + 1))
    if ! run "$1" "$3" "$4" "$5" "$((seed * 1000 + order))"; then
        echo "capture.sh: '$1' is to be taken again: ${requests:-no} requests, ${samples:-no} samples" >&2
        return 1
    fi
    mv "$file" "$out"
    echo "$file,$2,$3,$6,$7,$requests,$cpu,$samples,$order" >>"$manifest"
    tail -n 1 "$manifest"
    if [[ $1 =~ ^high-(base|concat)-10s-[1-4]$ ]]; then
        keep_allocs "$1" "$6" "$7" "$order"
    fi
}

order=$(awk -F, '$9 + 0 > last {last = $9} END {print last + 0}' "$manifest")
missing=1
for ((pass = 1; pass <= 12 && missing > 0; pass++)); do
    missing=0
    while IFS=, read -r _ number variant _ seconds rate flag planted culprit <&3; do
        name=$variant-${seconds}s-$number
        grep -q "^$name\.${!suffix}\.gz," "$manifest" && continue
        take "$name" "$variant" "$seconds" "$rate" "$flag" "$planted" "$culprit" || missing=$((missing + 1))
    done 3<plan
done
[[ $missing == 0 ]] || { echo "capture.sh: $missing captures are missing" >&2; exit 1; }
