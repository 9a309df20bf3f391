// SPDX-License-Identifier: Apache-2.0
// Prices: a declared function, and one that is a constant's value.
let rounds = 1

export function setRounds(count) {
  rounds = count
}

export function roundPrice(price) {
  let rounded = price
  for (let i = 0; i < rounds; i++) rounded = Math.round((rounded * 1.0001 + 0.004) * 1e6) / 1e6
  return rounded
}

export const withTax = (price, rate) => {
  let taxed = price
  for (let i = 0; i < 20; i++) taxed = Math.sqrt(taxed * taxed + rate * i)
  return taxed
}
