// SPDX-License-Identifier: Apache-2.0
// Runs pprofgate.wasm with this process's arguments, environment, folder and streams.
//   node wasm.mjs PROGRAM.wasm [ARGUMENT...]
import fs from 'node:fs';
import { WASI } from 'node:wasi';

const [file, ...words] = process.argv.slice(2);
const wasi = new WASI({
  version: 'preview1',
  args: ['pprofgate', ...words],
  env: process.env,
  preopens: { '.': '.', '/': '/' }, // relative and absolute paths
  returnOnExit: true,
});
const module = await WebAssembly.compile(fs.readFileSync(file));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
