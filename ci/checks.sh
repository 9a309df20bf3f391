#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The slower checks of every change: sanitizers, the second compiler, static analysis of what changed, fuzzing for a
# bounded time, scripts, the page. ci/night.sh has what takes longer.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/has.sh

# Each step says how long the one before it took, and how much processor time, which other work of the machine hardly
# changes; the last words of a run that fails name the step it failed in.
begun='' started=0 spent=0
times=$(mktemp)
processor_seconds() { # of all that this shell has run, into $processor; in no subshell, which has run nothing
  times >"$times"
  processor=$(awk 'NR == 2 { split($1, user, "[ms]"); split($2, system, "[ms]")
    printf "%.0f", 60 * (user[1] + system[1]) + user[2] + system[2] }' "$times")
}
step() {
  processor_seconds
  [ -z "$begun" ] ||
    printf -- '-- %d s, %d s of processor time: %s\n' $((SECONDS - started)) $((processor - spent)) "$begun"
  begun=$* started=$SECONDS spent=$processor
  printf '\n== %s\n' "$*"
}
ended() { # STATUS
  rm -f "$times"
  [ "$1" -eq 0 ] || printf '\nthe checks ended with %d in: %s\n' "$1" "${begun:-nothing}"
}
trap 'ended $?' EXIT

step "layers"
cmake -P ci/layers.cmake

step "at most 120 columns"
if git ls-files -z '*.c' '*.h' '*.cmake' '*CMakeLists.txt' '*.sh' |
  LC_ALL=C.UTF-8 xargs -0 grep -nE '^.{121,}'; then
  echo "the lines above are too long" >&2
  exit 1
fi

if has clang-format; then
  step "clang-format (.clang-format); 'git ls-files *.c *.h | xargs clang-format -i' does it"
  git ls-files -z '*.c' '*.h' | xargs -0 clang-format --dry-run --Werror
fi

# The build that ci/test.sh tests, made again only where it was configured otherwise.
step "warnings are errors, optimised too"
cmake --preset release -DPPROFGATE_WERROR=ON >/dev/null
cmake --build --preset release -- --quiet

# One build by clang, without warnings, has the sanitizers and the fuzz targets; clang-tidy reads how it was compiled.
if has clang; then
  step "clang; tests that handle memory, under AddressSanitizer and UndefinedBehaviorSanitizer"
  bash ci/test.sh memory
fi

# Two programs of one thread each.
step "cppcheck; the tests' reference values are those that tests/oracle computes"
tests/oracle/reference.py --check &
reference=$!
if has cppcheck; then
  cppcheck --quiet --std=c11 --enable=warning,portability --inline-suppr --error-exitcode=1 \
    --suppress=normalCheckLevelMaxBranches --suppress=missingIncludeSystem \
    -DGATE_VERSION='""' -I . gate
fi
wait "$reference"

# What was changed in the last two days; all of it is analysed at night.
if has clang-tidy; then
  step "clang-tidy of what changed (.clang-tidy)"
  bash ci/tidy.sh --since '2 days ago'
fi

step "faults in the decision code are noticed"
tests/mutation/run --sample 40 --seed 1 --at-least 85

if has shellcheck; then
  step "shellcheck"
  git ls-files '*.sh' .ci/run | xargs shellcheck -x
fi

if has clang; then
  step "fuzzing, ${FUZZ_SECONDS:-3} seconds a target"
  FUZZ_SEED=1 bash ci/fuzz.sh "${FUZZ_SECONDS:-3}"
fi

for script in ci/checks.d/*.sh; do
  [ -f "$script" ] || continue
  step "$(basename "$script" .sh)"
  bash "$script"
done
step "all checks passed"
