// SPDX-License-Identifier: Apache-2.0
// A class, whose methods keep their names in a bundle, and what they call, which does not.
import { roundPrice, withTax } from './price.js'

const describeLine = function (item, at) {
  let text = ''
  for (const word of item.name.split(' ')) text += word.toUpperCase() + at
  return text
}

function* linesOf(items) {
  for (let at = 0; at < items.length; at++) yield describeLine(items[at], at)
}

export class Cart {
  constructor() {
    this.items = []
    this.sum = 0
  }

  add(item) {
    this.items.push(item)
    this.sum += withTax(roundPrice(item.price), 0.19)
  }

  reply() {
    return JSON.stringify({ sum: this.sum, lines: Array.from(linesOf(this.items)) })
  }
}
