#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the page that gates, build/dist/pprofgate-page.html: one file that judges profiles in a browser.
# Exit status 77: a tool is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v node >/dev/null; then
  echo "skipped: 'node' is missing" >&2
  exit 77
fi
bash packaging/wasm.sh
node packaging/page/build.mjs build/dist/pprofgate.wasm build/dist/pprofgate-page.html
