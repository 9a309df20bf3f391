#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The fuzz targets' corpora alone execute as much of the readers and of the rules as tests/fuzz/coverage.txt says.
set -euo pipefail
cd "$(dirname "$0")/../.."
. ci/has.sh
has gcov python3 || exit 0
bash ci/coverage.sh --corpora
