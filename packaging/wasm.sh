#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds pprofgate for WebAssembly, into build/dist/pprofgate.wasm, and prints its size.
#   packaging/wasm.sh [FOLDER]     builds in FOLDER, by default build/wasm
# Exit status 77: a tool is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build/wasm}
for tool in cmake ninja protoc-c pkg-config; do
  if ! command -v "$tool" >/dev/null; then
    echo "skipped: '$tool' is missing" >&2
    exit 77
  fi
done
PPROFGATE_SYSROOT=$(bash packaging/cross_libraries.sh wasm32-wasi)
export PPROFGATE_SYSROOT PPROFGATE_TARGET=wasm32-wasi
if [ "$(cat "$folder/sysroot" 2>/dev/null)" != "$PPROFGATE_SYSROOT" ]; then
  rm -rf "$folder" # CMake remembers where it found libraries
  mkdir -p "$folder"
  echo "$PPROFGATE_SYSROOT" >"$folder/sysroot"
fi
# Deep calls need more stack than the linker's 1 MiB.
cmake -S . -B "$folder" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/packaging/zig.cmake" -DCMAKE_BUILD_TYPE=Release \
  -DPPROFGATE_TESTS=OFF -DPPROFGATE_INSTALL=OFF -DPPROFGATE_CURL=OFF -DPPROFGATE_SYMBOLS=OFF -DPPROFGATE_HARDEN=OFF \
  -DPPROFGATE_LIBRARY=OFF -DPPROFGATE_ARCHIVES=OFF -DPPROFGATE_WERROR=ON \
  -DCMAKE_EXE_LINKER_FLAGS="-s -Wl,-z,stack-size=4194304" >"$folder.log" 2>&1 || {
  cat "$folder.log" >&2
  exit 1
}
rm -f "$folder.log"
cmake --build "$folder" --target pprofgate -- --quiet >"$folder/build.log" 2>&1 || {
  cat "$folder/build.log" >&2
  exit 1
}
mkdir -p build/dist
cp "$folder/pprofgate.wasm" build/dist/pprofgate.wasm
wc -c build/dist/pprofgate.wasm
