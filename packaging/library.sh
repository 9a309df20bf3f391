#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the library that the Python module loads, with Zig's compiler: for the GNU C library 2.28 and later, and with
# everything else linked into it.
#   packaging/library.sh x86_64|aarch64 [FOLDER]     builds in FOLDER, and makes FOLDER/libpprofgate.so
# Exit status 77: a tool is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
arch=${1:?x86_64 or aarch64}
folder=${2:-build/library-$arch}
PPROFGATE_SYSROOT=$(bash packaging/cross_libraries.sh "$arch-linux")
export PPROFGATE_SYSROOT PPROFGATE_TARGET=$arch-linux
if [ "$(cat "$folder/sysroot" 2>/dev/null)" != "$PPROFGATE_SYSROOT" ]; then
  rm -rf "$folder" # CMake remembers where it found libraries
  mkdir -p "$folder"
  echo "$PPROFGATE_SYSROOT" >"$folder/sysroot"
fi
# It takes no profiles, reads no binaries and has no sandbox: those are the program's.
cmake -S . -B "$folder" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/packaging/zig.cmake" -DCMAKE_BUILD_TYPE=Release \
  -DPPROFGATE_TESTS=OFF -DPPROFGATE_INSTALL=OFF -DPPROFGATE_CURL=OFF -DPPROFGATE_SECCOMP=OFF -DPPROFGATE_LIBRARY=ON \
  -DPPROFGATE_ARCHIVES=OFF -DPPROFGATE_WERROR=ON -DCMAKE_SHARED_LINKER_FLAGS="-s" >"$folder.log" 2>&1 || {
  cat "$folder.log" >&2
  exit 1
}
rm -f "$folder.log"
cmake --build "$folder" --target pprofgate_shared -- --quiet >"$folder/build.log" 2>&1 || {
  cat "$folder/build.log" >&2
  exit 1
}
library=$folder/libpprofgate.so
cp "$(realpath "$folder/gate/libpprofgate.so")" "$library"

# What a process that loads it needs.
needed=$(readelf -dW "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | tr '\n' ' ')
newest=$(readelf -VW "$library" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
if ! [[ "$needed" =~ ^((ld-linux-[a-z0-9_-]+|libc|libm|libpthread|libdl)\.so\.[0-9]\ )+$ ]] ||
  [ "$(printf '%s\n' "$newest" GLIBC_2.28 | sort -V | tail -n 1)" != GLIBC_2.28 ]; then
  echo "error: $library needs '$needed' and '$newest', expected the GNU C library 2.28 alone" >&2
  exit 1
fi
if grep -qaF -e "$PWD" -e "$HOME/" -e "${PPROFGATE_SYSROOTS:-$HOME/.cache}" "$library"; then
  echo "error: $library holds a path of this machine" >&2
  exit 1
fi
wc -c "$library"
