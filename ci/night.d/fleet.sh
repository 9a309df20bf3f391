#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# examples/fleet with Apache Spark. At night only: it needs Java, and its archive of 450 MB has to be made a wheel,
# which takes 35 s of processor time, more than all other tests of the fleet together.
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
