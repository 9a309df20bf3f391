#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds libcurl.a for packaging/sysroot.sh: HTTP and HTTPS only, OpenSSL, c-ares (so that no name service module of
# the machine is loaded), and nothing that reads a user's files.
#   packaging/curl.sh ARCH FOLDER     FOLDER/source has Debian's source, FOLDER/root gets the library
set -euo pipefail
arch=$1
folder=$2
root=$folder/root
cd "$folder/source"
dpkg-source --no-check -x ./*.dsc curl >/dev/null
cd curl
lib=usr/lib/$arch-linux-gnu
compiler=$arch-linux-gnu-gcc
flags="-O2 -fPIC -fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2"
case $arch in
  x86_64) flags+=" -fcf-protection=full" ;;
  aarch64) flags+=" -mbranch-protection=standard" ;;
esac
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_C_COMPILER="$compiler" \
  -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$arch" \
  -DCMAKE_C_FLAGS="$flags -ffile-prefix-map=$PWD/=curl/ -ffile-prefix-map=$folder/root/=/ --sysroot=$root" \
  -DCMAKE_FIND_ROOT_PATH="$root" -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY \
  -DCMAKE_LIBRARY_ARCHITECTURE="$arch-linux-gnu" -DCMAKE_FIND_LIBRARY_SUFFIXES=.a \
  -DCMAKE_EXE_LINKER_FLAGS=-static -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR="$lib" \
  -DBUILD_CURL_EXE=OFF -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF -DHTTP_ONLY=ON -DENABLE_MANUAL=OFF \
  -DCURL_USE_OPENSSL=ON -DENABLE_ARES=ON -DENABLE_UNIX_SOCKETS=ON -DUSE_LIBIDN2=OFF -DUSE_NGHTTP2=OFF \
  -DCURL_USE_LIBPSL=OFF -DCURL_USE_LIBSSH2=OFF -DCURL_BROTLI=OFF -DCURL_ZSTD=OFF -DCURL_DISABLE_NETRC=ON \
  -DCURL_DISABLE_NTLM=ON -DCURL_DISABLE_ALTSVC=ON -DCURL_DISABLE_HSTS=ON -DCURL_DISABLE_COOKIES=ON \
  -DCURL_CA_BUNDLE=none -DCURL_CA_PATH=none -DCURL_CA_FALLBACK=ON >build.log 2>&1 || { tail -40 build.log >&2; exit 1; }
cmake --build build -- --quiet >build.log 2>&1 || { tail -40 build.log >&2; exit 1; }
cp build/lib/libcurl.a "$root/$lib/"
mkdir -p "$root/usr/include/curl"
cp include/curl/*.h "$root/usr/include/curl/"
version=$(sed -n 's/^#define LIBCURL_VERSION "\(.*\)"/\1/p' include/curl/curlver.h)
cat >"$root/$lib/pkgconfig/libcurl.pc" <<PC
prefix=/usr
Name: libcurl
Description: HTTP and HTTPS only
Version: $version
Requires.private: libssl libcrypto libcares zlib
Libs: -L\${prefix}/$lib -lcurl
Cflags: -I\${prefix}/include -DCURL_STATICLIB
PC
source_version=$(dpkg-parsechangelog -S Version)
printf 'libcurl\t%s\tcurl\t%s\n' "$source_version" "$source_version" >>"$folder/packages"
printf 'libcurl\t%s\n' "$lib/libcurl.a" >>"$folder/owners"
mkdir -p "$root/usr/share/doc/libcurl"
cp debian/copyright "$root/usr/share/doc/libcurl/copyright"
