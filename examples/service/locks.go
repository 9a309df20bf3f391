// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"net/http"
	"sync"
	"time"
)

const (
	baseHold     = 800 * time.Microsecond
	journalWrite = 500 * time.Microsecond
	journalBatch = 4
	flushEvery   = 5 * time.Millisecond
)

// lockHold is how long a reservation holds the stock lock; -plant=lock adds to it.
func (s *shop) lockHold() time.Duration {
	if s.plant == plantLock {
		return baseHold + time.Duration(s.plantSize)*100*time.Microsecond
	}
	return baseHold
}

// stock guards all quantities with one lock and keeps it during its write.
type stock struct {
	mu       sync.Mutex
	quantity map[string]int64
	hold     time.Duration
}

func newStock(products []product, hold time.Duration) *stock {
	st := &stock{quantity: make(map[string]int64, len(products)), hold: hold}
	for i := range products {
		st.quantity[products[i].SKU] = 1_000_000
	}
	return st
}

//go:noinline
func (st *stock) reserve(sku string) int64 {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.quantity[sku]--
	time.Sleep(st.hold) // stands for a write to disk
	return st.quantity[sku]
}

// journal is a second contended lock, so that the stock's has a share of less than all.
type journal struct {
	mu      sync.Mutex
	pending int
}

//go:noinline
func (j *journal) append() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pending++
	if j.pending == journalBatch {
		time.Sleep(journalWrite)
		j.pending = 0
	}
}

func (s *shop) handleReserve(w http.ResponseWriter, r *http.Request) {
	p := &s.products[queryNumber(r, "item")%uint64(len(s.products))]
	left := s.stock.reserve(p.SKU)
	s.journal.append()
	reply(w, map[string]int64{"left": left})
}

// outbox batches notifications: a request waits until the next flush.
type outbox struct {
	waiting chan chan int
}

func newOutbox() *outbox { return &outbox{waiting: make(chan chan int)} }

func (ob *outbox) run(ctx context.Context) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	var batch []chan int
	for {
		select {
		case <-ctx.Done():
			return
		case c := <-ob.waiting:
			batch = append(batch, c)
		case <-tick.C:
			for _, c := range batch {
				c <- len(batch)
			}
			batch = batch[:0]
		}
	}
}

//go:noinline
func (ob *outbox) wait(ctx context.Context) int {
	done := make(chan int, 1)
	select {
	case ob.waiting <- done:
	case <-ctx.Done():
		return 0
	}
	select {
	case n := <-done:
		return n
	case <-ctx.Done():
		return 0
	}
}

func (s *shop) handleNotify(w http.ResponseWriter, r *http.Request) {
	reply(w, map[string]int{"batch": s.outbox.wait(r.Context())})
}
