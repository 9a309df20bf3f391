// SPDX-License-Identifier: Apache-2.0
'use strict';
// A small shop under load by itself, for capture.sh.
//
//   node shop.js SECONDS ROUNDS [OUT]
//
// ROUNDS is how often roundPrice goes over a price: what a canary plants. With OUT, the profiler of @datadog/pprof
// runs for the whole time and its profile goes there.

const crypto = require('crypto');
const fs = require('fs');

const [seconds, rounds, out] = [Number(process.argv[2]), Number(process.argv[3]), process.argv[4]];
if (!(seconds > 0) || !(rounds > 0)) {
  console.error('usage: node shop.js SECONDS ROUNDS [OUT]');
  process.exit(2);
}

const items = Array.from({ length: 400 }, (_, i) => ({
  name: `item ${(i * 7919) % 400} of the shop`,
  price: 100 + ((i * 31) % 997) / 7,
  tags: ['a' + (i % 13), 'b' + (i % 17)],
}));

function roundPrice(price) {
  let rounded = price;
  for (let i = 0; i < rounds; i++) {
    rounded = Math.round((rounded * 1.0001 + 0.004) * 1e6) / 1e6;
  }
  return rounded;
}

function totalOf(basket) {
  let total = 0;
  for (const item of basket) total += roundPrice(item.price);
  return total;
}

function searchItems(word) {
  const pattern = new RegExp(`(?:^| )${word}(?: |$)`, 'i');
  return items.filter((item) => pattern.test(item.name) || item.tags.some((tag) => tag === word));
}

function sortItems(found) {
  return found.slice().sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function encodeReply(found, total) {
  return JSON.stringify({ total, items: found });
}

function checksum(text) {
  return crypto.createHash('sha256').update(text).digest('hex');
}

function handleRequest(number) {
  const found = sortItems(searchItems(number % 3 ? 'item' : `a${number % 13}`));
  return checksum(encodeReply(found, totalOf(items)));
}

function serve(until, done) {
  let number = 0;
  (function turn() {
    for (let i = 0; i < 50; i++) handleRequest(number++);
    if (Date.now() < until) setImmediate(turn);
    else done(number);
  })();
}

const until = Date.now() + seconds * 1000;
if (!out) {
  serve(until, (number) => console.error(`${number} requests`));
} else {
  const { time, encode } = require('@datadog/pprof');
  time.start({ durationMillis: seconds * 1000, intervalMicros: 5000, lineNumbers: false });
  serve(until, (number) => {
    encode(time.stop()).then((bytes) => fs.writeFileSync(out, bytes));
    console.error(`${number} requests`);
  });
}
