#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The HTML report in a real browser, and the CI formats in readers that are not ours. Needs node and chromium.
set -euo pipefail
cd "$(dirname "$0")/../.."
if ! command -v node >/dev/null || ! command -v chromium >/dev/null; then
  echo "node or chromium is missing: skipped"
  exit 0
fi
cmake --preset dev >/dev/null
cmake --build --preset dev -- --quiet
tests/browser/run build/dev
