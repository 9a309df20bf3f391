// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"sync"
)

// keepResults is half of -fast: a search and a report are done once per window, and
// the payload, which never changes, is digested once per length.
func (s *shop) keepResults() {
	s.search = kept(s.search)
	s.count = kept(s.count)
	digest := kept(func(length int) string { return digestPayload(s.payload[:length]) })
	s.digest = func(body []byte) string { return digest(len(body)) }
}

// rankPage is rankProducts that orders only what is shown: it inserts each
// product that is among the best so far.
//
//go:noinline
func rankPage(products []product, visitor uint64) []product {
	page := make([]product, 0, browsePage+1)
	for i := range products {
		score := affinity(&products[i], visitor)
		at := len(page)
		for at > 0 && score < affinity(&page[at-1], visitor) {
			at--
		}
		if at < browsePage {
			page = slices.Insert(page, at, products[i])
			page = page[:min(len(page), browsePage)]
		}
	}
	return page
}

// kept remembers f's results. Callers that come together may each call f.
func kept[V any](f func(int) V) func(int) V {
	var results sync.Map
	return func(key int) V {
		if known, ok := results.Load(key); ok {
			return known.(V)
		}
		result := f(key)
		results.Store(key, result)
		return result
	}
}
