#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds everything and runs tests.
#   ci/test.sh           the fast tests of the release build: at most 3 minutes on 2 cores, after ci/quickstart.sh
#   ci/test.sh all       every test of the release build but those for the night
#   ci/test.sh night     those
#   ci/test.sh sixth     every sixth of the fast tests, for a machine that only may lack a package
#   ci/test.sh memory    the fast tests that call functions or read files, under clang's sanitizers (the preset `fuzz`);
#                        tests that only combine whole commands run under gcc's at night
#   ci/test.sh PRESET    every test of another CMake preset's build; the night runs `sanitize`, which is gcc's
# tests/CMakeLists.txt says which tests have the labels `slow` and `night`, and CONTRIBUTING.md what `measures` is for.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=release
left_out=night
layers=.
only=''
stride=1
case ${1:-} in
  '') left_out=slow ;;
  all) ;;
  night) left_out='' only=night ;;
  sixth) left_out=slow stride=6 ;;
  memory)
    preset=fuzz left_out=slow
    layers='^(unit|case|cases|fuzz|capture|symbols|perf|sealed|refusals)\.'
    layers+='|^(hand\.the_installed_library_can_be_used|stores\.lies'
    layers+='|hostile\.(each_format_has_hostile_files|a_hostile_source_map.*))$'
    export REFUSALS_DEPTH=${REFUSALS_DEPTH:-2} # of a request refused, its two nearest callers make the place
    ;;
  *) preset=$1 left_out='' ;;
esac

bash ci/packages.sh
cmake --preset "$preset" | sed -n '/tests left out/p' # tests of programs that are not installed
cmake --build --preset "$preset" -- --quiet

status=0
chosen=(-R "$layers" ${only:+-L "$only"} -I "1,,$stride")
# Twice as many at once as there are processors: for half of their time, tests wait for git, a disk or a timeout.
ctest --preset "$preset" "${chosen[@]}" -j $((2 * $(nproc))) -LE "measures${left_out:+|$left_out}" || status=$?
# What measures real programs, or waits for one that is late, meets a busy moment of the machine now and then: three
# tries. What fails in all of them is no chance. Most of them wait most of the time.
ctest --preset "$preset" "${chosen[@]}" -j $((1 + $(nproc))) -L measures ${left_out:+-LE "$left_out"} \
  --repeat until-pass:3 || status=$?
[ "$left_out" != slow ] || echo "slow tests were left out: 'bash ci/test.sh all' runs them"
exit "$status"
