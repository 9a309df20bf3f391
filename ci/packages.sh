#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the packages that a fresh Debian or Ubuntu lacks, as root or through sudo.
#   ci/packages.sh          to build and test
#   ci/packages.sh checks   also what the slower checks of .ci/run use
#   ci/packages.sh release  also what makes and tries a release's files
# The last two install Zig's compiler from PyPI too, into a folder of its own (packaging/zig.sh). `checks` also installs
# Dask so (tests/fleet/engines.sh).
set -euo pipefail

from_pypi() {
  [ -z "$1" ] || bash "$(dirname "$0")/../packaging/zig.sh" install >/dev/null
  [ "$1" != checks ] || bash "$(dirname "$0")/../tests/fleet/engines.sh" dask install >/dev/null
}

build=(gcc g++ libc6-dev cmake ninja-build pkg-config ca-certificates
  libprotobuf-c-dev protobuf-c-compiler zlib1g-dev libzstd-dev libdeflate-dev
  libyaml-dev libpcre2-dev libjansson-dev libxxhash-dev libcurl4-openssl-dev libdw-dev libiberty-dev
  libseccomp-dev
  libcmocka-dev libxml2-utils python3 python3-yaml python3-jsonschema git openssl)
checks=(clang clang-format clang-tidy cppcheck libclang-rt-14-dev llvm shellcheck chromium python3-venv
  python3-pytest rsync dpkg-dev debian-archive-keyring mmdebstrap skopeo zsh fish mandoc groff busybox-static valgrind
  libxml2-dev prometheus curl bzip2 xz-utils zstd dwz lld mold linux-perf)
# What packaging/build.sh and packaging/try.sh use for everything that a release consists of.
release=(dpkg-dev debian-archive-keyring gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static rpm lintian
  skopeo mmdebstrap python3-venv llvm)
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

# Fedora, Arch, macOS and others name the same libraries differently, so only the user can install them there.
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  cat >&2 <<TEXT
ci/packages.sh: this system has no apt-get and dpkg-query: it installs packages on Debian and Ubuntu only
Install with your package manager what these Debian packages contain:
  ${wanted[*]}
Then build: cmake --preset release && cmake --build --preset release && ctest --preset release -LE slow
TEXT
  exit 1
fi

missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
if [ "${#missing[@]}" -eq 0 ]; then
  from_pypi "${1:-}"
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    cat >&2 <<TEXT
ci/packages.sh: packages are missing; only root can install them, and this system has no sudo
Run this as root, then start again:
  apt-get update && apt-get install --no-install-recommends ${missing[*]}
TEXT
    exit 1
  fi
  as_root=(sudo)
fi
echo "installing: ${missing[*]}"
"${as_root[@]}" apt-get update -qq
# Some releases lack a package of `checks` and `release`, such as the runtime of another version of clang.
available=()
for package in "${missing[@]}"; do
  if apt-cache show "$package" >/dev/null 2>&1; then
    available+=("$package")
  else
    echo "not in this release, left out: $package" >&2
  fi
done
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${available[@]}" >/dev/null
from_pypi "${1:-}"
