// SPDX-License-Identifier: Apache-2.0
// A small shop under load by itself, in four files that a bundler makes one of. Usage: main.js SECONDS ROUNDS
import { Cart } from './cart.js'
import { setRounds } from './price.js'
import { findItems, sortItems } from './search.js'

const seconds = Number(process.argv[2])
setRounds(Number(process.argv[3]))

const items = Array.from({ length: 300 }, (_, i) => ({
  name: `item ${(i * 7919) % 300} of the shop`,
  price: 100 + ((i * 31) % 997) / 7,
  tags: ['a' + (i % 13), 'b' + (i % 17)],
}))

function handleRequest(number) {
  const cart = new Cart()
  for (const item of sortItems(findItems(items, `a${number % 13}`))) cart.add(item)
  for (const item of items) cart.add(item)
  return cart.reply()
}

const until = Date.now() + seconds * 1000
let requests = 0
while (Date.now() < until) if (handleRequest(requests) !== '') requests++
console.error(`${requests} requests`)
