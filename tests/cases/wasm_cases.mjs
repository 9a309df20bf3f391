// SPDX-License-Identifier: Apache-2.0
// Runs the cases of fixtures/cases through the WebAssembly build in Node, and compares status, standard output, standard
// error and every report byte for byte with what tests/cases expects of the native program.
//   node wasm_cases.mjs PROGRAM.wasm FIXTURES [NAME...]
// PPROFGATE_LAUNCHER is a command to run instead of Node, such as `python -m pprofgate` with the wheel's own program.
// A case is left out if it needs what WebAssembly lacks; `lacks` is the list.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from 'node:child_process';

const launcher = fileURLToPath(new URL('../../packaging/npm/wasm.mjs', import.meta.url));
const [program, fixtures] = process.argv.slice(2, 4).map((name) => path.resolve(name));
const names = process.argv.slice(4);
// V8's first compiler alone takes half the time. packaging/try.sh and the page's tests run with the second one, too.
const command = process.env.PPROFGATE_LAUNCHER?.split(' ') ??
  [process.execPath, '--no-warnings', '--liftoff-only', launcher, program];

// Reasons why a case cannot give the same bytes, each with a test of the arguments.
const lacks = [
  ['programs and connections', (args) => ['capture', 'gate', 'try', 'baseline'].includes(args[0])],
];

// As run_case.c: pages and pictures without style and script, JSON without the line that tells the build.
function shown(text, out) {
  text = text.split(out).join('{out}');
  if (text.startsWith('<!DOCTYPE html>') || text.startsWith('<?xml '))
    for (const [open, close] of [['<style>', '</style>'], ['<script>', '</script>'], ["'sha256-", "'"]]) {
      let kept = '', from = 0;
      for (let at; (at = text.indexOf(open, from)) >= 0; ) {
        const end = text.indexOf(close, at + open.length);
        kept += text.slice(from, at + open.length) + '{left out}';
        from = end;
      }
      text = kept + text.slice(from);
    }
  const build = text.indexOf('\n  "generator_build": "');
  return build < 0 ? text : text.slice(0, build) + text.slice(text.indexOf('\n', build + 1));
}

const read = (file) => fs.readFileSync(file, 'latin1'); // one character per byte
const lines = (file) => (fs.existsSync(file) ? read(file).split('\n').filter((line) => line !== '') : []);

// Each case has a Node of its own: Node 20 crashes on a second program in one process.
function run(folder, args, out) {
  const stdin = path.join(folder, 'stdin');
  const env = { GITHUB_WORKSPACE: fixtures, HOME: os.homedir() };
  for (const line of lines(path.join(folder, 'env'))) env[line.slice(0, line.indexOf('='))] = line.slice(line.indexOf('=') + 1);
  const input = fs.openSync(fs.existsSync(stdin) ? stdin : '/dev/null', 'r');
  const files = ['stdout', 'stderr'].map((name) => path.join(out, `.${name}`));
  const outputs = files.map((file) => fs.openSync(file, 'w'));
  return new Promise((resolve) => {
    const child = spawn(command[0], [...command.slice(1), ...args], {
      cwd: fixtures, env, stdio: [input, ...outputs],
    });
    child.on('exit', (status, signal) => {
      [input, ...outputs].forEach((fd) => fs.closeSync(fd));
      const [stdout, stderr] = files.map(read);
      const got = { output: `${stdout}${stderr && `== stderr\n${stderr}`}== exit status ${status ?? signal}\n` };
      for (const name of fs.readdirSync(out)) if (!name.startsWith('.')) got[name] = read(path.join(out, name));
      resolve(got);
    });
  });
}

let ran = 0, failed = 0;
const left = new Map();

async function judge(name) {
  const folder = path.join(fixtures, 'cases', name), expect = path.join(folder, 'expect');
  if (!fs.existsSync(path.join(folder, 'args'))) return;
  const out = fs.mkdtempSync(path.join(os.tmpdir(), 'pprofgate-case-'));
  const args = read(path.join(folder, 'args')).replace(/\n$/, '').split('\n').slice(1);
  const wanted = Object.fromEntries(fs.readdirSync(expect).filter((file) => !file.endsWith('.got'))
    .map((file) => [file, read(path.join(expect, file))]));
  const reason = lacks.find(([, test]) => test(args));
  if (reason) {
    left.set(reason[0], [...(left.get(reason[0]) ?? []), name]);
    fs.rmSync(out, { recursive: true });
    return;
  }
  const got = await run(folder, args.map((word) => word.replace('{out}', out)), out);
  ran++;
  const bad = [...new Set([...Object.keys(wanted), ...Object.keys(got)])]
    .filter((file) => wanted[file] === undefined || got[file] === undefined || shown(got[file], out) !== wanted[file]);
  if (bad.length) {
    failed++;
    console.log(`${name}: ${bad.join(', ')}`);
    for (const file of process.env.GATE_SHOW ? bad : [])
      console.log(`--- ${file} expected\n${wanted[file]}\n--- got\n${got[file] && shown(got[file], out)}`);
  }
  fs.rmSync(out, { recursive: true });
}

const queue = names.length ? names : fs.readdirSync(path.join(fixtures, 'cases')).sort();
await Promise.all(Array.from({ length: os.cpus().length }, async () => {
  for (let name; (name = queue.shift()); ) await judge(name);
}));

// What is left out is refused by name, not by whatever fails first.
const refused = { try: ['try', '--rules', 'x.yml', 'HEAD'], capture: ['capture'], gate: ['gate'], list: ['baseline', 'list', '--store', 'x'] };
for (const [command, words] of names.length ? [] : Object.entries(refused)) {
  const out = fs.mkdtempSync(path.join(os.tmpdir(), 'pprofgate-case-'));
  const got = await run('/dev/null', words, out);
  fs.rmSync(out, { recursive: true });
  if (!got.output.endsWith('== exit status 2\n') || !got.output.includes(`'${command}' is not part of the WebAssembly build`)) {
    failed++;
    console.log(`${words.join(' ')}: ${got.output}`);
  }
}
// Summaries that this build makes have the verdict of those in fixtures/summaries, which the native program made.
if (!names.length) {
  const out = fs.mkdtempSync(path.join(os.tmpdir(), 'pprofgate-case-'));
  const sides = ['baseline', 'regression'], files = sides.map((side) => path.join(out, `${side}.pgsum`));
  const expected = path.join(fixtures, 'cases/summary_check/expect');
  const steps = sides.map((side, i) =>
    ['summarize', '-o', files[i], ...[1, 2, 3].map((run) => `go-service/cpu/${side}-${run}.pb.gz`)]);
  const ends = [];
  for (const words of [...steps, ['check', '--baseline', files[0], '--canary', files[1]]])
    ends.push(await run('/dev/null', words, out));
  if (!ends.slice(0, 2).every((got) => got.output.endsWith('== exit status 0\n')) ||
      ends[2].output !== read(path.join(expected, 'output'))) {
    failed++;
    console.log(`summaries made here: ${ends.map((got) => got.output).join('')}`);
  }
  fs.rmSync(out, { recursive: true });
}
for (const [reason, cases] of left) console.log(`left out, ${reason}: ${cases.length}`);
console.log(`${ran} cases, ${failed} differ`);
if (failed || (ran < 300 && !names.length)) process.exit(1);
