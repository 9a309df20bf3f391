// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// reply encodes v; an error here means that the client has gone, which the
// service has nobody to tell about.
func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func queryNumber(r *http.Request, name string) uint64 {
	n, err := strconv.ParseUint(r.URL.Query().Get(name), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// handleStats is what a capture reads before and after the profile: the work
// done and the CPU time spent between the two readings.
func (s *shop) handleStats(w http.ResponseWriter, _ *http.Request) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	cpu := time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	stats := map[string]any{
		"requests":     s.served.Load(),
		"cpu_seconds":  cpu.Seconds(),
		"wall_seconds": time.Since(s.started).Seconds(),
	}
	for path, count := range s.byPath {
		stats["requests"+path] = count.Load()
	}
	reply(w, stats)
}

// handleMetrics has the requests done by endpoint, in Prometheus' text format.
func (s *shop) handleMetrics(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	fmt.Fprintln(w, "# HELP http_requests_total Requests done.")
	fmt.Fprintln(w, "# TYPE http_requests_total counter")
	for _, path := range slices.Sorted(maps.Keys(s.byPath)) {
		fmt.Fprintf(w, "http_requests_total{endpoint=%q} %d\n", path, s.byPath[path].Load())
	}
}
