// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"time"
)

// options is everything the command line can change. The switches under
// "behaviour" decide which build of the service this run pretends to be.
type options struct {
	addr          string
	addrFile      string
	lifetime      time.Duration
	mutexFraction int
	blockRateNs   int
	memRateBytes  int

	// behaviour
	plant     string
	plantSize int
	benign    bool
	speedup   bool
	fast      bool
}

// Regressions that -plant knows.
const (
	plantNone   = ""
	plantRegexp = "regexp"
	plantLookup = "lookup"
	plantAlloc  = "alloc"
	plantLeaf   = "leaf"
	plantLock   = "lock"
)

// defaultPlantSize makes each regression clearly visible; -plant-size overrides it.
var defaultPlantSize = map[string]int{
	plantNone:   0,
	plantRegexp: 4,    // compilations per use
	plantLookup: 8,    // extra scans per lookup
	plantAlloc:  4096, // bytes per request
	plantLeaf:   1330, // extra rounding steps per price
	plantLock:   10,   // extra tenths of a millisecond the stock lock is held
}

// shippedPlant is what a build has inside, without being told: -ldflags '-X main.shippedPlant=leaf' makes two
// builds of which one has the regression, as releases do.
var shippedPlant = plantNone

func parseOptions(args []string) (options, error) {
	var o options
	fs := flag.NewFlagSet("service", flag.ContinueOnError)
	fs.StringVar(&o.addr, "addr", "127.0.0.1:8080", "listen `address`; port 0 picks a free one")
	fs.StringVar(&o.addrFile, "addr-file", "", "write the address that was bound to this `file`")
	fs.DurationVar(&o.lifetime, "lifetime", 0, "exit after this `time` (0 = run until a signal)")
	fs.IntVar(&o.mutexFraction, "mutex-fraction", 1, "report 1 of `n` mutex contentions (0 = off)")
	fs.IntVar(&o.blockRateNs, "block-rate", 10_000, "sample one blocking event per `ns` blocked (0 = off)")
	fs.IntVar(&o.memRateBytes, "mem-rate", 512*1024, "sample one allocation per `bytes`")
	fs.StringVar(&o.plant, "plant", shippedPlant, "plant a `regression`: regexp, lookup, alloc, leaf or lock")
	fs.IntVar(&o.plantSize, "plant-size", 0, "size of the planted regression, in the plant's own `unit` (0 = its default)")
	fs.BoolVar(&o.benign, "benign", false, "run the refactored code paths: same work, other function names")
	fs.BoolVar(&o.speedup, "speedup", false, "digest only a quarter of each payload")
	fs.BoolVar(&o.fast, "fast", false, "keep results and rank one page: about 40 % less CPU time per request")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	if fs.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument '%s'", fs.Arg(0))
	}
	size, known := defaultPlantSize[o.plant]
	if !known {
		return o, fmt.Errorf("unknown plant '%s', expected regexp, lookup, alloc, leaf or lock", o.plant)
	}
	if o.fast && o.benign {
		return o, errors.New("-fast and -benign replace the same functions")
	}
	if o.plantSize < 0 {
		return o, errors.New("-plant-size is negative")
	}
	if o.plantSize == 0 {
		o.plantSize = size
	}
	if !strings.HasPrefix(o.addr, "127.0.0.1:") && !strings.HasPrefix(o.addr, "localhost:") {
		return o, fmt.Errorf("address '%s' is not on the loopback interface", o.addr)
	}
	return o, nil
}
