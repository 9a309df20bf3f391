# shellcheck shell=bash disable=SC2154 # what packaging/try.sh sets
# SPDX-License-Identifier: Apache-2.0
# The part of packaging/try.sh for packages of distributions: the .deb in a fresh Debian 12, the .rpm by rpm's own
# tools in an empty root. Sourced by it, and uses its functions.

try_deb() {
  local deb root=$place/debian status=0
  deb=$(find "$dist" -name '*.deb' | head -1)
  if [ -z "$deb" ]; then
    say "skipped: .deb: none was made"
    return
  fi
  if ! command -v mmdebstrap >/dev/null || [ "$(id -u)" -ne 0 ]; then
    say "skipped: .deb in a fresh Debian: needs mmdebstrap and root"
    return
  fi
  mmdebstrap --quiet --variant=minbase bookworm "$root" >/dev/null 2>"$place/err" || status=$?
  if [ $status -ne 0 ]; then
    say "skipped: .deb in a fresh Debian: mmdebstrap: $(tail -1 "$place/err")"
    return
  fi
  cp "$deb" "$fixtures"/{baseline,regression}-1.pb.gz "$root/"
  chroot "$root" apt-get update -qq >/dev/null 2>&1
  chroot "$root" apt-get install -y -qq --no-install-recommends "/${deb##*/}" >"$place/out" 2>&1 || {
    cat "$place/out" >&2
    exit 1
  }
  expect_pages ".deb" "$root"
  expect_verdict ".deb in a fresh Debian 12" in_root "$root" pprofgate
  cp "$root/usr/bin/pprofgate" "$place/pprofgate"
  try_hardening "$place/pprofgate"
  chroot "$root" apt-get remove -y -qq pprofgate >/dev/null 2>&1
  if [ -e "$root/usr/bin/pprofgate" ] || [ -e "$root/usr/share/pprofgate" ]; then
    echo ".deb: something is left behind after it was removed" >&2
    exit 1
  fi
  if command -v lintian >/dev/null; then
    lintian --fail-on error "$deb"
    say ".deb: no errors by lintian"
  fi
}

try_rpm() {
  local rpm root=$place/rpm
  rpm=$(find "$dist" -name "*.$host.rpm" | head -1)
  if [ -z "$rpm" ] || ! command -v rpm >/dev/null; then
    say "skipped: .rpm: none was made, or 'rpm' is missing"
    return
  fi
  mkdir -p "$root"
  rpm --root "$root" --dbpath /var/lib/rpm --initdb
  rpm --root "$root" --dbpath /var/lib/rpm --install --noscripts "$rpm"
  expect_licences ".rpm" "$root"
  expect_pages ".rpm" "$root"
  cp "$fixtures"/{baseline,regression}-1.pb.gz "$root/"
  chmod -R a+rX "$root"
  expect_verdict ".rpm in an empty root" in_root "$root" /usr/bin/pprofgate
}

try_deb
try_rpm
