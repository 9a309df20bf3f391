#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a program with debug information, a profile of its addresses only, and several files with its symbols.
set -eu
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
