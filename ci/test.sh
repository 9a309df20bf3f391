#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs the tests. Takes a CMake preset (release by default; sanitize is what CI runs as well).
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}

bash ci/packages.sh
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" -- --quiet
ctest --preset "$preset" -j "$(nproc)"
