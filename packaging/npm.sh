#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the npm packages: a launcher, and one package a platform with the static program and the licences of what is
# linked into it. Nothing is fetched when they are installed: npm takes the package that fits from the launcher's
# optional dependencies.
#   packaging/npm.sh VERSION FOLDER ARCH=STAGE...
set -euo pipefail
cd "$(dirname "$0")/.."
version=$1
dist=$(realpath "$2")
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
about='"license": "Apache-2.0", "homepage": "https://github.com/pprofgate/pprofgate",
  "repository": {"type": "git", "url": "git+https://github.com/pprofgate/pprofgate.git"}'

optional=
for pair in "$@"; do
  case ${pair%%=*} in
    x86_64) cpu=x64 ;;
    aarch64) cpu=arm64 ;;
  esac
  mkdir -p "$work/$cpu/bin"
  install -m 755 "${pair#*=}/bin/pprofgate" "$work/$cpu/bin/pprofgate"
  cp -r "${pair#*=}/share/doc/pprofgate/licences" "$work/$cpu/"
  cp LICENSE "$work/$cpu/"
  cat >"$work/$cpu/package.json" <<JSON
{"name": "@pprofgate/linux-$cpu", "version": "$version", "description": "pprofgate for Linux on $cpu",
  $about, "os": ["linux"], "cpu": ["$cpu"], "files": ["bin", "licences"], "preferUnplugged": true}
JSON
  optional+=${optional:+, }"\"@pprofgate/linux-$cpu\": \"$version\""
  (cd "$dist" && npm pack --silent "$work/$cpu" >/dev/null)
done
mkdir -p "$work/launcher/bin"
install -m 755 packaging/npm/pprofgate.js "$work/launcher/bin/pprofgate.js"
# For platforms without a package; packaging/wasm.sh made it, if Zig's compiler is here.
if [ -f "$dist/pprofgate.wasm" ]; then
  cp packaging/npm/wasm.mjs "$dist/pprofgate.wasm" "$work/launcher/bin/"
fi
cp LICENSE README.md "$work/launcher/"
cat >"$work/launcher/package.json" <<JSON
{"name": "pprofgate", "version": "$version", "description": "Deploy gate that compares pprof profiles",
  $about, "bin": {"pprofgate": "bin/pprofgate.js"}, "files": ["bin"], "engines": {"node": ">=14"},
  "optionalDependencies": {$optional}}
JSON
(cd "$dist" && npm pack --silent "$work/launcher" >/dev/null)
