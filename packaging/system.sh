#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the .deb of the dynamic program, and an .rpm of each static build that packaging/build.sh made.
#   packaging/system.sh FOLDER ARCH...
set -euo pipefail
cd "$(dirname "$0")/.."
dist=$(realpath "$1")
shift
if command -v dpkg-shlibdeps >/dev/null; then
  cmake -S . -B build/deb -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr \
    -DPPROFGATE_TESTS=OFF >/dev/null
  cmake --build build/deb -- --quiet
  (cd build/deb && cpack -G DEB -B "$dist" >/dev/null)
else
  echo "skipped: 'dpkg-shlibdeps' (dpkg-dev) is missing, so the .deb is not made" >&2
fi
if command -v rpmbuild >/dev/null; then
  for arch in "$@"; do
    (cd "build/static-$arch" && cpack -G RPM -B "$dist" >/dev/null)
  done
else
  echo "skipped: 'rpmbuild' (rpm) is missing, so no .rpm is made" >&2
fi
rm -rf "$dist/_CPack_Packages"
