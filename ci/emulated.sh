#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds for other processors and runs the unit tests and the cases of fixtures/cases on them under qemu-user. s390x is
# big-endian, so each reader and writer that depends on the byte order of the machine fails there.
#   ci/emulated.sh [s390x|aarch64]...      both by default; for the night
# aarch64 takes 17 minutes of processor time: root, build (with a compiler cache) and 625 tests.
# PPROFGATE_MIRROR is the address below which `debian` is; without it, the address comes from this machine's apt.
# Needs mmdebstrap, qemu-user-static, and Debian's cross compiler of each processor. Installs what is missing as root.
set -euo pipefail
cd "$(dirname "$0")/.."
processors=("$@")
[ $# -gt 0 ] || processors=(s390x aarch64)

# shellcheck disable=SC2016 # apt's own variables
mirror=${PPROFGATE_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
  sed -n 's|^\(.*\)/debian/*$|\1|p' | head -1)}
if [ -z "$mirror" ]; then
  echo "no root can be created: this machine's apt has no Debian mirror; set PPROFGATE_MIRROR" >&2
  exit 1
fi
libraries=libc6-dev,linux-libc-dev,libgcc-12-dev,libstdc++-12-dev,zlib1g-dev,libzstd-dev,libdeflate-dev,libyaml-dev
libraries+=,libpcre2-dev,libjansson-dev,libxxhash-dev,libprotobuf-c-dev,libcurl4-openssl-dev,libdw-dev,libiberty-dev
libraries+=,libseccomp-dev,libcmocka-dev

# Tests that cannot pass under qemu-user, each with its reason:
#   sandbox       qemu makes system calls of its own, and applies no filter of them
#   cli_terminal  qemu has no ioctl of pseudo terminals
#   heap          the advice on large pages is not seen in /proc
#   parallel      a limit on the number of threads holds qemu's own, too
#   libcurl       s390x: memory for the data of threads is not allocated before its first use (gate/capture/libcurl.c)
excluded='^unit\.test_(sandbox|cli_terminal|heap|parallel|libcurl)$'

status=0
for processor in "${processors[@]}"; do
  triplet=$processor-linux-gnu debian=$processor
  [ "$processor" != aarch64 ] || debian=arm64
  missing=()
  command -v "$triplet-gcc" >/dev/null || missing+=("gcc-$triplet" "libc6-dev-$debian-cross")
  command -v "qemu-$processor-static" >/dev/null || missing+=(qemu-user-static)
  command -v mmdebstrap >/dev/null || missing+=(mmdebstrap debian-archive-keyring)
  if [ ${#missing[@]} -gt 0 ]; then
    echo "installing: ${missing[*]}"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  fi
  build=$PWD/build/emulated-$processor root=$PWD/build/emulated-$processor-root
  if [ ! -f "$root/done" ]; then
    rm -rf "$root"
    mmdebstrap --quiet --variant=extract --architectures="$debian" --include="$libraries" \
      --keyring=/usr/share/keyrings/debian-archive-keyring.gpg bookworm "$root" "$mirror/debian"
    touch "$root/done"
  fi
  mkdir -p "$build"
  cat >"$build/toolchain.cmake" <<CMAKE
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $processor)
set(CMAKE_C_COMPILER $triplet-gcc)
set(CMAKE_CXX_COMPILER $triplet-g++)
set(CMAKE_LIBRARY_ARCHITECTURE $triplet)
set(CMAKE_SYSROOT $root)
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-$processor-static;-L;$root")
foreach(kind IN ITEMS INCLUDE LIBRARY PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_\${kind} ONLY)
endforeach()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(ENV{PKG_CONFIG_DIR} "")
set(ENV{PKG_CONFIG_SYSROOT_DIR} $root)
set(ENV{PKG_CONFIG_LIBDIR} $root/usr/lib/$triplet/pkgconfig:$root/usr/share/pkgconfig)
CMAKE
  cmake -S . -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$build/toolchain.cmake" -DCMAKE_BUILD_TYPE=Release \
    -DPPROFGATE_WERROR=ON -DCMAKE_C_FLAGS=-DMEMORY_IS_MEASURABLE=0 >"$build/cmake.log" 2>&1 || {
    cat "$build/cmake.log" >&2
    exit 1
  }
  targets=$(ninja -C "$build" -t targets all | sed -n 's,^\(tests/unit/test_[a-z0-9_]*\): C_EXEC.*,\1,p')
  # shellcheck disable=SC2086 # targets are words
  ninja -C "$build" --quiet pprofgate run_case $targets
  echo "== $processor: $(file -b "$build/pprofgate" 2>/dev/null | cut -d, -f1-2)"
  ctest --test-dir "$build" -j "$(nproc)" -R '^(unit|case)\.' -E "$excluded" --timeout 1200 --output-on-failure \
    --quiet --output-log "$build/ctest.log" || status=$?
  grep -E 'tests passed|^The following|^	 *[0-9]+ - ' "$build/ctest.log"
done
exit $status
