#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs capture.sh for every row of a plan, in a random order that spreads each
# variant over the whole session, so that drift does not look like a variant.
set -euo pipefail

if [[ $# -lt 3 ]]; then
    cat >&2 <<'EOF'
usage: capture-set.sh PLAN DIR SECONDS [SEED]

PLAN has one row per variant, '#' begins a comment:
    variant,runs,condition,planted,service flags separated by spaces
EOF
    exit 2
fi
plan=$1 out=$2 seconds=$3 seed=${4:-1}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Run i of n gets a random place in the i-th n-th of the session.
awk -F, -v seed="$seed" 'BEGIN {srand(seed)}
    /^[ \t]*(#|$)/ {next}
    {for (i = 0; i < $2; i++) printf "%.9f,%s-%d,%s,%s,%s,%s\n", (i + rand()) / $2, $1, i + 1, $1, $3, $4, $5}' \
    "$plan" | sort -t, -k1,1n >"$bin/order"

number=0
while IFS=, read -r _ name variant condition planted flags <&3; do
    number=$((number + 1))
    read -ra words <<<"$flags"
    # One failed capture costs one row, not the session.
    "$here/capture.sh" -o "$out" -b "$bin" -t "$seconds" -n "$name" -v "$variant" -c "$condition" \
        -p "$planted" -s "$((seed * 1000 + number))" -O "$number" -- "${words[@]}" ||
        echo "capture-set.sh: '$name' failed" >&2
done 3<"$bin/order"
