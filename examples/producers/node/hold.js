// SPDX-License-Identifier: Apache-2.0
// A shop that fills its stock and keeps it: what it holds at its end is what --heap-prof shows. Usage: hold.js NOTES
'use strict'

const notes = Number(process.argv[2] || 2) // of each order: what baseline and canary differ in

function describe(item) {
  return Array.from({ length: 12 }, (_, i) => `${item}-${i}-${'x'.repeat(20)}`)
}

function writeNotes(item) {
  const written = []
  for (let i = 0; i < notes; i++) written.push({ item, at: i, words: [item, i, item + i] })
  return written
}

function fillStock(count) {
  const stock = new Map()
  for (let i = 0; i < count; i++) stock.set(`item ${i}`, describe(i))
  return stock
}

function takeOrders(stock) {
  return Array.from(stock.keys(), (key, i) => ({ key, notes: writeNotes(i) }))
}

const stock = fillStock(12000)
const orders = takeOrders(stock)
process.on('exit', () => console.log(stock.size, orders.length))
