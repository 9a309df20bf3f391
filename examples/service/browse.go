// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"net/http"
	"slices"
	"sort"
)

const (
	browseWindow = 360
	browsePage   = 8
)

// handleBrowse ranks a slice of the catalogue for one visitor and replies with a page.
func (s *shop) handleBrowse(w http.ResponseWriter, r *http.Request) {
	visitor := queryNumber(r, "visitor")
	from := int(visitor % uint64(len(s.products)-browseWindow))
	ranked := s.rank(s.products[from:from+browseWindow], visitor)
	reply(w, ranked[:browsePage])
}

func affinity(p *product, visitor uint64) uint64 {
	return (p.Score ^ visitor) * 0x9E3779B97F4A7C15
}

//go:noinline
func rankProducts(products []product, visitor uint64) []product {
	ranked := slices.Clone(products)
	sort.SliceStable(ranked, func(i, j int) bool {
		return affinity(&ranked[i], visitor) < affinity(&ranked[j], visitor)
	})
	return ranked
}

// rankInSteps is rankProducts after the -benign refactoring.
//
//go:noinline
func rankInSteps(products []product, visitor uint64) []product {
	ranked := slices.Clone(products)
	orderByAffinity(ranked, visitor)
	return ranked
}

//go:noinline
func orderByAffinity(ranked []product, visitor uint64) {
	sort.SliceStable(ranked, func(i, j int) bool {
		return cmp.Less(affinity(&ranked[i], visitor), affinity(&ranked[j], visitor))
	})
}
