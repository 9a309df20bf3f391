#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the documentation's site, build/site: the book with search, and the page that judges profiles in the browser.
# The site is static and loads nothing from elsewhere. MkDocs comes from PyPI.
# Exit status 77: a tool is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/build/site
bash packaging/page.sh
# Of these versions, so that a site made again is the same.
tools=${XDG_CACHE_HOME:-$HOME/.cache}/pprofgate/site-tools-1
if [ ! -x "$tools/bin/mkdocs" ]; then
  rm -rf "$tools"
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check mkdocs==1.6.1 markdown-it-py==4.3.0
fi
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
cp --parents -r README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md docs rules/README.md examples/README.md "$pages"
cp packaging/site/site.css "$pages"
cp build/dist/pprofgate-page.html "$pages/judge.html"
PPROFGATE_SITE_PAGES=$pages PPROFGATE_SITE_OUT=$out SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)} \
  NO_MKDOCS_2_WARNING=1 "$tools/bin/mkdocs" build --quiet --strict --clean --config-file packaging/site/mkdocs.yml
find "$out" -type f | wc -l | sed "s,$, files in build/site,"
