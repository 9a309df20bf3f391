#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the static program for one architecture.
#   packaging/static.sh x86_64|aarch64 [FOLDER]     builds in FOLDER, installs to FOLDER/stage
# Equal sources and equal compilers give equal bytes, wherever the source and FOLDER are.
set -euo pipefail
cd "$(dirname "$0")/.."
arch=${1:?x86_64 or aarch64}
folder=${2:-build/static-$arch}
if ! command -v "$arch-linux-gnu-gcc" >/dev/null; then
  echo "skipped: '$arch-linux-gnu-gcc' is missing; Debian has it in gcc-${arch/_/-}-linux-gnu" >&2
  exit 77
fi
PPROFGATE_SYSROOT=$(bash packaging/sysroot.sh "$arch")
export PPROFGATE_SYSROOT PPROFGATE_ARCH=$arch
if [ "$(cat "$folder/sysroot" 2>/dev/null)" != "$PPROFGATE_SYSROOT" ]; then
  rm -rf "$folder" # CMake remembers where it found libraries
  mkdir -p "$folder"
  echo "$PPROFGATE_SYSROOT" >"$folder/sysroot"
fi
# The program writes its own manual pages, where it runs: on its own kind of machine, or as if on one.
runner="env"
[ "$arch" = "$(uname -m)" ] || runner=$(command -v "qemu-$arch-static" || true)
# The build id is a digest of what was linked, and so equal for equal builds.
cmake -S . -B "$folder" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/packaging/static.cmake" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_INSTALL_PREFIX=/usr -DPPROFGATE_STATIC=ON -DPPROFGATE_TESTS=OFF -DCMAKE_CROSSCOMPILING_EMULATOR="$runner" \
  -DCMAKE_EXE_LINKER_FLAGS="-static-pie -Wl,--build-id=sha1 -Wl,-Map,pprofgate.map" >"$folder.log" 2>&1 || {
  cat "$folder.log" >&2
  exit 1
}
rm -f "$folder.log"
# That glibc warns of getaddrinfo in a static program is expected: c-ares resolves.
cmake --build "$folder" -- --quiet >"$folder/build.log" 2>&1 || {
  cat "$folder/build.log" >&2
  exit 1
}
rm -rf "$folder/stage"
DESTDIR="$folder/stage" cmake --install "$folder" --prefix / >/dev/null
"$arch-linux-gnu-strip" "$folder/stage/bin/pprofgate"
