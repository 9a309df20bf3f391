// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"hash/crc32"
	"sort"
	"strings"
)

type line struct {
	Article string `json:"article"`
	Count   int    `json:"count"`
	Cents   int    `json:"cents"`
}

type order struct {
	ID    int    `json:"id"`
	Lines []line `json:"lines"`
	Cents int    `json:"cents"`
}

// The last orders, for the page that shows them.
var orders = make([]*order, 256)

var articles = strings.Fields("apple bread cheese dates eggs flour grapes honey ice jam kale lemon milk nuts oats pears")

// checkout answers one request.
func checkout(id int) uint32 {
	o := fill(id)
	price(o)
	remember(o)
	return receipt(o)
}

func fill(id int) *order {
	o := &order{ID: id}
	for i := 0; i < 24; i++ {
		o.Lines = append(o.Lines, line{Article: articles[(id*7+i*5)%len(articles)], Count: 1 + (id+i)%4, Cents: 99 + i*13})
	}
	sort.Slice(o.Lines, func(a, b int) bool { return o.Lines[a].Article < o.Lines[b].Article })
	return o
}

// price adds the lines up, with what a regular customer gets off.
func price(o *order) {
	for round := 0; round < rounds; round++ {
		o.Cents = 0
		for _, l := range o.Lines {
			o.Cents += discount(l.Cents*l.Count, o.ID)
		}
	}
}

// rounds is how often prices are computed for one order.
const rounds = 20

func discount(cents, customer int) int {
	for step := 0; step < 12; step++ {
		cents -= cents * ((customer + step) % 3) / 400
	}
	return cents
}

func remember(o *order) { orders[o.ID%len(orders)] = o }

func receipt(o *order) uint32 {
	text, err := json.Marshal(o)
	check(err)
	return crc32.ChecksumIEEE(text)
}
