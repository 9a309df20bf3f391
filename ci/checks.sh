#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every test and the other checks of a change: sanitizers, the second compiler, static analysis of what changed, fuzzing
# for a bounded time, scripts, the page, packages, a bare machine. ci/night.sh has what takes longer.
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
# Steps that make their own builds or wait for a network, one after another beside the other steps, until `joined NAME`.
# They give way to those a little, so that tests have the processors that they wait for.
scripts='' beside_log=''
declare -A beside_pids=() beside_logs=() # by the first NAME
beside() { # NAME...: functions here, or scripts of ci/checks.d
  local name begun='' times
  beside_log=$(mktemp)
  times=$beside_log.times # its own, as its processor time is
  set -m # a process group of its own
  {
    renice -n 5 "$BASHPID" >/dev/null || true
    for name; do
      step "$name"
      if declare -F "$name" >/dev/null; then "$name"; else bash "ci/checks.d/$name.sh"; fi
    done
    step "end of: $*"
  } >"$beside_log" 2>&1 &
  beside_pids[$1]=$!
  beside_logs[$1]=$beside_log
  set +m
  scripts+=" $*"
}
script() { # NAME: of ci/checks.d
  scripts+=" $1"
  step "$1"
  bash "ci/checks.d/$1.sh"
}
joined() { # NAME: the first of a call of `beside`
  local status=0
  step "wait for what was begun before"
  wait "${beside_pids[$1]}" || status=$?
  beside_pids[$1]=''
  cat "${beside_logs[$1]}"
  return $status
}
ended() { # STATUS
  local name
  for name in "${!beside_pids[@]}"; do
    [ -z "${beside_pids[$name]}" ] || kill -- "-${beside_pids[$name]}" 2>/dev/null || true
    rm -f "${beside_logs[$name]}" "${beside_logs[$name]}.times"
  done
  rm -f "$times"
  [ "$1" -eq 0 ] || printf '\nthe checks ended with %d in: %s\n' "$1" "${begun:-nothing}"
}
trap 'ended $?' EXIT

# One build by clang, without warnings, has the sanitizers and the fuzz targets; clang-tidy reads how it was compiled.
clang_build() {
  cmake --preset fuzz >/dev/null
  cmake --build --preset fuzz -- --quiet
}

# The build that ci/test.sh tests: made already in .ci/run.
step "warnings are errors, optimised too"
cmake --preset release -DPPROFGATE_WERROR=ON >/dev/null
cmake --build --preset release -- --quiet

! has clang || beside clang_build
# The bare root first: what it waits for most is the network.
beside bare_roots browser packages wasm site

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

step "tests"
bash ci/test.sh all

if has clang; then
  joined clang_build
  step "tests that handle memory, under AddressSanitizer and UndefinedBehaviorSanitizer"
  bash ci/test.sh memory
fi

if has clang; then
  step "fuzzing of what changed, a second a target"
  FUZZ_SEED=1 bash ci/fuzz.sh --changed 12 1
fi

# What was changed last, not far, and not of more files than a change has; all of them are analysed at night.
if has cppcheck; then
  step "cppcheck of what changed"
  bash ci/cppcheck.sh --changed 60
fi

if has clang-tidy; then
  step "clang-tidy of what changed (.clang-tidy)"
  TIDY_NODES=20000 bash ci/tidy.sh --changed 60
fi

for path in ci/checks.d/*.sh; do
  name=$(basename "$path" .sh)
  case " $scripts " in
    *" $name "*) ;;
    *) script "$name" ;;
  esac
done
joined bare_roots
step "all checks passed"
