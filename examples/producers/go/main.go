// SPDX-License-Identifier: Apache-2.0

// A shop that keeps its orders and quarrels about its till, and then writes each profile twice: as net/http/pprof
// answers with debug=1, and in pprof's format. Usage: shop NOTES OUT-DIR NAME
package main

import (
	"log"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync"
	"time"
)

type order struct {
	notes [][]byte
	lines []string
}

type shop struct {
	till   sync.Mutex
	orders []order
}

//go:noinline
func writeNotes(count int) [][]byte {
	notes := make([][]byte, 0, count)
	for i := range count {
		notes = append(notes, make([]byte, 200+i%7*60))
	}
	return notes
}

//go:noinline
func writeLines(count int) []string {
	lines := make([]string, count)
	for i := range lines {
		lines[i] = strconv.Itoa(i) + " of an article whose name is long enough"
	}
	return lines
}

// describe is inlined: its frame is one of several at one address.
func describe(notes int) order {
	return order{notes: writeNotes(notes), lines: writeLines(40)}
}

func (s *shop) take(notes, count int) {
	for range count {
		done := describe(notes)
		s.till.Lock()
		until := time.Now().Add(time.Duration(notes) * 10 * time.Microsecond)
		for time.Now().Before(until) {
			runtime.Gosched()
		}
		s.orders = append(s.orders, done)
		s.till.Unlock()
	}
}

func write(path, kind string, debug int) {
	out, err := os.Create(path)
	if err != nil {
		log.Fatal(err)
	}
	if err := pprof.Lookup(kind).WriteTo(out, debug); err != nil {
		log.Fatal(err)
	}
	if err := out.Close(); err != nil {
		log.Fatal(err)
	}
}

func main() {
	notes, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	runtime.MemProfileRate = 64 << 10
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	s := &shop{}
	var all sync.WaitGroup
	for range 4 {
		all.Add(1)
		go func() { defer all.Done(); s.take(notes, 1500) }()
	}
	all.Wait()
	var asleep sync.WaitGroup
	stop := make(chan bool)
	for range 3 {
		asleep.Add(1)
		go func() { asleep.Done(); <-stop }()
	}
	asleep.Wait()
	time.Sleep(50 * time.Millisecond)
	runtime.GC()
	runtime.GC()
	for _, kind := range []string{"heap", "mutex", "block", "goroutine"} {
		base := filepath.Join(os.Args[2], os.Args[3]+"."+kind)
		write(base+".txt", kind, 1)
		write(base+".pb.gz", kind, 0)
	}
	close(stop)
	runtime.KeepAlive(s)
}
