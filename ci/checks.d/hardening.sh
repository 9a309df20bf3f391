#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the linker and the compiler were to do for the program that users run is in it: everywhere PIE, bound at start
# and no stack that runs; on x86-64 a shadow stack, and in all code of ours marks where an indirect jump may end.
set -euo pipefail
cd "$(dirname "$0")/../.."
. ci/has.sh
has readelf || exit 0
built pprofgate
program=build/release/pprofgate
fail() { echo "hardening: $1" >&2; exit 1; }
headers=$(readelf -hldW "$program")
grep -q 'Type: *DYN' <<<"$headers" || fail "the program is not position-independent"
grep -q 'FLAGS.*NOW' <<<"$headers" || fail "the program is not bound at start"
grep -q 'GNU_STACK.* RW ' <<<"$headers" || fail "the stack can be run"
grep -q 'GNU_RELRO' <<<"$headers" || fail "tables can be written after the start"
if [ "$(uname -m)" = x86_64 ]; then
  readelf -nW "$program" | grep -q 'x86 feature:.*SHSTK' || fail "the program is not marked for a shadow stack"
  while read -r object; do
    readelf -nW "$object" | grep -q 'IBT, SHSTK' || fail "$object was built without -fcf-protection=full"
  done < <(find build/release/gate -path '*gate.dir*' -name '*.o')
fi
echo "hardening: as it was to be"
