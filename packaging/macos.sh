#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the program for macOS 11 or later with Zig's compiler, on Linux.
#   packaging/macos.sh x86_64|aarch64 [FOLDER]     builds in FOLDER, installs to FOLDER/stage
# Exit status 77: a tool is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
arch=${1:?x86_64 or aarch64}
folder=${2:-build/macos-$arch}
PPROFGATE_SYSROOT=$(bash packaging/cross_libraries.sh "$arch-macos")
export PPROFGATE_SYSROOT PPROFGATE_TARGET=$arch-macos
if [ "$(cat "$folder/sysroot" 2>/dev/null)" != "$PPROFGATE_SYSROOT" ]; then
  rm -rf "$folder" # CMake remembers where it found libraries
  mkdir -p "$folder"
  echo "$PPROFGATE_SYSROOT" >"$folder/sysroot"
fi
cmake -S . -B "$folder" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/packaging/zig.cmake" -DCMAKE_BUILD_TYPE=Release \
  -DPPROFGATE_TESTS=OFF -DPPROFGATE_INSTALL=OFF -DPPROFGATE_SYMBOLS=OFF -DPPROFGATE_LIBRARY=OFF \
  -DPPROFGATE_ARCHIVES=OFF -DPPROFGATE_WERROR=ON -DPPROFGATE_LIBCURL=/usr/lib/libcurl.4.dylib >"$folder.log" 2>&1 || {
  cat "$folder.log" >&2
  exit 1
}
rm -f "$folder.log"
cmake --build "$folder" --target pprofgate -- --quiet >"$folder/build.log" 2>&1 || {
  cat "$folder/build.log" >&2
  exit 1
}
