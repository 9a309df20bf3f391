#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Runs the program of the package for this platform, which npm chose among the optional dependencies. Where there is
// none, runs the WebAssembly build that this package has.
"use strict";
const { spawnSync } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");

const name = `@pprofgate/${process.platform}-${process.arch}`;
const wasm = path.join(__dirname, "pprofgate.wasm");
let program;
let words = process.argv.slice(2);
try {
  program = require.resolve(`${name}/bin/pprofgate`);
} catch (_) {
  if (!fs.existsSync(wasm)) {
    console.error(
      `pprofgate: package '${name}' is not installed; expected linux or darwin on x64 or arm64, installed with optional ` +
        "dependencies ('npm install' without '--omit=optional')"
    );
    process.exit(2);
  }
  program = process.execPath; // Node itself
  words = ["--no-warnings", path.join(__dirname, "wasm.mjs"), wasm, ...words];
}
const run = spawnSync(program, words, { stdio: "inherit" });
if (run.error) {
  console.error(`pprofgate: '${program}' cannot be run: ${run.error.message}`);
  process.exit(2);
}
process.exit(run.signal ? 128 + os.constants.signals[run.signal] : run.status);
