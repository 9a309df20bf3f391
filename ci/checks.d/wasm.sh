#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The WebAssembly build gives the same bytes as the native program: all cases of fixtures/cases that need nothing that it
# lacks, run in Node. packaging/wasm.sh builds it with Zig's compiler, which ci/packages.sh checks installs.
set -euo pipefail
cd "$(dirname "$0")/../.."
. ci/has.sh
has node cmake ninja protoc-c pkg-config || exit 0
bash packaging/zig.sh >/dev/null || has zig || exit 0
bash packaging/wasm.sh
node tests/cases/wasm_cases.mjs build/dist/pprofgate.wasm fixtures
