#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the npm packages: a launcher, and one package a platform with the static program and the licences of what is
# linked into it. Nothing is fetched when they are installed: npm takes the package that fits from the launcher's
# optional dependencies.
#   packaging/npm.sh VERSION FOLDER [macos-]ARCH=STAGE...
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
  system=linux title=Linux
  case ${pair%%=*} in macos-*) system=darwin title=macOS ;; esac
  case ${pair%%=*} in
    *x86_64) cpu=x64 ;;
    *aarch64) cpu=arm64 ;;
  esac
  platform=$system-$cpu
  mkdir -p "$work/$platform/bin"
  install -m 755 "${pair#*=}/bin/pprofgate" "$work/$platform/bin/pprofgate"
  cp -r "${pair#*=}/share/doc/pprofgate/licences" "$work/$platform/"
  cp LICENSE "$work/$platform/"
  cat >"$work/$platform/package.json" <<JSON
{"name": "@pprofgate/$platform", "version": "$version", "description": "pprofgate for $title on $cpu",
  $about, "os": ["$system"], "cpu": ["$cpu"], "files": ["bin", "licences"], "preferUnplugged": true}
JSON
  optional+=${optional:+, }"\"@pprofgate/$platform\": \"$version\""
  (cd "$dist" && npm pack --silent "$work/$platform" >/dev/null)
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
