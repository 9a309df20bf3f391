// SPDX-License-Identifier: Apache-2.0

// A team's service, as small as it can be and still be one: it answers a number of requests for a checkout, and
// writes what that took. ci/e2e.sh is the team: it changes this program, and lets the gate judge the changes.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
	"runtime/pprof"
	"time"
)

func main() {
	seconds := flag.Duration("for", 2*time.Second, "how long to answer requests; 0: until there were enough")
	requests := flag.Int("requests", 0, "how many requests to answer; 0: as many as there is time for")
	cpu := flag.String("cpu", "", "write the CPU profile here")
	heap := flag.String("heap", "", "write the profile of the heap in use here")
	flag.Parse()
	runtime.MemProfileRate = 4096 // a small heap: look at more of it

	if *cpu != "" {
		out := create(*cpu)
		check(pprof.StartCPUProfile(out))
		defer func() {
			pprof.StopCPUProfile()
			check(out.Close())
		}()
	}
	served, sum := 0, uint32(0)
	for end := time.Now().Add(*seconds); served < *requests || (*requests == 0 && time.Now().Before(end)); served++ {
		sum ^= checkout(served)
	}
	if *heap != "" {
		runtime.GC()
		out := create(*heap)
		check(pprof.WriteHeapProfile(out))
		check(out.Close())
	}
	runtime.KeepAlive(orders)
	fmt.Printf("%d requests, %08x\n", served, sum)
}

func create(path string) *os.File {
	out, err := os.Create(path)
	check(err)
	return out
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
