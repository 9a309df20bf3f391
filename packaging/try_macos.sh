#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the archive, the wheel and the npm packages of build/dist on a Mac, gates a planted regression with each, and
# runs the cases of fixtures/cases with the program. ci/recipes/github-macos.yml runs it. Needs Python 3 and Node 20.
set -euo pipefail
cd "$(dirname "$0")/.."
dist=$PWD/build/dist
fixtures=$PWD/fixtures
version=$(sed -n 's/^project(pprofgate VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
system=macos npm=darwin
if [ "$(uname -s)" = Linux ]; then # to try this script where there is no Mac
  system=linux npm=linux
fi
case $(uname -m) in
  arm64 | aarch64) arch=aarch64 cpu=arm64 ;;
  *) arch=x86_64 cpu=x64 ;;
esac
place=$(mktemp -d "${TMPDIR:-/tmp}/pprofgate-try-XXXXXX")
trap 'rm -rf "$place"' EXIT

expect_verdict() { # WHAT PROGRAM
  local status=0
  (cd "$fixtures/go-service/cpu" && "$2" check baseline-1.pb.gz regression-1.pb.gz) >"$place/out" 2>"$place/err" ||
    status=$?
  if [ $status -ne 1 ] || ! grep -q '^  main.priceRound: charged ' "$place/out"; then
    echo "$1: expected exit status 1 and 'main.priceRound', found status $status:" >&2
    cat "$place/out" "$place/err" >&2
    exit 1
  fi
  echo "$1: gates"
}

tar -xzf "$dist/pprofgate-$version-$system-$arch.tar.gz" -C "$place"
program=$place/pprofgate-$version-$system-$arch/bin/pprofgate
"$program" version
expect_verdict archive "$program"

python3 -m venv "$place/venv"
"$place/venv/bin/pip" install -q --disable-pip-version-check --no-index --find-links "$dist" pprofgate
if find "$place/venv" -name pprofgate.wasm | grep -q .; then
  echo "wheel: expected that pip takes the wheel for this system, found the one with WebAssembly" >&2
  exit 1
fi
expect_verdict wheel "$place/venv/bin/pprofgate"

mkdir "$place/npm"
npm install --prefix "$place/npm" --no-audit --no-fund --silent --omit=optional \
  "$dist/pprofgate-$npm-$cpu-$version.tgz" "$dist/pprofgate-$version.tgz"
expect_verdict "npm packages" "$place/npm/node_modules/.bin/pprofgate"

# Given the names of all cases, the script does not expect that commands are refused as in the WebAssembly build.
names=()
for folder in "$fixtures"/cases/*/; do names+=("$(basename "$folder")"); done
PPROFGATE_LAUNCHER=$program node tests/cases/wasm_cases.mjs - "$fixtures" "${names[@]}"

# HTTP by the system's libcurl, sockets, threads.
python3 -m http.server --bind 127.0.0.1 --directory "$fixtures/go-service/cpu" 8080 >"$place/server" 2>&1 &
server=$!
trap 'kill $server; rm -rf "$place"' EXIT
for _ in $(seq 50); do
  ! curl -fs -o /dev/null http://127.0.0.1:8080/ || break
  sleep 0.2
done
"$program" capture --runs 1 --seconds 1 -o "$place/taken" --baseline http://127.0.0.1:8080/baseline-1.pb.gz \
  --canary http://127.0.0.1:8080/regression-1.pb.gz
find "$place/taken" -name '*.pb.gz' | grep -q .
echo "capture: takes profiles"
