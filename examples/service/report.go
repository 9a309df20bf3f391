// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"strings"
	"sync"
)

const reportWindow = 220

// handleReport groups part of the catalogue by word, which allocates a lot and keeps nothing.
func (s *shop) handleReport(w http.ResponseWriter, r *http.Request) {
	from := int(queryNumber(r, "from") % uint64(len(s.products)-reportWindow))
	reply(w, s.count(from))
}

func (s *shop) countWindow(from int) map[string]int {
	return countWords(s.products[from : from+reportWindow])
}

//go:noinline
func countWords(window []product) map[string]int {
	groups := map[string][]string{}
	for i := range window {
		for _, word := range strings.Fields(window[i].Description) {
			groups[word] = append(groups[word], window[i].SKU)
		}
	}
	counts := make(map[string]int, len(groups))
	for word, skus := range groups {
		counts[word] = len(skus)
	}
	return counts
}

// plantedAlloc is the allocation of -plant=alloc.
//
//go:noinline
func plantedAlloc(size int) []byte {
	return make([]byte, size)
}

// retainedRing keeps the last blocks alive, so that the planted allocation
// shows in use as well as in total.
type retainedRing struct {
	mu     sync.Mutex
	blocks [4096][]byte
	next   int
}

func (ring *retainedRing) put(block []byte) {
	ring.mu.Lock()
	defer ring.mu.Unlock()
	ring.blocks[ring.next] = block
	ring.next = (ring.next + 1) % len(ring.blocks)
}
