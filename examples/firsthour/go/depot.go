// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Mistakes that -plant knows.
const (
	plantNone    = ""
	plantConcat  = "concat"
	plantMarshal = "marshal"
)

// depot is what the handlers share. Nothing in it changes after the start but
// the counters and the pools.
type depot struct {
	plant   string
	again   repeat
	started time.Time
	parcels []parcel
	byID    map[string]*parcel
	zips    sync.Pool
	served  atomic.Int64
	audited atomic.Int64
}

func newDepot(plant string, again repeat) *depot {
	d := &depot{plant: plant, again: again, started: time.Now(), parcels: makeParcels(20_000)}
	d.byID = make(map[string]*parcel, len(d.parcels))
	for i := range d.parcels {
		d.byID[d.parcels[i].ID] = &d.parcels[i]
	}
	d.zips.New = newZip
	return d
}

// An answer is what a handler gives back: an object for JSON, or a text and its
// type; and what it was made of.
type answer struct {
	object any
	text   []byte
	kind   string
	from   any
}

// A repeat makes one handler cost more: it runs factor times on average.
type repeat struct {
	handler string
	factor  float64
}

func parseRepeat(text string) (repeat, error) {
	handler, factor, found := strings.Cut(text, "=")
	if text == "" {
		return repeat{}, nil
	}
	f, err := strconv.ParseFloat(factor, 64)
	if !found || err != nil || !slices.Contains([]string{"lookup", "find", "board", "manifest"}, handler) || !(f >= 1 && f <= 100) {
		return repeat{}, fmt.Errorf("-repeat is '%s', expected HANDLER=FACTOR with a factor of 1 to 100", text)
	}
	return repeat{handler, f}, nil
}

// times is how often a request runs its handler.
func (a repeat) times(handler string) int {
	if handler != a.handler {
		return 1
	}
	return int(a.factor + rand.Float64())
}

type handler func(*http.Request) (answer, error)

func (d *depot) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /parcel", d.serve("lookup", d.lookup))
	mux.Handle("GET /find", d.serve("find", d.find))
	mux.Handle("GET /board", d.serve("board", d.board))
	mux.Handle("POST /quote", d.serve("quote", d.quote))
	mux.Handle("GET /manifest", d.serve("manifest", d.manifest))
	mux.HandleFunc("GET /stats", d.stats)
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	return mux
}

func (d *depot) serve(name string, h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.served.Add(1)
		var a answer
		var err error
		for range d.again.times(name) {
			a, err = h(r)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if d.plant == plantMarshal {
			d.auditRecord(r, a.from)
		}
		if a.text != nil {
			w.Header().Set("Content-Type", a.kind)
			_, _ = w.Write(a.text)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(a.object)
	})
}

// stats tells the work done and the CPU time used since the start.
func (d *depot) stats(w http.ResponseWriter, _ *http.Request) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"requests":     d.served.Load(),
		"cpu_seconds":  time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds(),
		"wall_seconds": time.Since(d.started).Seconds(),
	})
}
