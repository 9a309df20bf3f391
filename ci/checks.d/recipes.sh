#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What users copy into their pipelines, read and run by tools that are not ours: actionlint, zizmor, gitlab-ci-local,
# pre-commit, Groovy, and the schemas of the systems that publish one. Each is installed into build/ci-tools by its
# language's own client; what has no client here is skipped, and said. What needs Python alone is in ctest (tests/ci).
#   recipes.sh        only if a change touches what is read here
#   recipes.sh all    for the night
set -euo pipefail
cd "$(dirname "$0")/../.."
. ci/has.sh
if [ "${1:-}" != all ] && ! touched action.yml templates .pre-commit-hooks.yaml .github ci/github ci/hooks ci/recipes \
  ci/checks.d/recipes.sh tests/ci/{scratch,precommit,gitlab,jenkins}.py; then
  echo "no recipe was changed: left to the night"
  exit 0
fi
tools=$PWD/build/ci-tools
gate=
for preset in release dev; do
  [ -n "$gate" ] || [ ! -x "build/$preset/pprofgate" ] || gate=$PWD/build/$preset/pprofgate
done
if [ -z "$gate" ]; then
  built pprofgate
  gate=$PWD/build/release/pprofgate
fi
mkdir -p "$tools"

# NAME VERSION COMMAND...: installs once; a version that changed installs again.
installed() {
  local stamp=$tools/$1.version
  [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$2" ] || return 0
  if "${@:3}" >"$tools/$1.log" 2>&1; then
    echo "$2" >"$stamp"
  else
    echo "skipped: $1 cannot be installed: $(tail -n 1 "$tools/$1.log")"
    return 1
  fi
}

node_of() { node -e 'process.exit(+process.versions.node.split(".")[0] >= 18 ? 0 : 1)' 2>/dev/null; }

! command -v shellcheck >/dev/null || shellcheck ci/hooks/pre-push

if ! command -v go >/dev/null; then
  echo "skipped: actionlint: go is not installed"
elif installed actionlint v1.7.12 env GOBIN="$tools/bin" GOFLAGS=-mod=mod \
  go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12; then
  "$tools/bin/actionlint" ci/github/workflows/*.yml ci/recipes/github-*.yml .github/workflows/*.yml
  echo "ok: actionlint"
fi

python=
if ! python3 -c 'import venv, ensurepip' 2>/dev/null; then
  echo "skipped: pre-commit and schemas: Python has no venv"
elif installed python "pre-commit 4.3.0 check-jsonschema 0.33.3 zizmor 1.32.0" \
  bash -c "python3 -m venv '$tools/python' && '$tools/python/bin/pip' install --quiet \
    --disable-pip-version-check pre-commit==4.3.0 check-jsonschema==0.33.3 zizmor==1.32.0"; then
  python=$tools/python/bin
  "$python/zizmor" --offline --no-progress --quiet --config ci/github/zizmor.yml action.yml \
    ci/github/comment/action.yml ci/github/workflows/*.yml ci/recipes/github-*.yml
  "$python/check-jsonschema" --builtin-schema vendor.github-actions action.yml ci/github/comment/action.yml
  "$python/check-jsonschema" --builtin-schema vendor.github-workflows ci/github/workflows/*.yml \
    ci/recipes/github-*.yml
  "$python/check-jsonschema" --builtin-schema vendor.buildkite ci/recipes/buildkite.yml
  "$python/check-jsonschema" --builtin-schema vendor.azure-pipelines --data-transform azure-pipelines \
    --regex-variant nonunicode ci/recipes/azure-pipelines.yml
  "$python/pre-commit" validate-manifest .pre-commit-hooks.yaml
  python3 tests/ci/precommit.py "$gate" . "$python/pre-commit"
fi

if ! command -v rsync >/dev/null; then
  echo "skipped: gitlab-ci-local: rsync, which it needs, is not installed"
elif ! command -v npm >/dev/null || ! node_of; then
  echo "skipped: gitlab-ci-local: npm and Node 18 or later are not installed"
elif installed gitlab-ci-local 4.61.1 \
  npm install --silent --no-fund --no-audit --prefix "$tools/gitlab" gitlab-ci-local@4.61.1; then
  python3 tests/ci/gitlab.py "$gate" . "$tools/gitlab/node_modules/.bin/gitlab-ci-local"
fi

if ! command -v java mvn >/dev/null; then
  echo "skipped: Jenkinsfile: Java and Maven are not installed"
elif installed groovy 4.0.28 bash -c "for jar in groovy groovy-xml; do mvn -q -B \
  org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy -Dartifact=org.apache.groovy:\$jar:4.0.28 \
  -DoutputDirectory='$tools/groovy' || exit 1; done"; then
  python3 tests/ci/jenkins.py "$gate" . "$tools/groovy"
fi
