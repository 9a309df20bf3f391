#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# examples/fleet with Apache Spark, which `ci/packages.sh checks` does not install: it has 450 MB.
set -euo pipefail
cd "$(dirname "$0")/../.."
if ! command -v java >/dev/null; then
  echo "skipped: Apache Spark needs Java"
  exit 0
fi
bash tests/fleet/engines.sh spark install >/dev/null
cmake --preset release >/dev/null # registers the tests of the engine
cmake --build --preset release -- --quiet
ctest --preset release -R '^fleet' --output-on-failure
