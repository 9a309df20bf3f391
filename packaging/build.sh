#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes everything that a release consists of, into build/dist.
#   packaging/build.sh              both architectures, and what CPack makes
#   packaging/build.sh --quick      this machine's architecture only: .tar.gz, wheel, npm packages, images
#   packaging/build.sh --quick no-library
#                                   without the wheel that contains the shared library
# Files are dated by SOURCE_DATE_EPOCH, the time of the commit where it is not set.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022
version=$(sed -n 's/^project(pprofgate VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
dist=build/dist
rm -rf $dist
mkdir -p $dist

arches=(x86_64 aarch64)
if [ "${1:-}" = --quick ]; then
  arches=("$(uname -m)")
fi

stages=()
for arch in "${arches[@]}"; do
  bash packaging/static.sh "$arch" "build/static-$arch"
  stage=build/static-$arch/stage
  sysroot=$(bash packaging/sysroot.sh "$arch")
  name=pprofgate-$version-linux-$arch
  packaging/sbom.py "build/static-$arch" "$sysroot" "$version" "$arch" "$dist/$name.spdx.json" \
    --licences "$stage/share/doc/pprofgate/licences"
  stages+=("$arch=$stage")
  tar -C build/static-"$arch" --transform "s,^stage,$name," --sort=name --mtime="@$SOURCE_DATE_EPOCH" \
    --owner=0 --group=0 --numeric-owner -cf - stage | gzip -9n >"$dist/$name.tar.gz"
  bash packaging/wheel.sh "$arch" "$stage" $dist
  [ "${2:-}" != no-library ] || continue
  # Made by Zig's compiler, which only a quick build may lack. Then there is no wheel with the library.
  made=0
  bash packaging/library.sh "$arch" "build/library-$arch" || made=$?
  if [ $made = 0 ]; then
    bash packaging/wheel.sh "$arch" "$stage" $dist "build/library-$arch/libpprofgate.so"
  elif [ $made != 77 ] || [ "${1:-}" != --quick ]; then
    exit $made
  fi
done
linux=("${stages[@]}")
# What Zig's compiler makes. Only a quick build may lack it.
made=0
bash packaging/page.sh || made=$?
if [ $made != 0 ] && { [ $made != 77 ] || [ "${1:-}" != --quick ]; }; then
  exit $made
fi
if [ $made = 0 ]; then
  python3 packaging/wasm_wheel.py $dist/pprofgate.wasm "$(bash packaging/cross_libraries.sh wasm32-wasi)/licences" $dist
fi
if [ $made = 0 ] && [ "${1:-}" != --quick ]; then
  for arch in aarch64 x86_64; do
    bash packaging/macos.sh $arch
    stages+=("macos-$arch=build/macos-$arch/stage")
  done
fi
if command -v npm >/dev/null; then
  bash packaging/npm.sh "$version" $dist "${stages[@]}"
else
  echo "skipped: 'npm' is missing, so the npm packages are not made" >&2
fi
packaging/oci.py "$version" "$dist/pprofgate-$version-oci.tar" "${linux[@]}"
ca=/etc/ssl/certs/ca-certificates.crt
if [ -f $ca ]; then
  packaging/oci.py "$version" "$dist/pprofgate-$version-ca-oci.tar" "${linux[@]}" --ca $ca
else
  echo "skipped: '$ca' is missing, so the image with authorities is not made" >&2
fi

if [ "${1:-}" != --quick ]; then
  bash packaging/system.sh $dist "${arches[@]}"
  bash packaging/formula.sh "$version" $dist
fi
(cd $dist && find . -type f -printf '%P\n' | LC_ALL=C sort | xargs sha256sum >../SHA256SUMS)
mv build/SHA256SUMS $dist/
cat $dist/SHA256SUMS
