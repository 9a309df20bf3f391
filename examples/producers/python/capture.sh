#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Captures baseline and canary of shop.py with py-spy, as collapsed stacks and
# as speedscope JSON. Needs python3 with venv; PYTHON names another interpreter.
set -euo pipefail

usage='usage: capture.sh [OUT-DIR [SECONDS]]    (default: captures 12)'
[[ $# -le 2 && ${1:-} != -* ]] || { echo "$usage" >&2; exit 2; }
out=${1:-captures} seconds=${2:-12}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$out/py-spy"
out=$(cd "$out" && pwd)/py-spy
# A profile holds the paths of what it ran, so it runs in a neutral place.
work=$(mktemp -d /tmp/pprofgate-demo.XXXXXX)
trap 'rm -rf "$work"' EXIT
cp "$here/shop.py" "$here/requirements.txt" "$work"
cd "$work"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check -r requirements.txt

capture() { # NAME ROUNDS
    venv/bin/py-spy record --rate 200 --format raw --output "$out/$1.collapsed" -- \
        venv/bin/python shop.py "$seconds" "$2"
    venv/bin/py-spy record --rate 200 --format speedscope --output "$out/$1.speedscope.json" -- \
        venv/bin/python shop.py "$seconds" "$2"
}
capture baseline 4
capture canary 12
# Which thread a stack is of stands before it.
venv/bin/py-spy record --rate 50 --threads --format raw --output "$out/threads.collapsed" -- venv/bin/python shop.py 4 4
