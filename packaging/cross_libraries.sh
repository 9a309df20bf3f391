#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the libraries that pprofgate links, from Debian's source packages, for a system other than Linux, or for Linux
# with the GNU C library 2.28 and later. Needs no root.
#   packaging/cross_libraries.sh TARGET     prints the folder; TARGET is wasm32-wasi, ARCH-macos or ARCH-linux
# ARCH is aarch64 or x86_64.
# The compiler is Zig's (packaging/zig.sh), which has the C libraries of these systems. An existing folder is reused.
# PPROFGATE_SYSROOTS is the folder that contains them. PPROFGATE_MIRROR is Debian's address on a machine that is not a
# Debian 12, as in sysroot.sh.
# Exit status 77: a tool is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
targets="wasm32-wasi, aarch64-macos, x86_64-macos, aarch64-linux or x86_64-linux"
target=${1:?$targets}
zig=$(bash packaging/zig.sh)
case $target in
  wasm32-wasi) full=wasm32-wasi ;;
  *-macos) full=$target.11.0 ;;
  *-linux) full=$target-gnu.2.28 ;;
  *) echo "unknown target '$target': expected $targets" >&2 && exit 2 ;;
esac
if ! version=$($zig version 2>/dev/null); then
  echo "skipped: '$zig' does not run; see packaging/zig.sh" >&2
  exit 77
fi
release=bookworm
kept=${PPROFGATE_SYSROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/pprofgate/sysroots}
key=$( (echo "$version $zig" && cat "$0") | sha256sum | cut -c1-12)
root=$kept/$release-$target-$key
if [ -f "$root/done" ]; then
  echo "$root"
  exit 0
fi
for tool in apt-get dpkg-source; do
  if ! command -v "$tool" >/dev/null; then
    echo "skipped: '$tool' is missing; the libraries' sources are Debian packages" >&2
    exit 77
  fi
done
# shellcheck disable=SC2016 # apt's own variables
mirror=${PPROFGATE_MIRROR:-$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
  sed -n "s|^\(.*\)/debian/* $release\$|\1|p" | head -1)}
if [ -z "$mirror" ]; then
  echo "skipped: this machine's apt has no Debian $release; set PPROFGATE_MIRROR to its address" >&2
  exit 77
fi

# The sources are the same for each target, so they are kept too.
packages=(zlib libzstd libdeflate libyaml pcre2 jansson xxhash protobuf-c libiberty curl)
sources=$kept/$release-sources-$(sha256sum <<<"${packages[*]}" | cut -c1-12)
if [ ! -f "$sources/done" ]; then
  mkdir -p "$kept"
  making=$(mktemp -d "$kept/.making.XXXXXX")
  trap 'rm -rf "$making"' EXIT
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  mkdir -p "$making/apt/lists/partial" "$making/apt/archives/partial" "$making/source"
  : >"$making/apt/status"
  export APT_CONFIG=$making/apt/apt.conf
  cat >"$APT_CONFIG" <<CONF
Dir::State "$making/apt"; Dir::State::status "$making/apt/status"; Dir::Cache "$making/apt";
Dir::Etc::sourcelist "$making/apt/sources.list"; Dir::Etc::sourceparts "-"; APT::Sandbox::User "root";
Acquire::Languages "none"; Acquire::Retries "3";
CONF
  # A mirror may list a security update without having it.
  for suites in "debian/$release debian/$release-updates debian-security/$release-security" "debian/$release"; do
    for suite in $suites; do
      echo "deb-src [signed-by=$keyring] $mirror/${suite%/*} ${suite#*/} main"
    done >"$making/apt/sources.list"
    apt-get update -qq >&2
    (cd "$making/source" &&
      apt-get source -qq --download-only "${packages[@]}" >&2) && break
    echo "note: not every source package of '$suites' can be downloaded" >&2
    rm -f "$making"/source/*
  done
  unset APT_CONFIG
  (cd "$making/source" &&
    for file in *.dsc; do dpkg-source --no-check -x "$file" "${file%%_*}" >/dev/null; done)
  rm -rf "$sources"
  mv "$making/source" "$sources"
  touch "$sources/done"
  rm -rf "$making"
  trap - EXIT
fi

making=$(mktemp -d "$kept/.making.XXXXXX")
trap 'rm -rf "$making"' EXIT
mkdir -p "$making/bin" "$making/include" "$making/lib/pkgconfig" "$making/objects"
for tool in cc ar ranlib; do
  printf '#!/bin/sh\nexec %s %s "$@"\n' "$zig" "$tool$([ $tool != cc ] || echo " -target $full")" >"$making/bin/$tool"
  chmod +x "$making/bin/$tool"
done

compile() { # FILE OBJECT
  # shellcheck disable=SC2086 # flags are words, and there may be none
  "$making/bin/cc" -O2 $pic -fno-sanitize=undefined -ffile-prefix-map="$sources"/= -w $flags -c "$1" -o "$2" >&2
}
pic=
[ "$target" = "${target%-linux}" ] || pic=-fPIC # of a shared library
export -f compile
export pic making sources

# library NAME VERSION-FILE-PATTERN FLAGS FILE...: compiles the files, makes the archive and what pkg-config reads.
library() {
  local name=$1 package=$2 number=$3 flags=$4
  shift 4
  local objects=()
  for file in "$@"; do
    local object
    object=$making/objects/$name-$(tr / _ <<<"${file#"$sources"/}").o
    printf '%s\0%s\0' "$file" "$object" >>"$making/objects/$name"
    objects+=("$object")
  done
  # shellcheck disable=SC2016 # the variables are those of the shell that xargs starts
  flags=$flags xargs -0 -n 2 -P "$(nproc)" bash -c 'compile "$@"' bash <"$making/objects/$name"
  "$making/bin/ar" rcs "$making/lib/lib$name.a" "${objects[@]}" >&2
  cat >"$making/lib/pkgconfig/$package.pc" <<PC
Name: $package
Description: built by packaging/cross_libraries.sh
Version: $number
Libs: -L\${pc_sysrootdir}/lib -l$name
Cflags: -I\${pc_sysrootdir}/include
PC
}
# version_of PACKAGE: the upstream version of the source package, without the suffix of Debian.
version_of() {
  (cd "$sources" && ls "$1"_*.dsc) | sed 's/.*_\([0-9.]*[0-9]\).*/\1/'
}

at=$sources/zlib
# zlib takes macOS for a system without fdopen, unless that is a macro.
library z zlib "$(version_of zlib)" "-I$at -Dfdopen=fdopen" \
  "$at"/{adler32,compress,crc32,deflate,infback,inffast,inflate}.c \
  "$at"/{inftrees,trees,uncompr,zutil}.c
cp "$at"/{zlib,zconf}.h "$making/include"
at=$sources/libzstd/lib
library zstd libzstd "$(version_of libzstd)" "-DZSTD_DISABLE_ASM -DXXH_NAMESPACE=ZSTD_" \
  "$at"/{common,compress,decompress}/*.c
cp "$at"/zstd.h "$making/include"
at=$sources/libdeflate
mapfile -t files < <(ls "$at"/lib/*.c "$at"/lib/*/cpu_features.c)
library deflate libdeflate "$(version_of libdeflate)" "-I$at" "${files[@]}"
cp "$at"/libdeflate.h "$making/include"
at=$sources/protobuf-c
library protobuf-c libprotobuf-c "$(version_of protobuf-c)" "-I$at" "$at"/protobuf-c/protobuf-c.c
mkdir -p "$making/include/protobuf-c"
cp "$at"/protobuf-c/protobuf-c.h "$making/include/protobuf-c"
at=$sources/libyaml
number=$(version_of libyaml)
IFS=. read -r major minor patch <<<"$number"
library yaml yaml-0.1 "$number" "-I$at/include -DYAML_VERSION_MAJOR=$major -DYAML_VERSION_MINOR=$minor
  -DYAML_VERSION_PATCH=$patch -DYAML_VERSION_STRING=\"$number\"" "$at"/src/*.c
cp "$at"/include/yaml.h "$making/include"
at=$sources/jansson
mkdir -p "$making/jansson"
cp "$at"/android/jansson_config.h "$making/jansson"
: >"$making/jansson/jansson_private_config.h" # what configure writes; the flags below take its place
library jansson jansson "$(version_of jansson)" "-I$making/jansson -DHAVE_STDINT_H -DHAVE_FCNTL_H -DHAVE_SYS_TYPES_H
  -DHAVE_UNISTD_H -DHAVE_SYS_TIME_H -DUSE_URANDOM=1" "$at"/src/*.c
cp "$at"/src/jansson.h "$making/jansson/jansson_config.h" "$making/include"
at=$sources/xxhash
library xxhash libxxhash "$(version_of xxhash)" "-I$at" "$at"/xxhash.c
cp "$at"/xxhash.h "$making/include"
at=$sources/pcre2
mkdir -p "$making/pcre2"
cp "$at"/src/config.h.generic "$making/pcre2/config.h"
cp "$at"/src/pcre2.h.generic "$making/pcre2/pcre2.h"
cp "$at"/src/pcre2_chartables.c.dist "$making/pcre2/pcre2_chartables.c"
files=("$making/pcre2/pcre2_chartables.c")
for file in auto_possess compile config context convert dfa_match error extuni find_bracket jit_compile maketables \
  match match_data newline ord2utf pattern_info script_run serialize string_utils study substitute substring tables \
  ucd valid_utf xclass; do
  files+=("$at/src/pcre2_$file.c")
done
library pcre2-8 libpcre2-8 "$(version_of pcre2)" "-I$making/pcre2 -I$at/src -DPCRE2_CODE_UNIT_WIDTH=8 -DPCRE2_STATIC
  -DHAVE_CONFIG_H -DSUPPORT_UNICODE" "${files[@]}"
cp "$making/pcre2/pcre2.h" "$making/include"
# Only the library for Python demangles names; the other programs leave them as they are.
if [ "$target" != "${target%-linux}" ]; then
  at=$sources/libiberty/libiberty
  library iberty libiberty "$(version_of libiberty)" "-I$sources/libiberty/include -DHAVE_STDLIB_H -DHAVE_STRING_H
    -DHAVE_LIMITS_H" "$at"/{cp-demangle,rust-demangle,safe-ctype}.c
  mkdir -p "$making/include/libiberty"
  cp "$sources"/libiberty/include/{demangle,libiberty,ansidecl}.h "$making/include/libiberty"
fi
# macOS has a libcurl, which the program loads when it needs it. Only the headers are used here.
if [ "$target" != "${target%-macos}" ]; then
  cp -r "$sources/curl/include/curl" "$making/include"
  cat >"$making/lib/pkgconfig/libcurl.pc" <<PC
Name: libcurl
Description: headers; the library is the system's
Version: $(version_of curl)
Libs:
Cflags: -I\${pc_sysrootdir}/include
PC
fi
mkdir -p "$making/licences"
for package in "${packages[@]}"; do
  if [ "$package" = curl ] || { [ "$package" = libiberty ] && [ ! -f "$making/lib/libiberty.a" ]; }; then
    continue
  fi
  cp "$sources/$package/debian/copyright" "$making/licences/$package"
done
rm -rf "$making/objects" "$making/jansson" "$making/pcre2"
touch "$making/done"
rm -rf "$root"
mv "$making" "$root"
trap - EXIT
echo "$root"
