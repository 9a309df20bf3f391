#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Runs the program of the package for this platform, which npm chose among the optional dependencies.
"use strict";
const { spawnSync } = require("child_process");
const os = require("os");

const name = `@pprofgate/${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/pprofgate`);
} catch (_) {
  console.error(
    `pprofgate: package '${name}' is not installed; expected linux on x64 or arm64, installed with optional ` +
      "dependencies ('npm install' without '--omit=optional')"
  );
  process.exit(2);
}
const run = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (run.error) {
  console.error(`pprofgate: '${program}' cannot be run: ${run.error.message}`);
  process.exit(2);
}
process.exit(run.signal ? 128 + os.constants.signals[run.signal] : run.status);
