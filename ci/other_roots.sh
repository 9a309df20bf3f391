#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the static program in roots of other systems: Ubuntu 20.04, whose glibc is older than the one it is linked with,
# and a root that has musl and busybox, as Alpine has, and no glibc. For the night; needs root, mmdebstrap and Python 3.
# PPROFGATE_UBUNTU is the address of a mirror of Ubuntu; without it only the other root is tried.
set -euo pipefail
cd "$(dirname "$0")/.."
arch=$(uname -m)
bash packaging/static.sh "$arch" "build/static-$arch"
program=$PWD/build/static-$arch/stage/bin/pprofgate
fixtures=$PWD/fixtures/go-service/cpu
place=$(mktemp -d "${TMPDIR:-/tmp}/pprofgate-roots.XXXXXX")
python3 -u -m http.server --bind 127.0.0.1 --directory "$fixtures" 0 >"$place/server" 2>&1 &
server=$!
trap 'kill $server; rm -rf "$place"' EXIT
chmod 755 "$place"
for _ in $(seq 50); do
  port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$place/server")
  [ -z "$port" ] || break
  sleep 0.2
done

expect() { # WHAT STATUS TEXT COMMAND...
  local status=0
  "${@:4}" >"$place/out" 2>&1 || status=$?
  if [ $status -ne "$2" ] || ! grep -q -e "$3" "$place/out"; then
    echo "$1: expected status $2 and '$3', found status $status:" >&2
    cat "$place/out" >&2
    exit 1
  fi
  echo "$1"
}

# Check files, write reports and rules, and take profiles over HTTP by a name that /etc/hosts has.
commands_in() { # WHAT ROOT
  local root=$2
  mkdir -p "$root/gated" "$root/etc"
  install -m 755 "$program" "$root/gated/pprofgate"
  cp "$fixtures"/{baseline,regression}-1.pb.gz "$root/gated/"
  echo '127.0.0.1 profiles.test' >"$root/etc/hosts"
  chmod 1777 "$root/gated"
  local run=(chroot --userspec=65532:65532 "$root" /gated/pprofgate)
  expect "$1: version" 0 '^pprofgate ' "${run[@]}" version
  expect "$1: check with reports" 1 '^  main.priceRound: charged ' "${run[@]}" check --report /gated/report \
    /gated/baseline-1.pb.gz /gated/regression-1.pb.gz
  test -s "$root/gated/report/report.html"
  expect "$1: init" 0 '' "${run[@]}" init -o /gated/rules.yml /gated/baseline-1.pb.gz
  expect "$1: capture" 0 '2 runs in 1 complete round' "${run[@]}" capture --runs 1 --seconds 1 -o /gated/taken \
    --baseline "http://profiles.test:$port/baseline-1.pb.gz" --canary "http://profiles.test:$port/regression-1.pb.gz"
}

if [ -z "${PPROFGATE_UBUNTU:-}" ]; then
  echo "skipped: Ubuntu 20.04: set PPROFGATE_UBUNTU to the address of a mirror"
else
  # Debian has no keys of Ubuntu, and nothing but our own program runs in this root.
  mmdebstrap --quiet --variant=extract --include=base-files,git focal "$place/focal" \
    "deb [trusted=yes] $PPROFGATE_UBUNTU focal main"
  grep -q '^VERSION_ID="20.04"' "$place/focal/usr/lib/os-release"
  commands_in "Ubuntu 20.04" "$place/focal"
fi

mkdir -p "$place/debs" "$place/musl/bin"
(cd "$place/debs" && chmod 777 . && apt-get download -qq musl busybox-static)
for deb in "$place"/debs/*.deb; do dpkg-deb -x "$deb" "$place/musl"; done
chroot "$place/musl" /bin/busybox ls /lib >"$place/loaders"
if ! grep -q '^ld-musl-' "$place/loaders" || find "$place/musl" -name 'libc.so.6' | grep -q .; then
  echo "expected a root with musl and without glibc" >&2
  exit 1
fi
commands_in "musl" "$place/musl"
