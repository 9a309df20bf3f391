#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the folder that a static binary is linked from: Debian's archives of our dependencies for one architecture, and
# libcurl built from Debian's source with nothing in it but HTTP, TLS and a resolver of its own. Needs no root.
#   packaging/sysroot.sh x86_64|aarch64      prints the folder
# A folder that is there already is taken as it is; PPROFGATE_SYSROOTS says where folders are kept, PPROFGATE_MIRROR
# from where Debian comes where the machine is not a Debian 12 (an address in which `debian` and `debian-security` are).
set -euo pipefail
cd "$(dirname "$0")/.."
arch=${1:?x86_64 or aarch64}
case $arch in
  x86_64) debian=amd64 ;;
  aarch64) debian=arm64 ;;
  *) echo "unknown architecture '$arch': expected x86_64 or aarch64" >&2 && exit 2 ;;
esac
release=bookworm
packages=(libc6-dev libc6 linux-libc-dev libgcc-12-dev zlib1g-dev libzstd-dev libdeflate-dev libyaml-dev
  libpcre2-dev libjansson-dev libxxhash-dev libprotobuf-c-dev libssl-dev libc-ares-dev libdw-dev libelf-dev
  libiberty-dev libseccomp-dev liblzma-dev libbz2-dev libbz2-1.0)

kept=${PPROFGATE_SYSROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/pprofgate/sysroots}
key=$(sha256sum "$0" packaging/curl.sh | sha256sum | cut -c1-12)
root=$kept/$release-$arch-$key
if [ -f "$root/done" ]; then
  echo "$root"
  exit 0
fi
for tool in apt-get dpkg-deb dpkg-source; do
  if ! command -v "$tool" >/dev/null; then
    echo "skipped: '$tool' is missing; archives come from Debian packages" >&2
    exit 77
  fi
done
# shellcheck disable=SC2016 # apt's own variables
mirror=${PPROFGATE_MIRROR:-$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
  sed -n "s|^\(.*\)/debian/* $release\$|\1|p" | head -1)}
if [ -z "$mirror" ]; then
  echo "skipped: this machine's apt knows no Debian $release; PPROFGATE_MIRROR says where it is" >&2
  exit 77
fi
mkdir -p "$kept"
making=$(mktemp -d "$kept/.making.XXXXXX")
trap 'rm -rf "$making"' EXIT

# An apt of its own, so that neither the machine's sources nor its architectures matter.
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
mkdir -p "$making/apt/lists/partial" "$making/apt/archives/partial" "$making/debs" "$making/root"
: >"$making/apt/status"
for kind in deb deb-src; do
  echo "$kind [signed-by=$keyring] $mirror/debian $release main"
  echo "$kind [signed-by=$keyring] $mirror/debian $release-updates main"
  echo "$kind [signed-by=$keyring] $mirror/debian-security $release-security main"
done >"$making/apt/sources.list"
export APT_CONFIG=$making/apt/apt.conf
cat >"$APT_CONFIG" <<CONF
APT::Architecture "$debian"; APT::Architectures { "$debian"; };
Dir::State "$making/apt"; Dir::State::status "$making/apt/status"; Dir::Cache "$making/apt";
Dir::Etc::sourcelist "$making/apt/sources.list"; Dir::Etc::sourceparts "-"; APT::Sandbox::User "root";
Acquire::Languages "none"; Acquire::Retries "3";
CONF
apt-get update -qq >&2
(cd "$making/debs" && apt-get download -qq "${packages[@]}" >&2)
for deb in "$making"/debs/*.deb; do
  dpkg-deb -x "$deb" "$making/root"
  # Which archive came from which package, for the bill of materials.
  # shellcheck disable=SC2016 # dpkg's own variables
  dpkg-deb -W --showformat '${Package}\t${Version}\t${source:Package}\t${source:Version}\n' "$deb" >>"$making/packages"
  dpkg-deb --fsys-tarfile "$deb" | tar -t | sed -n "s|^\./\(.*\.[ao]\)$|$(dpkg-deb -f "$deb" Package)\t\1|p" \
    >>"$making/owners"
done
# So that only archives are found.
find "$making/root" -name '*.so' -delete
mkdir -p "$making/source"
(cd "$making/source" && apt-get source -qq --download-only curl >&2)
unset APT_CONFIG
bash packaging/curl.sh "$arch" "$making" >&2
rm -rf "$making/apt" "$making/debs" "$making/source"
touch "$making/done"
rm -rf "$root"
mv "$making" "$root"
trap - EXIT
echo "$root"
