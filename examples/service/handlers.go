// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"net/http"
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
	reply(w, map[string]any{
		"requests":     s.served.Load(),
		"cpu_seconds":  cpu.Seconds(),
		"wall_seconds": time.Since(s.started).Seconds(),
	})
}
