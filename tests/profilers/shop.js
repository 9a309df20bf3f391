// SPDX-License-Identifier: Apache-2.0
// A program that v8-profiler-next records, in the nested form that V8 wrote before 2017 (tree) or as a list of calls.
// Usage: node shop.js tree|list SECONDS FILE
'use strict';
const fs = require('fs');
const profiler = require('v8-profiler-next');

function roundPrice(price) {
  let sum = 0;
  for (let i = 0; i < 3000; i++) sum += Math.sqrt(price * i) % 7;
  return sum;
}

function walk(depth, price) {
  return depth === 0 ? roundPrice(price) : walk(depth - 1, price + 1);
}

function encodeReply(price) {
  return JSON.stringify(Array.from({ length: 200 }, (_, i) => ({ i, price }))).length;
}

function serve(until) {
  let sum = 0;
  for (let i = 0; Date.now() < until; i++) sum += walk(i % 5, i) + encodeReply(i);
  return sum;
}

profiler.setGenerateType(process.argv[2] === 'tree' ? 0 : 1);
profiler.startProfiling('shop', true);
serve(Date.now() + 1000 * process.argv[3]);
setTimeout(() => { // idle until then
  profiler.stopProfiling('shop').export((error, text) => fs.writeFileSync(process.argv[4], text));
}, 20);
