// SPDX-License-Identifier: Apache-2.0
// Searching and sorting, with functions inside of functions.
const compareNames = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

export function findItems(items, word) {
  const pattern = new RegExp(`(?:^| )${word}(?: |$)`, 'i')
  const hasTag = (item) => {
    let found = false
    for (const tag of item.tags) found = found || tag.toLowerCase() === word
    return found
  }
  return items.filter((item) => pattern.test(item.name) || hasTag(item))
}

export function sortItems(found) {
  return found.concat(found, found).sort(compareNames)
}
