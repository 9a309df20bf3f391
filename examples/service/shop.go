// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/pprof"
	runtimepprof "runtime/pprof"
	"strings"
	"sync/atomic"
	"time"
)

// shop is the state that all handlers share. The func fields are the seams at
// which -benign and -fast swap one implementation for another.
type shop struct {
	options
	products []product
	payload  []byte
	history  [][]byte
	patterns patternSet
	stock    *stock
	journal  *journal
	outbox   *outbox
	retained retainedRing
	started  time.Time
	served   atomic.Int64
	byPath   map[string]*atomic.Int64 // filled by routes, then only read

	cartTotal func([]pricedLine) int64
	digest    func([]byte) string
	search    func(from int) []hit
	count     func(from int) map[string]int
	rank      func([]product, uint64) []product
}

type product struct {
	SKU         string `json:"sku"`
	Name        string `json:"name"`
	Description string `json:"description"`
	PriceCents  int64  `json:"price_cents"`
	Score       uint64 `json:"score"`
}

const (
	productCount = 400
	payloadBytes = 32 * 1024
	historyCount = 6000
	historyBytes = 4 * 1024
)

func newShop(o options) *shop {
	s := &shop{
		options:   o,
		products:  makeProducts(productCount),
		history:   loadHistory(historyCount, historyBytes),
		patterns:  compilePatterns(),
		journal:   &journal{},
		outbox:    newOutbox(),
		started:   time.Now(),
		byPath:    map[string]*atomic.Int64{},
		cartTotal: cartTotal,
		digest:    digestPayload,
		rank:      rankProducts,
	}
	s.search = s.searchWindow
	s.count = s.countWindow
	s.payload = makePayload(s.products, payloadBytes)
	s.stock = newStock(s.products, s.lockHold())
	if o.benign {
		s.cartTotal = sumOfLines
		s.digest = payloadFingerprint
		s.rank = rankInSteps
	}
	if o.fast {
		s.keepResults()
		s.rank = rankPage
	}
	return s
}

func (s *shop) routes() http.Handler {
	mux := http.NewServeMux()
	handle := func(path string, h http.HandlerFunc) { mux.Handle(path, s.labelled(path, h)) }
	handle("/checkout", s.handleCheckout)
	handle("/search", s.handleSearch)
	handle("/browse", s.handleBrowse)
	handle("/archive", s.handleArchive)
	handle("/report", s.handleReport)
	handle("/reserve", s.handleReserve)
	handle("/notify", s.handleNotify)
	mux.HandleFunc("/stats", s.handleStats)
	mux.HandleFunc("/metrics", s.handleMetrics)

	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

// labelled counts the request and runs it under the pprof label endpoint=path.
func (s *shop) labelled(path string, next http.HandlerFunc) http.Handler {
	labels := runtimepprof.Labels("endpoint", path)
	count := &atomic.Int64{}
	s.byPath[path] = count
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		runtimepprof.Do(r.Context(), labels, func(ctx context.Context) {
			if s.plant == plantAlloc {
				s.retained.put(plantedAlloc(s.plantSize))
			}
			next(w, r.WithContext(ctx))
		})
		s.served.Add(1)
		count.Add(1)
	})
}

var words = strings.Fields(`amber basil cedar copper cotton dune ember fern flint garnet hazel indigo
	ivory jade kelp linen maple marble navy oak olive opal pearl pine quartz rattan ruby sage slate teak
	umber velvet walnut willow wool zinc`)

// makeProducts is a fixed catalogue: the same seed in every build and run.
func makeProducts(n int) []product {
	rng := rand.New(rand.NewPCG(11, 29))
	out := make([]product, n)
	for i := range out {
		var text strings.Builder
		for range 9 {
			text.WriteString(words[rng.IntN(len(words))])
			text.WriteByte(' ')
		}
		fmt.Fprintf(&text, "%d x %d cm", 10+rng.IntN(90), 10+rng.IntN(90))
		out[i] = product{
			SKU:         fmt.Sprintf("sku-%04d", i),
			Name:        words[rng.IntN(len(words))] + " " + words[rng.IntN(len(words))],
			Description: text.String(),
			PriceCents:  199 + rng.Int64N(90_000),
			Score:       rng.Uint64(),
		}
	}
	return out
}

// loadHistory stands for a cache that is filled at the start: the live heap.
//
//go:noinline
func loadHistory(records, size int) [][]byte {
	out := make([][]byte, records)
	for i := range out {
		out[i] = make([]byte, size)
		out[i][0] = byte(i)
	}
	return out
}

// makePayload is text that compresses about as well as a log does.
func makePayload(products []product, size int) []byte {
	out := make([]byte, 0, size+256)
	for i := 0; len(out) < size; i++ {
		p := products[(i*37)%len(products)]
		out = fmt.Appendf(out, "%s;%s;%d;%x\n", p.SKU, p.Description, p.PriceCents, p.Score)
	}
	return out[:size]
}
