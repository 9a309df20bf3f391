// SPDX-License-Identifier: Apache-2.0
'use strict';
// The endpoints. Each gives back what to send (an object, or a text and its type) and what that was made of.

const crypto = require('crypto');
const zlib = require('zlib');
const { towns, names } = require('./parcels');

const MANIFEST_ROWS = 1800;
const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

function lookup(depot, n) {
  const parcel = depot.byId.get(`PX${String(n % depot.parcels.length).padStart(7, '0')}`);
  return { object: { ...parcel, posted: date.format(parcel.posted) }, from: parcel };
}

function find(depot, n) {
  const first = n % (depot.parcels.length - 300);
  const word = new RegExp(`(^| )${names[n % names.length]}`, 'i');
  const found = depot.parcels
    .slice(first, first + 300)
    .filter((parcel) => word.test(parcel.to.name) || (parcel.delivered && /^[0-4]\d+[13579]$/.test(parcel.to.code)))
    .sort((a, b) => a.posted - b.posted || a.id.localeCompare(b.id))
    .slice(0, 20);
  const matches = found.map((parcel) => {
    const { what, place } = parcel.scans[parcel.scans.length - 1];
    return { id: parcel.id, to: parcel.to.name, town: parcel.to.town, posted: date.format(parcel.posted), last: `${what}, ${place}` };
  });
  return { object: matches, from: found };
}

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => escapes[c]);

function board(depot, n) {
  const first = n % (depot.parcels.length - 25);
  const rows = depot.parcels.slice(first, first + 25);
  const cells = rows.map(
    (parcel) =>
      `<tr class="${parcel.delivered ? 'done' : 'open'}"><td>${escaped(parcel.id)}</td><td>${escaped(parcel.to.name)}</td>` +
      `<td>${escaped(parcel.to.town)}</td><td>${(parcel.grams / 1000).toLocaleString('en-GB')} kg</td></tr>`,
  );
  const text = `<!doctype html><title>${escaped(towns[n % towns.length])}</title><table>\n${cells.join('\n')}\n</table>\n`;
  return { text, type: 'text/html', from: rows };
}

function quote(depot, n, body) {
  const order = JSON.parse(body);
  const seal = crypto.createHmac('sha256', 'not a secret');
  let total = 0;
  const lines = order.lines.map((line) => {
    const zone = towns.indexOf(line.town) % 5;
    const weight = Math.max(line.grams / 1000, (line.side_cm / 100) ** 3 * 200);
    const price = 2.9 + 0.8 * zone + (Math.ceil(weight * 2) / 2) * 1.15;
    total += price;
    seal.update(`${line.town}|${line.grams}|${price.toFixed(2)}\n`);
    return { town: line.town, zone, price: `${price.toFixed(2)} EUR` };
  });
  return { object: { customer: order.customer, lines, total: `${total.toFixed(2)} EUR`, seal: seal.digest('hex') }, from: order };
}

const manifestRow = (parcel) => [parcel.id, parcel.grams, parcel.to.code, parcel.to.town, parcel.to.name];

// The planted spread is the version without a mutable list: each row copies all rows before it.
function manifestRows(depot, parcels) {
  if (depot.plant === 'spread') return parcels.reduce((rows, parcel) => [...rows, manifestRow(parcel)], []);
  return parcels.map(manifestRow);
}

function manifest(depot, n) {
  const first = n % (depot.parcels.length - MANIFEST_ROWS);
  const rows = manifestRows(depot, depot.parcels.slice(first, first + MANIFEST_ROWS));
  const text = zlib.gzipSync(rows.map((row) => row.join(';')).join('\n'), { level: 1 });
  return { text, type: 'application/gzip', from: { first, bytes: text.length } };
}

module.exports = { lookup, find, board, quote, manifest };
