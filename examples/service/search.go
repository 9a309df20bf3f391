// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"regexp"
)

type patternName int

const (
	patternCoupon patternName = iota
	patternMaterial
	patternSize
	patternCount
)

var patternText = [patternCount]string{
	patternCoupon:   `^(?:SPRING|SUMMER|AUTUMN|WINTER)-[0-9]{2,4}(?:-[A-F0-9]{4}){1,2}$`,
	patternMaterial: `\b(?:oak|pine|teak|walnut|cedar|maple)\b.*\b(?:linen|cotton|wool|velvet)\b`,
	patternSize:     `\b([0-9]{2}) x ([0-9]{2}) cm$`,
}

type patternSet [patternCount]*regexp.Regexp

func compilePatterns() patternSet {
	var set patternSet
	for i, text := range patternText {
		set[i] = compilePattern(text)
	}
	return set
}

//go:noinline
func compilePattern(text string) *regexp.Regexp {
	return regexp.MustCompile(text)
}

// pattern returns a pattern compiled at the start; with -plant=regexp it
// compiles the pattern anew for each request that uses it.
func (s *shop) pattern(name patternName) *regexp.Regexp {
	re := s.patterns[name]
	if s.plant == plantRegexp {
		for range s.plantSize {
			re = compilePattern(patternText[name])
		}
	}
	return re
}

const (
	searchWindow = 72
	searchLimit  = 24
)

type hit struct {
	SKU  string   `json:"sku"`
	Name string   `json:"name"`
	Size []string `json:"size"`
}

// handleSearch matches two patterns against a window of the catalogue.
func (s *shop) handleSearch(w http.ResponseWriter, r *http.Request) {
	reply(w, s.search(int(queryNumber(r, "from")%uint64(len(s.products)-searchWindow))))
}

func (s *shop) searchWindow(from int) []hit {
	material, size := s.pattern(patternMaterial), s.pattern(patternSize)
	return searchProducts(s.products[from:from+searchWindow], material, size)
}

//go:noinline
func searchProducts(window []product, material, size *regexp.Regexp) []hit {
	hits := []hit{}
	for i := range window {
		p := &window[i]
		if len(hits) == searchLimit {
			break
		}
		if material.MatchString(p.Description) {
			hits = append(hits, hit{p.SKU, p.Name, size.FindStringSubmatch(p.Description)})
		}
	}
	return hits
}
