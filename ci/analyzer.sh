#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# gcc's analyzer over gate/: paths on which memory is used after it was freed or freed twice, a descriptor is lost or a
# NULL is followed. (clang's analyzer is among clang-tidy's checks.) Of what is never freed gcc 12 is wrong: it does not
# see that an arena holds its blocks; LeakSanitizer and ci/valgrind.sh say that. Needs gcc 12 or later.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/has.sh
has gcc || exit 0
build=build/analyzer
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=gcc -DPPROFGATE_TESTS=OFF \
  -DPPROFGATE_WERROR=ON -DCMAKE_C_COMPILER_LAUNCHER= \
  -DCMAKE_C_FLAGS="-O1 -fanalyzer -Wno-analyzer-malloc-leak" >/dev/null
cmake --build "$build" --target gate -- --quiet -k 0
echo "analyzer: nothing found"
