// SPDX-License-Identifier: Apache-2.0
// Makes the page that gates, one HTML file with everything in it:
//   node build.mjs PROGRAM.wasm PAGE.html
// The page's policy allows the scripts and styles of the page and of the program's report, by their digests. The report
// is shown in a frame, which inherits the policy.
import { createHash } from "node:crypto";
import fs from "node:fs";
import vm from "node:vm";
import { gzipSync } from "node:zlib";

const [program, out] = process.argv.slice(2);
const here = (name) => new URL(name, import.meta.url);
const read = (name) => fs.readFileSync(here(name), "utf8");
const wasm = fs.readFileSync(program);
const MAX_BYTES = 4_000_000;

const worker = read("wasi.js"), script = read("page.js"), style = read("page.css");
const presets = {};
for (const name of fs.readdirSync(here("../../rules/")))
  if (name.endsWith(".yml") && name !== "trend.yml") presets[name.slice(0, -4)] = read(`../../rules/${name}`);

// The policy of a report, which the program writes into each.
const runProgram = vm.runInThisContext(`${worker}; runProgram`);
const inputs = { "/a.pb.gz": "good.pb.gz", "/b.pb.gz": "good-canary.pb.gz" };
const files = Object.fromEntries(Object.entries(inputs)
  .map(([path, name]) => [path, new Uint8Array(fs.readFileSync(here(`../../fixtures/bad/${name}`)))]));
const made = runProgram(new WebAssembly.Module(wasm), ["check", "--html", "/out/report.html", "/a.pb.gz", "/b.pb.gz"], files);
const report = made.files["/out/report.html"];
if (!report) throw new Error(`the program wrote no report: ${made.stderr}`);
const policy = /Content-Security-Policy" content="([^"]*)"/.exec(new TextDecoder().decode(report))[1];
const sourcesOf = (directive) => new RegExp(`${directive} ([^;]*)`).exec(policy)[1];

const digest = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const parts = {
  POLICY: ["default-src 'none'", `script-src 'wasm-unsafe-eval' ${digest(script)} ${sourcesOf("script-src")}`,
    `style-src ${digest(style)} ${sourcesOf("style-src")}`, "worker-src blob:", "base-uri 'none'", "form-action 'none'"].join("; "),
  STYLE: style,
  SCRIPT: script,
  WORKER: worker,
  PRESETS: JSON.stringify(presets).replaceAll("<", "\\u003c"),
  PROGRAM: gzipSync(wasm, { level: 9 }).toString("base64"),
};
for (const name of ["SCRIPT", "WORKER"])
  if (/<\/script|<!--/i.test(parts[name])) throw new Error(`${name} would end its element`);
const page = read("page.html").replace(/@([A-Z]+)@/g, (mark, name) => parts[name]);
if (page.length > MAX_BYTES) throw new Error(`the page has ${page.length} bytes, expected at most ${MAX_BYTES}`);
fs.writeFileSync(out, page);
console.log(`${page.length} ${out}`);
