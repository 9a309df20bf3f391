#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What takes too long for every change: for the night, on a machine with everything that ci/packages.sh installs.
# Four to five hours on 2 cores. All steps are run, whatever became of those before; the last lines say which failed.
#   ci/night.sh             all of it
#   ci/night.sh STEP...     these steps alone, such as `threads valgrind`
# FUZZ_MINUTES is how long all fuzz targets together are run (default 60).
set -uo pipefail
cd "$(dirname "$0")/.." || exit
export DEBIAN_FRONTEND=noninteractive

steps=(tests reference sanitize clang tidy cppcheck analyzer threads valgrind coverage corpora refusals faults sweep
  growth argo stores fleet recipes packages bare_roots emulated other_roots mutation suite fuzz)

tests() { bash ci/test.sh night; }
reference() { tests/oracle/reference.py --check; }
sanitize() { bash ci/test.sh sanitize; }
clang() { # the tests, too: warnings are errors
  cmake --preset dev -B build/clang -DCMAKE_C_COMPILER=clang -DPPROFGATE_WERROR=ON >/dev/null &&
    cmake --build build/clang -- --quiet
}
tidy() {
  cmake --preset fuzz >/dev/null && cmake --build --preset fuzz -- --quiet && TIDY_NODES=225000 bash ci/tidy.sh
}
cppcheck() { bash ci/cppcheck.sh; }
analyzer() { bash ci/analyzer.sh; }
threads() { bash ci/threads.sh; }
valgrind() { bash ci/valgrind.sh; }
coverage() { bash ci/coverage.sh; }
corpora() { bash ci/night.d/corpora.sh; }
refusals() { bash ci/night.d/refusals.sh; }
faults() { bash ci/faults.sh; }
sweep() { python3 -B tests/bench/sweep.py build/release/pprofgate; }
growth() { bash ci/night.d/growth.sh && bash ci/checks.d/instructions.sh; }
argo() { bash ci/night.d/argo.sh full; }
stores() { bash ci/night.d/stores.sh; }
fleet() { bash ci/night.d/fleet.sh; }
recipes() { bash ci/checks.d/recipes.sh all; }
packages() { bash ci/checks.d/packages.sh all; }
bare_roots() { bash ci/checks.d/bare_roots.sh all; }
emulated() { bash ci/emulated.sh; }
other_roots() { bash ci/other_roots.sh; }
mutation() { tests/mutation/run --at-least 85 && tests/mutation/run --rooms 10 --seed "$(date +%j)"; }
suite() { python3 -B ci/suite.py; }
fuzz() {
  local targets
  targets=$(find tests/fuzz -name 'fuzz_*.c' | wc -l)
  cmake --preset fuzz >/dev/null && cmake --build --preset fuzz -- --quiet &&
    bash ci/fuzz.sh $((60 * ${FUZZ_MINUTES:-60} * $(nproc) / targets))
}

[ $# -eq 0 ] || steps=("$@")
bash ci/packages.sh checks && cmake --preset release -DPPROFGATE_WERROR=ON >/dev/null &&
  cmake --build --preset release -- --quiet || exit 1
failed=()
for step in "${steps[@]}"; do
  printf '\n== %s\n' "$step"
  began=$SECONDS
  if "$step"; then
    printf -- '-- %d s: %s\n' $((SECONDS - began)) "$step"
  else
    printf -- '-- %d s: %s FAILED\n' $((SECONDS - began)) "$step"
    failed+=("$step")
  fi
done
if [ ${#failed[@]} -gt 0 ]; then
  printf '\nfailed: %s\n' "${failed[*]}"
  exit 1
fi
printf '\nall steps of the night passed\n'
