#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The HTML report in a real browser, and the CI formats in readers that are not ours. Needs node and chromium.
set -euo pipefail
cd "$(dirname "$0")/../.."
. ci/has.sh
has node chromium || exit 0
built render_reports
tests/browser/run build/release
