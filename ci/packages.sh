#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what a fresh Debian or Ubuntu lacks.
#   ci/packages.sh          to build and test
#   ci/packages.sh checks   also what the slower checks of .ci/run use
set -euo pipefail

build=(gcc g++ libc6-dev cmake ninja-build pkg-config ca-certificates
  libprotobuf-c-dev protobuf-c-compiler zlib1g-dev libzstd-dev libdeflate-dev
  libyaml-dev libpcre2-dev libjansson-dev libxxhash-dev
  libcmocka-dev libxml2-utils python3 python3-yaml python3-jsonschema)
checks=(clang clang-format clang-tidy cppcheck libclang-rt-14-dev llvm shellcheck chromium python3-venv)

wanted=("${build[@]}")
if [ "${1:-}" = checks ]; then
  wanted+=("${checks[@]}")
fi

missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
if [ "${#missing[@]}" -eq 0 ]; then
  exit 0
fi

# Ubuntu releases carry another clang runtime: take the one that matches its clang.
root=()
[ "$(id -u)" -eq 0 ] || root=(sudo)
echo "installing: ${missing[*]}"
"${root[@]}" apt-get update -qq
available=()
for package in "${missing[@]}"; do
  if apt-cache show "$package" >/dev/null 2>&1; then
    available+=("$package")
  else
    echo "not in this release, left out: $package" >&2
  fi
done
DEBIAN_FRONTEND=noninteractive "${root[@]}" apt-get install -y -qq --no-install-recommends "${available[@]}" >/dev/null
