#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the Python interpreter that has an engine of examples/fleet: `dask`, or `spark`, which also needs Java 17.
#   tests/fleet/engines.sh ENGINE           prints it, or what PPROFGATE_DASK or PPROFGATE_SPARK names
#   tests/fleet/engines.sh ENGINE install   first installs the engine from PyPI, unless it is there
# Exit status 77: the engine is missing.
set -euo pipefail
case ${1:-} in
  dask) packages=(dask==2026.8.0 distributed==2026.8.0) given=${PPROFGATE_DASK:-} ;;
  spark) packages=(pyspark==4.3.0) given=${PPROFGATE_SPARK:-} ;;
  *)
    echo "usage: tests/fleet/engines.sh dask|spark [install]" >&2
    exit 2
    ;;
esac
if [ -n "$given" ]; then
  echo "$given"
  exit 0
fi
version=${packages[0]#*==}
folder=${XDG_CACHE_HOME:-$HOME/.cache}/pprofgate/$1-$version
if [ "${2:-}" = install ] && [ ! -f "$folder/complete" ]; then
  rm -rf "$folder"
  python3 -m venv "$folder"
  "$folder/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}"
  touch "$folder/complete"
fi
if [ ! -f "$folder/complete" ]; then
  echo "skipped: $1 is missing; 'bash tests/fleet/engines.sh $1 install' installs it" >&2
  exit 77
fi
echo "$folder/bin/python"
