#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes everything that packaging/build.sh made a second time, --quick if it was, from a copy of the source in another
# folder and without a compiler cache, and expects equal bytes of each file.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ ! -f build/dist/SHA256SUMS ]; then
  echo "'build/dist/SHA256SUMS' is missing; run packaging/build.sh first" >&2
  exit 2
fi
copy=$(mktemp -d "${TMPDIR:-/tmp}/pprofgate-elsewhere-XXXXXXXXXX")
trap 'rm -rf "$copy"' EXIT
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy" 2>/dev/null
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
how=()
[ -f build/dist/pprofgate.rb ] || how=(--quick) # the formula names all architectures
env -u CMAKE_C_COMPILER_LAUNCHER bash "$copy/packaging/build.sh" "${how[@]}" >/dev/null
if ! diff build/dist/SHA256SUMS "$copy/build/dist/SHA256SUMS"; then
  echo "the files above differ between two builds in different folders" >&2
  exit 1
fi
echo "equal bytes in two folders: $(wc -l <"$copy/build/dist/SHA256SUMS") files"
