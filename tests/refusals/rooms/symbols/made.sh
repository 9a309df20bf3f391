#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program with debug information, and a profile of its bare addresses; what names it lies in, in several ways.
set -eu
for tool in python3 g++ readelf nm objcopy strip xz; do
  command -v $tool >/dev/null || exit 77
done
"$PROGRAM" version | grep -q 'names:.*libdw' || exit 77
python3 -B symbols/bare.py "$REFUSALS_PLACE"
cd "$REFUSALS_PLACE"
mkdir elsewhere debugdata jit
objcopy --only-keep-debug shop elsewhere/shop.debug
strip -o elsewhere/shop shop
objcopy --add-gnu-debuglink=elsewhere/shop.debug elsewhere/shop
objcopy --strip-debug shop small
objcopy --only-keep-debug small small
xz small
strip --strip-all -o debugdata/shop shop
objcopy --add-section .gnu_debugdata=small.xz debugdata/shop
printf '%s\n' '561234561000 2000 LazyCompile:*order shop.js:12' '561234561000 2000 old' 'not a line' >jit/perf-4711.map
