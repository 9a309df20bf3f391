#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The manifests of ci/argo: read strictly, built by kustomize where kubectl is there, and Flagger's webhook answered by
# its own load tester.
#   ci/night.d/argo.sh full   also runs them through the controllers of Argo Rollouts, which take minutes to compile
set -euo pipefail
cd "$(dirname "$0")/../argo"

if ! command -v go >/dev/null; then
  echo "skipped: there is no Go to build the tests with"
  exit 0
fi
if ! log=$(go mod download github.com/argoproj/argo-rollouts github.com/fluxcd/flagger k8s.io/api 2>&1); then
  printf 'skipped: the modules of the tests are not to be had: %s\n' "$(tail -n 1 <<<"$log")"
  exit 0
fi
packages=(./manifests ./flagger)
if [ "${1:-}" = full ]; then
  packages+=(./rollouts)
else
  echo "skipped: the controllers of Argo Rollouts, which take minutes to compile; 'ci/night.d/argo.sh full' has them"
fi

if [ -z "${PPROFGATE:-}" ]; then
  (cd ../.. && cmake --preset release >/dev/null && cmake --build --preset release --target pprofgate -- --quiet)
  PPROFGATE=$(realpath ../../build/release/pprofgate)
  export PPROFGATE
fi
if command -v kubectl >/dev/null; then
  for folder in job published prometheus; do
    kubectl kustomize "$folder" >/dev/null
  done
fi
go test -vet=off -count=1 "${packages[@]}"
