#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a wheel that carries the module, the static program of a stage and the licences of what is linked into it. The
# program runs under every libc, so the wheel has the tags of both, and the module runs the program. With LIBRARY, made
# by packaging/library.sh, the wheel is for the GNU C library 2.28 and later, and the module loads the library. pip
# prefers that one where both fit. TAG is the platform of a program that is not for Linux.
#   packaging/wheel.sh ARCH STAGE FOLDER [LIBRARY|none [TAG]]
set -euo pipefail
cd "$(dirname "$0")/.."
arch=$1
stage=$(realpath "$2")
dist=$(realpath "$3")
library=() tags=manylinux_2_17_$arch.manylinux2014_$arch.musllinux_1_1_$arch
if [ "${4:-none}" != none ]; then
  library=(-Ccmake.define.PPROFGATE_SHARED="$(realpath "$4")")
  tags=manylinux_2_28_$arch
fi
tags=${5:-$tags}
# Of these versions, so that a wheel made again is the same.
tools=${XDG_CACHE_HOME:-$HOME/.cache}/pprofgate/packaging-tools-1
if [ ! -x "$tools/bin/wheel" ]; then
  python3 -m venv "$tools"
  "$tools/bin/pip" install -q build==1.6.1 scikit-build-core==1.1.2 wheel==0.48.0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Made elsewhere, so that nothing is left behind in the checkout.
cp --parents pyproject.toml CMakeLists.txt README.md LICENSE packaging/python/CMakeLists.txt \
  packaging/python/pprofgate/*.py packaging/python/pprofgate/py.typed "$work"
cp -r "$stage/share/doc/pprofgate/licences" "$work/"
(cd "$work" && "$tools/bin/python" -m build --no-isolation --skip-dependency-check --wheel --outdir "$work/out" \
  -Ccmake.source-dir=packaging/python -Ccmake.define.PPROFGATE_PROGRAM="$stage/bin/pprofgate" \
  "${library[@]}" . >"$work/log" 2>&1) || {
  cat "$work/log" >&2
  exit 1
}
"$tools/bin/wheel" tags --remove --python-tag py3 --abi-tag none --platform-tag "$tags" "$work"/out/*.whl >/dev/null
python3 packaging/wheel_tags.py "$work"/out/*.whl >/dev/null
cp "$work"/out/*.whl "$dist/"
