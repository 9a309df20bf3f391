#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what a fresh Debian or Ubuntu lacks.
#   ci/packages.sh          to build and test
#   ci/packages.sh checks   also what the slower checks of .ci/run use
#   ci/packages.sh release  also what makes and tries a release's files
set -euo pipefail

build=(gcc g++ libc6-dev cmake ninja-build pkg-config ca-certificates
  libprotobuf-c-dev protobuf-c-compiler zlib1g-dev libzstd-dev libdeflate-dev
  libyaml-dev libpcre2-dev libjansson-dev libxxhash-dev libcurl4-openssl-dev libdw-dev libiberty-dev
  libcmocka-dev libxml2-utils python3 python3-yaml python3-jsonschema)
checks=(clang clang-format clang-tidy cppcheck libclang-rt-14-dev llvm shellcheck chromium python3-venv rsync
  dpkg-dev debian-archive-keyring skopeo zsh fish mandoc groff busybox-static valgrind libxml2-dev prometheus)
# What packaging/build.sh and packaging/try.sh use for everything that a release consists of.
release=(dpkg-dev debian-archive-keyring gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static rpm lintian
  skopeo mmdebstrap python3-venv git)
if ! command -v npm >/dev/null; then # there may be another's, which does not go with Debian's
  checks+=(nodejs npm)
  release+=(nodejs npm)
fi

wanted=("${build[@]}")
if [ "${1:-}" = checks ]; then
  wanted+=("${checks[@]}")
elif [ "${1:-}" = release ]; then
  wanted+=("${release[@]}")
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
