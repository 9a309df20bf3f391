// SPDX-License-Identifier: Apache-2.0
'use strict';
// The parcel service of this folder's neighbour, for Node: no packages, one thread.
//
//   node depot.js ADDRESS-FILE LIFETIME-SECONDS [spread|clone|HANDLER=FACTOR]
//
// HANDLER=FACTOR runs the handler lookup, find, board or manifest so many times for each request, on average.
//
// It listens on a free port of loopback and writes the address to ADDRESS-FILE. /debug/cpuprofile?seconds=10 answers with
// a .cpuprofile of its next ten seconds.

const fs = require('fs');
const http = require('http');
const inspector = require('inspector');
const { makeParcels } = require('./parcels');
const { lookup, find, board, quote, manifest } = require('./handlers');

const [addressFile, lifetime, plant = ''] = process.argv.slice(2);
const [repeated, factor] = plant.includes('=') ? plant.split('=') : ['', '1'];
const isKnown = ['', 'spread', 'clone'].includes(plant) || (['lookup', 'find', 'board', 'manifest'].includes(repeated) && factor >= 1);
if (!addressFile || !(Number(lifetime) > 0) || !isKnown) {
  console.error('usage: node depot.js ADDRESS-FILE LIFETIME-SECONDS [spread|clone|HANDLER=FACTOR]');
  process.exit(2);
}

const depot = { parcels: makeParcels(10000), plant };
depot.byId = new Map(depot.parcels.map((parcel) => [parcel.id, parcel]));
const routes = { '/parcel': lookup, '/find': find, '/board': board, '/quote': quote, '/manifest': manifest };
const started = process.hrtime.bigint();
const audit = { waiting: null, records: 0 };
let served = 0;

// What an answer was made of may change before the log is written, so the log gets a copy. Nobody reads the log.
function auditRecord(request, from) {
  const copy = JSON.parse(JSON.stringify({ at: new Date(), url: request.url, headers: request.headers, from }));
  audit.waiting = copy;
  audit.records++;
}

function send(response, answer) {
  const body = answer.text ?? JSON.stringify(answer.object);
  response.writeHead(200, { 'Content-Type': answer.type ?? 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

function serve(handler, request, response, n, body) {
  served++;
  let answer;
  try {
    const times = handler.name === repeated ? Math.floor(Number(factor) + Math.random()) : 1;
    for (let i = 0; i < times; i++) answer = handler(depot, n, body);
  } catch (error) {
    response.writeHead(400).end(String(error));
    return;
  }
  if (plant === 'clone') auditRecord(request, answer.from);
  send(response, answer);
}

function stats(response) {
  const { user, system } = process.cpuUsage();
  const wall = Number(process.hrtime.bigint() - started) / 1e9;
  send(response, { object: { requests: served, cpu_seconds: (user + system) / 1e6, wall_seconds: wall } });
}

function profile(response, seconds) {
  const session = new inspector.Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: 10000 });
  session.post('Profiler.start', () => {
    setTimeout(() => {
      session.post('Profiler.stop', (error, result) => {
        session.disconnect();
        send(response, { object: error ?? result.profile });
      });
    }, seconds * 1000);
  });
}

const server = http.createServer((request, response) => {
  const url = new URL(request.url, 'http://depot');
  const handler = routes[url.pathname];
  if (handler && request.method === 'POST') {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => serve(handler, request, response, 0, Buffer.concat(chunks).toString()));
  } else if (handler) {
    serve(handler, request, response, Number(url.searchParams.get('n')), '');
  } else if (url.pathname === '/stats') {
    stats(response);
  } else if (url.pathname === '/debug/cpuprofile') {
    profile(response, Number(url.searchParams.get('seconds')) || 10);
  } else {
    response.writeHead(404).end();
  }
});

server.listen(0, '127.0.0.1', () => {
  fs.writeFileSync(`${addressFile}.new`, `127.0.0.1:${server.address().port}`);
  fs.renameSync(`${addressFile}.new`, addressFile);
});
setTimeout(() => process.exit(0), Number(lifetime) * 1000);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
