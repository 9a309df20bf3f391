#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a clean clone to a first verdict: installs what is missing, builds, and gates a canary with a planted
# regression against its baseline. The gate is meant to fail here: exit status 0 of this script means that it did.
set -euo pipefail
cd "$(dirname "$0")/.."

bash ci/packages.sh
cmake --preset release >build-configure.log || { cat build-configure.log; exit 1; }
rm -f build-configure.log
# What `cmake --install` takes; ci/test.sh builds the rest in the same folder.
cmake --build --preset release --target pprofgate pprofgate_pages -- --quiet

report=build/quickstart
mkdir -p "$report"
fixtures=fixtures/go-service/cpu
status=0
build/release/pprofgate check \
  --baseline $fixtures/baseline-1.pb.gz --baseline $fixtures/baseline-2.pb.gz --baseline $fixtures/baseline-3.pb.gz \
  --canary $fixtures/regression-1.pb.gz --canary $fixtures/regression-2.pb.gz --canary $fixtures/regression-3.pb.gz \
  --rules recommended \
  --html "$report/report.html" --svg "$report/flamegraph.svg" --json "$report/report.json" \
  --junit "$report/junit.xml" || status=$?

echo
echo "reports: $report/report.html, flamegraph.svg, report.json, junit.xml"
if [ "$status" -ne 1 ]; then
  echo "expected the gate to fail this canary (exit status 1), but it ended with $status" >&2
  exit 1
fi
echo "the gate blocked the planted regression, as it should (exit status 1)"
