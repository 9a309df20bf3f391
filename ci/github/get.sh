#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gets pprofgate for a job of GitHub Actions, for action.yml: a given binary, a release by its checksum, or built here.
# Writes binary=PATH to GITHUB_OUTPUT and puts its folder on the path of later steps.
set -euo pipefail

die() {
  local text=$*
  text=${text//'%'/%25}
  text=${text//$'\r'/%0D}
  printf '::error title=pprofgate::%s\n' "${text//$'\n'/%0A}"
  exit 2
}

# The program works, and later steps find it.
offer() {
  local binary
  binary=$(cd "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
  case $binary in *$'\n'*) die "a path with a line break cannot be told to later steps" ;; esac
  { [ -f "$binary" ] && [ -x "$binary" ]; } || die "'$binary' cannot be run: it is no file, or not executable"
  "$binary" --help >/dev/null 2>&1 || die "'$binary' does not run on this machine"
  printf 'binary=%s\n' "$binary" >>"$GITHUB_OUTPUT"
  dirname -- "$binary" >>"$GITHUB_PATH"
  exit 0
}

# The version of the action's own checkout, as its CMakeLists.txt says.
own_version() {
  sed -n 's/^ *project(.*VERSION *\([0-9][0-9.]*\).*/\1/p; s/^ *VERSION *\([0-9][0-9.]*\).*/\1/p' \
    "$PPROFGATE_ACTION/CMakeLists.txt" | head -n 1
}

fetch() { # URL FILE
  local schemes='=https'
  case $PPROFGATE_SERVER in http://*) schemes='=http,https' ;; esac # an enterprise server of one's own
  curl --silent --show-error --fail --location --proto "$schemes" --proto-redir "$schemes" --retry 3 \
    --max-time 300 --max-filesize 104857600 --output "$2" -- "$1"
}

# 1: there is no such release. What was fetched and is not what it should be ends the step.
release() { # VERSION
  local version=$1 name url folder sum found
  case $(uname -m) in
  x86_64 | amd64) name=pprofgate-$version-linux-x86_64 ;;
  aarch64 | arm64) name=pprofgate-$version-linux-aarch64 ;;
  *) return 1 ;;
  esac
  [ "$(uname -s)" = Linux ] || return 1
  url=$PPROFGATE_SERVER/$PPROFGATE_REPOSITORY/releases/download/v$version
  folder=$(mktemp -d "$RUNNER_TEMP/pprofgate.XXXXXX")
  fetch "$url/$name.tar.gz" "$folder/archive" || return 1
  sum=${INPUT_SHA256:-}
  if [ -z "$sum" ]; then
    fetch "$url/SHA256SUMS" "$folder/sums" || die "the release $version has no SHA256SUMS"
    sum=$(awk -v file="$name.tar.gz" '$2 == file || $2 == "*" file {print $1; exit}' "$folder/sums")
  fi
  [[ $sum =~ ^[0-9A-Fa-f]{64}$ ]] || die "no SHA-256 is known of $name.tar.gz"
  found=$(sha256sum "$folder/archive" | cut -d ' ' -f 1)
  [ "$found" = "${sum,,}" ] || die "$name.tar.gz is not what was released: expected SHA-256 ${sum,,}, found $found"
  tar -xzf "$folder/archive" -C "$folder" --no-same-owner "$name/bin/pprofgate"
  offer "$folder/$name/bin/pprofgate"
}

build() {
  local folder=$RUNNER_TEMP/pprofgate-build
  [ "$(uname -s)" = Linux ] || die "there is no release for this machine: give the input 'binary'"
  echo "building pprofgate from $PPROFGATE_ACTION"
  bash "$PPROFGATE_ACTION/ci/packages.sh"
  cmake -S "$PPROFGATE_ACTION" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DPPROFGATE_TESTS=OFF >/dev/null
  cmake --build "$folder" --target pprofgate --parallel "$(nproc)"
  offer "$folder/pprofgate"
}

if [ -n "${INPUT_BINARY:-}" ]; then
  [ -e "$INPUT_BINARY" ] || die "the input 'binary': there is no '$INPUT_BINARY'"
  offer "$INPUT_BINARY"
fi
version=${INPUT_VERSION:-}
if [ "$version" = source ]; then
  build
fi
if [ -n "$version" ]; then
  version=${version#v}
  [[ $version =~ ^[0-9]+(\.[0-9]+)*(-[0-9A-Za-z.]+)?$ ]] ||
    die "the input 'version': '$version' is not a version such as 0.2.0"
  release "$version" || die "the release $version was not found at $PPROFGATE_SERVER/$PPROFGATE_REPOSITORY"
fi
if [ -z "${PPROFGATE_REF:-}" ]; then
  printf '::warning title=pprofgate::%s\n' "github.action_ref is empty, so the release that belongs to this action is \
not known, and pprofgate is built from the action's sources: set the input 'version' to take a release instead"
fi
# A tag such as v0 or v0.2.0 is of a release. What is not one may be newer than any.
if [[ ${PPROFGATE_REF:-} =~ ^v[0-9] ]]; then
  version=$(own_version)
  [ -z "$version" ] || release "$version" || echo "no release $version for this machine"
fi
build
