#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The documentation's site can be built, and its links, anchors and search entries lead somewhere.
set -euo pipefail
cd "$(dirname "$0")/../.."
. ci/has.sh
has node python3 || exit 0
bash packaging/zig.sh >/dev/null || has zig || exit 0
bash packaging/site.sh
python3 tests/site/check.py build/site .
