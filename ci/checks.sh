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
processor_seconds() { # of all that this shell has run, into $processor; not in $(), which has run nothing
  times >"$times"
  processor=$(awk 'NR == 2 { split($1, program, "[ms]"); split($2, kernel, "[ms]")
    printf "%.0f", 60 * (program[1] + kernel[1]) + program[2] + kernel[2] }' "$times")
}
step() {
  processor_seconds
  [ -z "$begun" ] ||
    printf -- '-- %d s, %d s of processor time: %s\n' $((SECONDS - started)) $((processor - spent)) "$begun"
  begun=$* started=$SECONDS spent=$processor
  printf '\n== %s\n' "$*"
}
# Scripts of ci/checks.d that make their own builds, one after another beside the other steps, until `joined`.
scripts='' beside_pid='' beside_log=$(mktemp)
beside() { # NAME...
  local name begun='' times=$beside_log.times # its own, as its processor time is
  set -m # a process group of its own
  {
    for name; do
      step "$name"
      bash "ci/checks.d/$name.sh"
    done
    step "end of: $*"
  } >"$beside_log" 2>&1 &
  beside_pid=$!
  set +m
  scripts+=" $*"
}
script() { # NAME: of ci/checks.d
  scripts+=" $1"
  step "$1"
  bash "ci/checks.d/$1.sh"
}
joined() {
  local status=0
  step "what was begun before"
  wait "$beside_pid" || status=$?
  beside_pid=''
  cat "$beside_log"
  return $status
}
ended() { # STATUS
  [ -z "$beside_pid" ] || kill -- "-$beside_pid" 2>/dev/null || true
  rm -f "$times" "$beside_log" "$beside_log.times"
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

if has shellcheck; then
  step "shellcheck"
  git ls-files '*.sh' .ci/run | xargs shellcheck -x
fi

if has clang-format; then
  step "clang-format (.clang-format); 'git ls-files *.c *.h | xargs clang-format -i' does it"
  git ls-files -z '*.c' '*.h' | xargs -0 clang-format --dry-run --Werror
fi

# The build that ci/test.sh tests: made already in .ci/run.
step "warnings are errors, optimised too"
cmake --preset release -DPPROFGATE_WERROR=ON >/dev/null
cmake --build --preset release -- --quiet

beside browser bare_roots packages wasm site

# One build by clang, without warnings, has the sanitizers and the fuzz targets; clang-tidy reads how it was compiled.
if has clang; then
  step "clang; tests that handle memory, under AddressSanitizer and UndefinedBehaviorSanitizer"
  bash ci/test.sh memory
fi

if has clang; then
  step "fuzzing, a second a target"
  FUZZ_SEED=1 bash ci/fuzz.sh 1
fi

# What was changed in the last day, and not far; all of it is analysed at night.
if has cppcheck; then
  step "cppcheck of what changed"
  bash ci/cppcheck.sh --since '1 day ago'
fi

if has clang-tidy; then
  step "clang-tidy of what changed (.clang-tidy)"
  TIDY_NODES=20000 bash ci/tidy.sh --since '1 day ago'
fi

for path in ci/checks.d/*.sh; do
  name=$(basename "$path" .sh)
  case " $scripts " in
    *" $name "*) ;;
    *) script "$name" ;;
  esac
done
joined
step "all checks passed"
