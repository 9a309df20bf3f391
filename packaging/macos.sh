#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the program for macOS 11 or later with Zig's compiler, on Linux.
#   packaging/macos.sh x86_64|aarch64 [FOLDER]     builds in FOLDER, and makes archive and wheel in build/dist
# Nobody runs the program here. What can be checked without macOS is checked: it is a program for this processor, needs
# macOS 11 or later, links nothing but the system's library, and takes no symbol that the SDK's stub of that library
# lacks. ci/recipes/github-macos.yml runs it on a Mac.
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

# What the program is, as the loader of macOS will see it.
program=$folder/pprofgate
cpu=ARM64
[ "$arch" = aarch64 ] || cpu=X86_64
# Debian has llvm-otool with the version in its name only.
otool=$(compgen -c llvm-otool | sort | head -n 1 || true)
if [ -n "$otool" ] && command -v llvm-objdump >/dev/null && command -v llvm-nm >/dev/null; then
  commands=$(llvm-objdump --macho --private-headers "$program")
  linked=$("$otool" -L "$program" | sed 1d | awk '{ print $1 }' | tr '\n' ' ')
  if ! grep -q "^MH_MAGIC_64 *$cpu .*EXECUTE.* PIE" <<<"$commands"; then
    echo "error: $program is not a position-independent program for $cpu" >&2
    exit 1
  fi
  if ! grep -q '^ *minos 11.0$' <<<"$commands"; then
    echo "error: $program does not ask for macOS 11.0" >&2
    exit 1
  fi
  for wanted in LC_SEGMENT_64 LC_SYMTAB LC_DYSYMTAB LC_LOAD_DYLINKER LC_LOAD_DYLIB LC_MAIN LC_UUID LC_BUILD_VERSION; do
    if ! grep -q "^ *cmd $wanted$" <<<"$commands"; then
      echo "error: $program has no load command $wanted" >&2
      exit 1
    fi
  done
  # macOS runs no program for its own processors that is not signed, if only ad hoc.
  if [ "$arch" = aarch64 ] && ! grep -q '^ *cmd LC_CODE_SIGNATURE$' <<<"$commands"; then
    echo "error: $program has no signature" >&2
    exit 1
  fi
  if [ "$linked" != "/usr/lib/libSystem.B.dylib " ]; then
    echo "error: $program links '$linked', expected /usr/lib/libSystem.B.dylib alone" >&2
    exit 1
  fi
  stub=$(dirname "$(readlink -f "$(bash packaging/zig.sh | cut -d' ' -f1)")")/lib/libc/darwin/libSystem.tbd
  if [ -f "$stub" ]; then
    grep -oE '[A-Za-z_$][A-Za-z0-9_.$]*' "$stub" | LC_ALL=C sort -u >"$folder/provided"
    llvm-nm --undefined-only --just-symbol-name "$program" | LC_ALL=C sort -u >"$folder/needed"
    missing=$(LC_ALL=C comm -13 "$folder/provided" "$folder/needed")
    if [ ! -s "$folder/needed" ] || [ -n "$missing" ]; then
      echo "error: $program needs symbols that the SDK's libSystem does not have: ${missing:-(no symbol was read)}" >&2
      exit 1
    fi
    echo "$program: $(wc -l <"$folder/needed") symbols, all in the SDK's libSystem"
  else
    echo "not checked: the symbols; '$stub' is missing" >&2
  fi
else
  echo "not checked: the program's load commands and symbols; llvm-objdump, llvm-otool or llvm-nm is missing" >&2
fi

version=$(sed -n 's/^project(pprofgate VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
name=pprofgate-$version-macos-$arch
stage=$folder/stage
rm -rf "$stage"
mkdir -p "$stage/bin" "$stage/share/pprofgate/rules" "$stage/share/doc/pprofgate" build/dist
install -m 755 "$folder/pprofgate" "$stage/bin/pprofgate"
cp rules/* "$stage/share/pprofgate/rules/"
cp LICENSE README.md CHANGELOG.md "$stage/share/doc/pprofgate/"
cp -r "$PPROFGATE_SYSROOT/licences" "$stage/share/doc/pprofgate/"
# Manual pages and completions are written by a program that runs: that of packaging/static.sh.
for kind in man bash-completion zsh fish; do
  if [ -d "build/static-$(uname -m)/stage/share/$kind" ]; then
    cp -r "build/static-$(uname -m)/stage/share/$kind" "$stage/share/"
  fi
done
tar -C "$folder" --transform "s,^stage,$name," --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
  --numeric-owner -cf - stage | gzip -9n >"build/dist/$name.tar.gz"
bash packaging/wheel.sh "$arch" "$stage" build/dist none "macosx_11_0_${arch/aarch64/arm64}"
(cd build/dist && wc -c "$name.tar.gz" pprofgate-*"macosx_11_0_${arch/aarch64/arm64}.whl")
