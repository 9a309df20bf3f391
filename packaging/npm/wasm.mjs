// SPDX-License-Identifier: Apache-2.0
// Runs pprofgate.wasm with this process's arguments, environment, folder and streams.
//   node wasm.mjs PROGRAM.wasm [ARGUMENT...]
import fs from 'node:fs';
import v8 from 'node:v8';
import { WASI } from 'node:wasi';

// Node 20 crashes when the memory of a program grows after fast calls into node:wasi.
v8.setFlagsFromString('--no-turbo-fast-api-calls');

const [file, ...words] = process.argv.slice(2);
const isWindows = process.platform === 'win32';
const wasi = new WASI({
  version: 'preview1',
  args: ['pprofgate', ...words],
  // A Windows path has a drive, which WASI does not know: there only files below the working folder are reached.
  env: { ...process.env, PWD: isWindows ? '/' : process.cwd() },
  preopens: { '/': isWindows ? '.' : '/' },
  returnOnExit: true,
});
const module = await WebAssembly.compile(fs.readFileSync(file));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
