#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Profiles from stores, against servers built from the Go modules that Pyroscope and Parca publish
# (tests/stores/go), and their work, against Prometheus itself.
set -euo pipefail
cd "$(dirname "$0")/../.."
if ! command -v python3 >/dev/null; then
  echo "skipped: it needs Python"
  exit 0
fi
if [ -z "${PPROFGATE:-}" ]; then
  cmake --preset release >/dev/null && cmake --build --preset release --target pprofgate -- --quiet
  PPROFGATE=build/release/pprofgate
fi
if command -v prometheus >/dev/null && command -v promtool >/dev/null; then
  python3 tests/stores/prometheus_test.py "$PPROFGATE" "$PWD"
else
  echo "skipped: prometheus is not there"
fi
if ! command -v go >/dev/null; then
  echo "skipped: the servers of Pyroscope's and Parca's modules need Go"
  exit 0
fi
server=$(mktemp)
trap 'rm -f "$server"' EXIT
if ! log=$(cd tests/stores/go && go mod download github.com/grafana/pyroscope/api github.com/parca-dev/parca 2>&1); then
  printf 'skipped: the modules of the servers are not to be had: %s\n' "$(tail -n 1 <<<"$log")"
  exit 0
fi
(cd tests/stores/go && go vet ./... && go build -o "$server" .)
python3 tests/stores/modules_test.py "$PPROFGATE" "$PWD" "$server"
