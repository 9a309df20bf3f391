// SPDX-License-Identifier: Apache-2.0
'use strict';
// The parcels: the same ones in every run.

const towns = 'Aldford Brigsley Carrow Dunmere Eastleigh Farnholm Garside Holtby Inverlay Kestwick Larling Morwick Oxmoor Quenby'.split(' ');
const names = 'Abel Berta Carla Dorian Edith Fiona Gustav Hanna Ivo Jonas Klara Leon Mina Nora Oskar Paula Rosa Tilda'.split(' ');
const streets = 'Mill Station Church High Bridge Garden Meadow Quarry River School'.split(' ');
const steps = ['accepted', 'sorted', 'loaded', 'in transit', 'arrived', 'out for delivery', 'delivered'];

function makeParcels(count) {
  let state = 20250301;
  const below = (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const one = (list) => list[below(list.length)];
  const place = () => ({
    name: `${one(names)} ${one(names)}son`,
    street: `${1 + below(200)} ${one(streets)} Street`,
    town: one(towns),
    code: String(below(100000)).padStart(5, '0'),
  });
  const begin = Date.UTC(2025, 2, 1, 6);
  return Array.from({ length: count }, (_, i) => {
    const posted = begin + below(40 * 24 * 60) * 60000;
    let at = posted;
    const scans = steps.slice(0, 3 + below(steps.length - 2)).map((what) => {
      at += (20 + below(600)) * 60000;
      return { at: new Date(at).toISOString(), place: one(towns), what };
    });
    return {
      id: `PX${String(i).padStart(7, '0')}`,
      from: place(),
      to: place(),
      grams: 100 + below(20000),
      cents: below(100000),
      posted,
      options: { service: one(['day', 'slow', 'night']), proof: one(['photo', 'signature']) },
      scans,
      delivered: scans.length === steps.length,
    };
  });
}

module.exports = { makeParcels, towns, names };
