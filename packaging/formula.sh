#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes the Homebrew formula of the release in build/dist.
#   packaging/formula.sh VERSION FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
version=$1
dist=$2
filled=(-e "s/@VERSION@/$version/g")
for platform in linux-x86_64 linux-aarch64 macos-x86_64 macos-aarch64; do
  digest=$(sha256sum "$dist/pprofgate-$version-$platform.tar.gz" | cut -d' ' -f1)
  filled+=(-e "s/@SHA256_$platform@/$digest/")
done
sed "${filled[@]}" packaging/homebrew/pprofgate.rb.in >"$dist/pprofgate.rb"
