// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
)

type cart struct {
	Customer string     `json:"customer"`
	Coupon   string     `json:"coupon"`
	Lines    []cartLine `json:"lines"`
}

type cartLine struct {
	SKU      string `json:"sku"`
	Quantity int64  `json:"quantity"`
}

type pricedLine struct {
	SKU        string `json:"sku"`
	Name       string `json:"name"`
	Quantity   int64  `json:"quantity"`
	TotalCents int64  `json:"total_cents"`
}

type receipt struct {
	Customer   string       `json:"customer"`
	Discount   bool         `json:"discount"`
	TotalCents int64        `json:"total_cents"`
	Lines      []pricedLine `json:"lines"`
}

const (
	maxCartLines = 64
	roundSteps   = 400
)

// handleCheckout decodes a cart, prices each line and encodes a receipt.
func (s *shop) handleCheckout(w http.ResponseWriter, r *http.Request) {
	var c cart
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&c); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if len(c.Lines) == 0 || len(c.Lines) > maxCartLines {
		http.Error(w, fmt.Sprintf("a cart has 1 to %d lines, this one %d", maxCartLines, len(c.Lines)), http.StatusBadRequest)
		return
	}
	lines, err := s.priceLines(c.Lines)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	s.journal.append()
	reply(w, receipt{
		Customer:   c.Customer,
		Discount:   s.pattern(patternCoupon).MatchString(c.Coupon),
		TotalCents: s.cartTotal(lines),
		Lines:      lines,
	})
}

func (s *shop) priceLines(lines []cartLine) ([]pricedLine, error) {
	out := make([]pricedLine, 0, len(lines))
	for _, line := range lines {
		p := s.lookup(line.SKU)
		if p == nil {
			return nil, fmt.Errorf("no product '%s'", line.SKU)
		}
		out = append(out, pricedLine{
			SKU:        p.SKU,
			Name:       p.Name,
			Quantity:   line.Quantity,
			TotalCents: s.round(p.PriceCents * line.Quantity),
		})
	}
	return out, nil
}

// lookup finds a product; with -plant=lookup it finds it again and again.
func (s *shop) lookup(sku string) *product {
	repeats := 0
	if s.plant == plantLookup {
		repeats = s.plantSize
	}
	p := findProduct(s.products, sku)
	for range repeats {
		p = findProduct(s.products, sku)
	}
	return p
}

// findProduct scans: catalogues this small rarely get an index.
//
//go:noinline
func findProduct(products []product, sku string) *product {
	for i := range products {
		if products[i].SKU == sku {
			return &products[i]
		}
	}
	return nil
}

// round prices in the service's steps; with -plant=leaf it takes more of them.
func (s *shop) round(cents int64) int64 {
	steps := roundSteps
	if s.plant == plantLeaf {
		steps += s.plantSize
	}
	return priceRound(cents, steps)
}

// priceRound settles a price on a cash amount by repeated averaging with the
// nearest five cents. It calls nothing, so all its cost is self cost.
//
//go:noinline
func priceRound(cents int64, steps int) int64 {
	x := uint64(cents)
	for range steps {
		nearest := (x + 2) / 5 * 5
		x = (x*3 + nearest + 2) >> 2
	}
	return int64(x)
}

//go:noinline
func cartTotal(lines []pricedLine) int64 {
	var total int64
	for _, line := range lines {
		total += line.TotalCents
	}
	return total
}

// sumOfLines is cartTotal after the -benign refactoring: two functions for one.
//
//go:noinline
func sumOfLines(lines []pricedLine) int64 {
	half := len(lines) / 2
	return sumSpan(lines[:half]) + sumSpan(lines[half:])
}

//go:noinline
func sumSpan(lines []pricedLine) int64 {
	var total int64
	for _, line := range lines {
		total += line.TotalCents
	}
	return total
}
