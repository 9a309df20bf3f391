#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What users get: the static program, archive, wheel, npm packages and images of this machine's architecture, each
# installed and tried, and a team's first week with it. packaging/build.sh and packaging/try.sh do all architectures and
# system packages, packaging/reproducible.sh makes all twice to equal bytes: the release does those.
#   packages.sh        the wheel's shared library only if a change touches it
#   packages.sh all    for the night
set -euo pipefail
cd "$(dirname "$0")/../.."
. ci/has.sh
library=no-library
if [ "${1:-}" = all ] || touched CMakeLists.txt gate/CMakeLists.txt gate/library include packaging/python \
  packaging/{cross_libraries,library,wheel,zig}.sh packaging/zig.cmake; then
  library=''
fi
status=0
bash packaging/sysroot.sh "$(uname -m)" >/dev/null || status=$?
if [ $status -eq 77 ]; then
  exit 0 # it has said what is missing
elif [ $status -ne 0 ]; then
  exit $status
fi
bash packaging/build.sh --quick $library
bash packaging/try.sh --quick
bash ci/e2e.sh
