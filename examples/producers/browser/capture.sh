#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Captures page.html with Firefox's profiler, in its own format, and as a trace of Chromium with the chunks of V8's CPU
# profiler. Installs what it misses with apt-get: firefox-esr, chromium.
set -euo pipefail

usage='usage: capture.sh [OUT-DIR]    (default: captures)'
[[ $# -le 1 && ${1:-} != -* ]] || { echo "$usage" >&2; exit 2; }
out=${1:-captures}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if ! dpkg -s firefox-esr chromium >/dev/null 2>&1; then
    apt-get update -q
    apt-get install -q -y --no-install-recommends firefox-esr chromium
fi
mkdir -p "$out/firefox" "$out/chromium"
out=$(cd "$out" && pwd)
work=$(mktemp -d /tmp/pprofgate-demo.XXXXXX)
trap 'rm -rf "$work"' EXIT
cp "$here/page.html" "$work"
cd "$work"

# Both run until the page is drawn, which its script delays.
HOME=$work MOZ_PROFILER_STARTUP=1 MOZ_PROFILER_STARTUP_INTERVAL=20 MOZ_PROFILER_STARTUP_FEATURES=js,cpu \
    MOZ_PROFILER_STARTUP_FILTERS=GeckoMain MOZ_PROFILER_STARTUP_NO_BASE=1 MOZ_PROFILER_SHUTDOWN=$work/firefox.json \
    timeout 120 firefox-esr --headless --screenshot "$work/page.png" "file://$work/page.html"
python3 "$here/trim.py" gecko firefox.json | gzip -9n >"$out/firefox/content.gecko.json.gz"

timeout 120 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/user" --screenshot="$work/page.png" \
    --trace-startup=disabled-by-default-v8.cpu_profiler,v8 --trace-startup-format=json --trace-startup-duration=6 \
    --trace-startup-file="$work/trace.json" "file://$work/page.html"
python3 "$here/trim.py" trace trace.json | gzip -9n >"$out/chromium/trace.json.gz"
