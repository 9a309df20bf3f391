#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs each file of build/dist in a fresh place and gates a planted regression with it.
#   packaging/try.sh              all of them; needs root and what ci/packages.sh release installs for all
#   packaging/try.sh --quick      those of packaging/build.sh --quick
# What this machine cannot try is said: "skipped: …".
set -euo pipefail
cd "$(dirname "$0")/.."
quick=${1:-}
dist=$PWD/build/dist
host=$(uname -m)
version=$(sed -n 's/^project(pprofgate VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
fixtures=$PWD/fixtures/go-service/cpu
place=$(mktemp -d "${TMPDIR:-/tmp}/pprofgate-try-XXXXXX")
trap 'rm -rf "$place"' EXIT
chmod 755 "$place"

say() { printf '  %s\n' "$*"; }

# The verdict of a program, whatever runs it: status 1, and the function that was made slower.
expect_verdict() { # WHAT COMMAND...
  local what=$1 status=0
  shift
  "$@" check baseline-1.pb.gz regression-1.pb.gz >"$place/out" 2>"$place/err" || status=$?
  if [ $status -ne 1 ] || ! grep -q '^  main.priceRound: charged ' "$place/out"; then
    echo "$what: expected exit status 1 and 'main.priceRound', found status $status:" >&2
    cat "$place/out" "$place/err" >&2
    exit 1
  fi
  say "$what: gates"
}

# Who gets a static program gets the licences of what is in it.
expect_licences() { # WHAT FOLDER [LIBRARY]
  if ! find "$2" -path '*/licences/*' -name "*${3:-curl}*" | grep -q .; then
    echo "$1: expected the licence of ${3:-curl} below a folder 'licences', found none" >&2
    exit 1
  fi
}

# Commands and the rules file have pages for man.
expect_pages() { # WHAT FOLDER
  local page
  for page in man1/pprofgate-check.1 man5/pprofgate-rules.5; do
    if ! find "$2" -path "*/share/man/$page*" | grep -q .; then
      echo "$1: expected the manual page '$page', found none" >&2
      exit 1
    fi
  done
}

# The program in a root that holds nothing else, as a user without rights.
in_root() { # ROOT PROGRAM ARGUMENTS...
  local root=$1
  shift
  if [ "$(id -u)" -eq 0 ]; then
    chroot --userspec=65532:65532 "$root" "$@"
  else
    unshare --user --root="$root" -- "$@"
  fi
}

try_archive() { # ARCH
  local root=$place/archive-$1
  mkdir -p "$root"
  tar -xzf "$dist/pprofgate-$version-linux-$1.tar.gz" -C "$root"
  cp "$fixtures"/{baseline,regression}-1.pb.gz "$root/"
  chmod -R a+rX "$root"
  expect_pages ".tar.gz for $1" "$root"
  local program=/pprofgate-$version-linux-$1/bin/pprofgate
  if [ "$1" != "$host" ]; then
    if ! command -v "qemu-$1-static" >/dev/null; then
      say "skipped: .tar.gz for $1: 'qemu-$1-static' (qemu-user-static) is missing"
      return
    fi
    expect_verdict ".tar.gz for $1, emulated" env -C "$fixtures" "qemu-$1-static" "$root$program"
  elif [ "$(id -u)" -eq 0 ] || unshare --user true 2>/dev/null; then
    expect_verdict ".tar.gz in an empty root" in_root "$root" "$program"
  else
    expect_verdict ".tar.gz (no empty root: neither root nor user namespaces)" env -C "$fixtures" "$root$program"
  fi
}

try_wheel() {
  python3 -m venv "$place/venv"
  "$place/venv/bin/pip" install -q --disable-pip-version-check --no-index --find-links "$dist" pprofgate
  expect_licences "wheel" "$place/venv"
  expect_verdict "wheel in a fresh venv" env -C "$fixtures" "$place/venv/bin/pprofgate"
  local backend=library with=$dist/pprofgate-$version-py3-none-manylinux_2_28_$host.whl
  local without=$dist/pprofgate-$version-py3-none-manylinux2014_$host.manylinux_2_17_$host.musllinux_1_1_$host.whl
  if [ ! -f "$with" ]; then
    say "skipped: wheel with the library: packaging/build.sh did not make it"
    backend=program
  fi
  try_module "wheel" "$place/venv/bin/python" $backend
  "$place/venv/bin/pip" install -q --disable-pip-version-check --no-index --force-reinstall "$without"
  expect_verdict "wheel without the library" env -C "$fixtures" "$place/venv/bin/pprofgate"
  try_module "wheel without the library" "$place/venv/bin/python" program
  [ ! -f "$with" ] || expect_choice "manylinux_2_28_$host" "$with"
  expect_choice "manylinux2014_$host" "$without"
  expect_choice "musllinux_1_1_$host" "$without"
  if [ -f "$dist/pprofgate-$version-py3-none-any.whl" ]; then
    expect_choice win_amd64 "$dist/pprofgate-$version-py3-none-any.whl"
  fi
}

# pip takes the wheel FILE on a machine of this platform.
expect_choice() { # PLATFORM FILE
  rm -rf "$place/chosen"
  "$place/venv/bin/pip" download -q --disable-pip-version-check --no-index --no-deps --only-binary=:all: \
    --platform "$1" --python-version 3.9 --find-links "$dist" --dest "$place/chosen" pprofgate
  if [ ! -f "$place/chosen/${2##*/}" ]; then
    echo "wheels: expected that pip takes '${2##*/}' on $1, found '$(ls "$place/chosen")'" >&2
    exit 1
  fi
  say "wheels: pip takes the right one on $1"
}

# The Python module of a wheel: what decides, a verdict, a merge, a summary, and that pytest will find the plugin.
try_module() { # WHAT PYTHON BACKEND
  local found
  found=$(env -C "$place" "$2" - "$fixtures" <<'PYTHON'
import importlib.metadata
import sys

import pprofgate

folder = sys.argv[1]
verdict = pprofgate.check(f"{folder}/baseline-1.pb.gz", open(f"{folder}/regression-1.pb.gz", "rb"))
runs = [f"{folder}/baseline-{number}.pb.gz" for number in (1, 2)]
merged = pprofgate.merge(runs)
assert pprofgate.check(pprofgate.summarize(runs), f"{folder}/regression-1.pb.gz").failed
found = importlib.metadata.entry_points()
plugins = found.select(group="pytest11") if hasattr(found, "select") else found["pytest11"]
assert [plugin.value for plugin in plugins if plugin.name == "pprofgate"] == ["pprofgate.pytest_plugin"]
print(pprofgate.backend().split()[0], verdict.outcome, verdict.causes[0].function, pprofgate.inspect(merged)["format"])
PYTHON
  )
  if [ "$found" != "$3 fail main.priceRound pprof" ]; then
    echo "$1: expected '$3 fail main.priceRound pprof' of the module, found '$found'" >&2
    exit 1
  fi
  say "$1: its module gates by the $3"
}

# The wheel for machines without a native program: reports that wasmtime is missing, and gates with it.
try_wasm_wheel() {
  local wheel=$dist/pprofgate-$version-py3-none-any.whl status=0
  if [ ! -f "$wheel" ]; then
    say "skipped: wheel with WebAssembly: packaging/build.sh did not make it without Zig's compiler"
    return
  fi
  python3 -m venv "$place/wasm"
  "$place/wasm/bin/pip" install -q --disable-pip-version-check --no-index "$wheel"
  "$place/wasm/bin/pprofgate" --version >/dev/null 2>"$place/err" || status=$?
  if [ $status -ne 2 ] || ! grep -q "pip install 'pprofgate\[wasm\]'" "$place/err"; then
    echo "wheel with WebAssembly, without wasmtime: expected status 2 and a message, found $status" >&2
    cat "$place/err" >&2
    exit 1
  fi
  "$place/wasm/bin/pip" install -q --disable-pip-version-check "${wheel}[wasm]"
  expect_licences "wheel with WebAssembly" "$place/wasm" yaml
  expect_verdict "wheel with WebAssembly and wasmtime" env -C "$fixtures" "$place/wasm/bin/pprofgate"
  try_module "wheel with WebAssembly" "$place/wasm/bin/python" program
}

try_npm() {
  local cpu=x64 status=0
  [ "$host" = x86_64 ] || cpu=arm64
  if ! command -v npm >/dev/null; then
    say "skipped: npm packages: 'npm' is missing"
    return
  fi
  mkdir -p "$place/npm/without"
  npm install --prefix "$place/npm" --offline --no-audit --no-fund --silent \
    "$dist/pprofgate-linux-$cpu-$version.tgz" "$dist/pprofgate-$version.tgz" 2>/dev/null
  expect_licences "npm packages" "$place/npm"
  expect_verdict "npm packages in a fresh folder" env -C "$fixtures" "$place/npm/node_modules/.bin/pprofgate"
  tar -xzf "$dist/pprofgate-$version.tgz" -C "$place/npm/without"
  cp -r "$place/npm/without" "$place/alone"
  if [ -f "$place/alone/package/bin/pprofgate.wasm" ]; then
    expect_verdict "npm launcher without its platform's package" \
      env -C "$fixtures" node "$place/alone/package/bin/pprofgate.js"
    rm "$place/alone/package/bin/pprofgate.wasm"
  fi
  node "$place/alone/package/bin/pprofgate.js" --version >/dev/null 2>"$place/err" || status=$?
  if [ $status -ne 2 ] || ! grep -q "^pprofgate: package '@pprofgate/linux-$cpu' is not installed" "$place/err"; then
    echo "npm launcher without its platform's package: expected status 2 and a message, found $status" >&2
    cat "$place/err" >&2
    exit 1
  fi
}

# The image's own user and entry point, in what its layers make.
try_image() { # FILE
  local name=${1##*/} root=$place/image-${1##*/}
  mkdir -p "$root"
  python3 packaging/oci_unpack.py "$1" "$host" "$root" >"$place/image"
  cp "$fixtures"/{baseline,regression}-1.pb.gz "$root/"
  if [ "$(cat "$place/image")" != "65532:65532 /usr/bin/pprofgate" ]; then
    echo "$name: expected user 65532 and the program as entry point, found '$(cat "$place/image")'" >&2
    exit 1
  fi
  case $name in
    *-ca-oci.tar) grep -q 'BEGIN CERTIFICATE' "$root/etc/ssl/certs/ca-certificates.crt" ;;
    *) test ! -e "$root/etc/ssl" ;;
  esac
  if command -v skopeo >/dev/null; then
    skopeo copy -q "oci-archive:$1" "dir:$place/skopeo-$name"
    say "$name: read by skopeo"
  else
    say "skipped: $name in another reader: 'skopeo' is missing"
  fi
  if [ "$(id -u)" -eq 0 ] || unshare --user true 2>/dev/null; then
    expect_verdict "$name, unpacked, its user" in_root "$root" /usr/bin/pprofgate
  else
    say "skipped: running $name: neither root nor user namespaces"
  fi
}

# Taking profiles works in the static program: addresses, TLS, sockets, redirects.
try_capture() {
  local program=$PWD/build/static-$host/stage/bin/pprofgate scenario
  for scenario in rounds_of_both_sides_are_taken certificates_are_verified a_unix_socket_is_followed_on_redirect \
    an_allowed_redirect_carries_no_credentials a_token_from_a_variable_is_sent; do
    python3 tests/capture/capture_test.py "$program" "$PWD" $scenario >"$place/out" 2>&1 || {
      echo "capture of the static program, scenario '$scenario':" >&2
      cat "$place/out" >&2
      exit 1
    }
  done
  say "static program: takes profiles, over TLS too"
}

# Names of stripped binaries are found, of C++ and Go, inlined calls too.
try_symbols() {
  local program=$PWD/build/static-$host/stage/bin/pprofgate scenario status
  for scenario in addresses_have_the_names_of_addr2line separate_debug_information_is_found \
    stripped_go_programs_have_the_names_of_gos_table damaged_binaries_give_names_or_an_error; do
    status=0
    python3 tests/symbols/test_symbols.py "$program" "$PWD" $scenario >"$place/out" 2>&1 || status=$?
    if [ $status -ne 0 ] && [ $status -ne 77 ]; then
      echo "names by the static program, scenario '$scenario':" >&2
      cat "$place/out" >&2
      exit 1
    fi
  done
  if ! "$program" version | grep -q '^names: *of binaries'; then
    echo "the static program has no libdw: 'pprofgate version' names no binaries" >&2
    exit 1
  fi
  say "static program: names the frames of stripped binaries"
}

# Position independent, nothing writable and executable, relocations read-only, no path of this machine.
try_hardening() { # PROGRAM
  local program=$1 headers
  headers=$(readelf -hlW "$program")
  if ! grep -q 'Type: *DYN' <<<"$headers" || ! grep -q GNU_RELRO <<<"$headers" ||
    grep -q 'GNU_STACK.*RWE' <<<"$headers"; then
    echo "'$program' is not position independent, or its relocations or its stack are not protected:" >&2
    echo "$headers" >&2
    exit 1
  fi
  if grep -q INTERP <<<"$headers" && ! readelf -dW "$program" | grep -q 'FLAGS.*NOW'; then
    echo "'$program' binds late; expected '-z now'" >&2
    exit 1
  fi
  if grep -qaF -e "$PWD" -e "$HOME/" -e "${PPROFGATE_SYSROOTS:-$HOME/.cache}" "$program"; then
    echo "'$program' holds a path of this machine" >&2
    exit 1
  fi
  say "$(basename "$(dirname "$(dirname "$program")")")/pprofgate: hardened, no path of this machine"
}

(cd "$dist" && sha256sum --quiet -c SHA256SUMS)
say "SHA256SUMS: right"
try_hardening "build/static-$host/stage/bin/pprofgate"
try_archive "$host"
python3 packaging/wheel_tags.py "$dist"/*.whl >/dev/null
say "wheels: their tags are right"
try_wheel
try_wasm_wheel
try_npm
for image in "$dist"/*-oci.tar; do
  try_image "$image"
done
try_capture
try_symbols
if [ "$quick" != --quick ]; then
  for arch in x86_64 aarch64; do
    [ "$arch" = "$host" ] || try_archive "$arch"
  done
  # shellcheck source=packaging/try_system.sh
  . packaging/try_system.sh
fi
