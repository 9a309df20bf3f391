#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The rates of CPU captures that docs/measured.md quotes, as Markdown tables:
# inconclusive verdicts between good runs, what is found, with and without a
# noise model, by the presets and by tight budgets, beside rules without
# statistics. Some minutes on one core.
set -euo pipefail

if [[ $# -lt 2 ]]; then
    echo "usage: goals.sh RATES CAPTURES [DRAWS]   (RATES: build/release/tests/bench/rates)" >&2
    exit 2
fi
rates=$1 captures=$2 draws=${3:-300}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# table TITLE RULES OPTION...
table() {
    printf '\n### %s\n\n' "$1"
    "$rates" "$captures" "$root/$2" --table --draws "$draws" "${@:3}"
}

for preset in recommended strict; do
    for variant in mix noisy p2 p5 p10 p10q fast opt; do
        table "$preset, $variant" "rules/$preset.yml" --only "$variant"
    done
done
for variant in mix p5 p10; do
    table "self +2 pp, $variant" tests/bench/self-2pp.yml --only "$variant"
done
table 'self and cumulative +5 pp' tests/bench/both-5pp.yml --only mix
table '+1 pp on a named function' tests/bench/named.yml --only p5
table 'self +1 pp, +2 pp planted' tests/bench/self-1pp.yml --only p2
for variant in mix quiet; do
    table "recommended, $variant against a noisy baseline" rules/recommended.yml --good noisy --only "$variant"
    table "self +2 pp, $variant against a noisy baseline" tests/bench/self-2pp.yml --good noisy --only "$variant"
done
if head -1 "$captures/MANIFEST.csv" | grep -q requests/; then
    for variant in mix p5 p10 fast; do
        table "recommended, the mix told, $variant" rules/recommended.yml --mix --only "$variant"
    done
    table 'strict, the mix told' rules/strict.yml --mix --only mix
    for variant in mix p5; do
        table "self +2 pp, the mix told, $variant" tests/bench/self-2pp.yml --mix --only "$variant"
    done
fi
table 'total cost +3 %, in turn' tests/bench/total.yml --work --pairs --only mix
table 'total cost +3 %, in turn, everything 9 % slower' tests/bench/total.yml --work --pairs --only mix --slow 1.09
