// SPDX-License-Identifier: Apache-2.0

// Command load asks the depot for things at a fixed rate for a bounded time,
// on loopback, and prints what it did as JSON.
//
// It is an open loop, unless -workers is given: request i is sent at a random moment of the i-th slot of
// 1/rate seconds, whatever became of those before it. Only when 500 requests
// wait for their answers is one dropped, and counted as failed.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var endpoints = []struct {
	path   string
	weight float64
}{{"/parcel", 36}, {"/find", 20}, {"/board", 14}, {"/quote", 20}, {"/manifest", 10}}

const mostWaiting = 500

type options struct {
	url      string
	rate     float64
	duration time.Duration
	jitter   float64
	seed     uint64
	workers  int
}

func main() {
	o, err := parse(os.Args[1:])
	if err == nil {
		err = drive(o)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	var o options
	fs := flag.NewFlagSet("load", flag.ContinueOnError)
	fs.StringVar(&o.url, "url", "http://127.0.0.1:8080", "where the depot is: an `address` on loopback")
	fs.Float64Var(&o.rate, "rate", 500, "requests a second")
	fs.DurationVar(&o.duration, "duration", 10*time.Second, "how long, 2 minutes at most")
	fs.Float64Var(&o.jitter, "jitter", 0.1, "log-normal `deviation` of each endpoint's weight in this run")
	fs.IntVar(&o.workers, "workers", 0, "keep so many requests in flight, whatever the rate, which keeps the depot busy")
	fs.Uint64Var(&o.seed, "seed", 1, "`seed` of the weights and of the requests")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	u, err := url.Parse(o.url)
	if err != nil {
		return o, err
	}
	if u.Hostname() != "127.0.0.1" {
		return o, fmt.Errorf("-url is '%s', expected an address on 127.0.0.1", o.url)
	}
	if !(o.rate > 0 && o.rate <= 10_000) || o.duration <= 0 || o.duration > 2*time.Minute || !(o.jitter >= 0 && o.jitter <= 1) || o.workers < 0 || o.workers > mostWaiting {
		return o, errors.New("-rate, -duration, -jitter or -workers is out of range")
	}
	return o, nil
}

type driver struct {
	client http.Client
	orders []string
	flying chan struct{}
	sent   sync.WaitGroup
	failed atomic.Int64
	spent  atomic.Int64 // nanoseconds until answered, all requests together
}

func drive(o options) error {
	rng := rand.New(rand.NewPCG(o.seed, 1))
	edges := make([]float64, len(endpoints))
	total := 0.0
	for i, e := range endpoints {
		total += e.weight * math.Exp(o.jitter*rng.NormFloat64())
		edges[i] = total
	}
	d := driver{flying: make(chan struct{}, mostWaiting)}
	d.client = http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: mostWaiting, DisableCompression: true}}
	for range 40 {
		d.orders = append(d.orders, makeOrder(rng))
	}
	pick := func() (endpoint, n int) {
		at, _ := slices.BinarySearch(edges, rng.Float64()*total)
		return min(at, len(endpoints)-1), rng.IntN(1 << 30)
	}
	begin := time.Now()
	var slots int
	if o.workers > 0 {
		slots = d.keepBusy(o, pick)
	} else {
		slots = d.keepRate(o, rng, pick)
	}
	d.sent.Wait()
	took := time.Since(begin)
	report := map[string]any{
		"requests": slots, "failed": d.failed.Load(), "seconds": took.Seconds(),
		"mean_ms": float64(d.spent.Load()) / float64(max(1, slots)) / 1e6,
	}
	if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
		return err
	}
	if d.failed.Load()*20 > int64(slots) {
		return fmt.Errorf("%d of %d requests failed", d.failed.Load(), slots)
	}
	return nil
}

// keepRate sends requests at a fixed rate and returns their number.
func (d *driver) keepRate(o options, rng *rand.Rand, pick func() (int, int)) int {
	slots := int(o.rate * o.duration.Seconds())
	begin := time.Now()
	for i := range slots {
		due := time.Duration((float64(i) + rng.Float64()) / o.rate * 1e9)
		endpoint, n := pick()
		time.Sleep(due - time.Since(begin))
		d.send(o.url, endpoint, n)
	}
	return slots
}

// keepBusy keeps o.workers requests in flight and returns how many were sent.
func (d *driver) keepBusy(o options, pick func() (int, int)) int {
	free := make(chan struct{}, o.workers)
	end := time.Now().Add(o.duration)
	sent := 0
	for ; time.Now().Before(end); sent++ {
		free <- struct{}{}
		endpoint, n := pick()
		d.sent.Go(func() {
			if err := d.ask(o.url, endpoint, n); err != nil {
				d.failed.Add(1)
			}
			<-free
		})
	}
	return sent
}

func (d *driver) send(base string, endpoint, n int) {
	select {
	case d.flying <- struct{}{}:
	default:
		d.failed.Add(1)
		return
	}
	d.sent.Go(func() {
		begin := time.Now()
		if err := d.ask(base, endpoint, n); err != nil {
			d.failed.Add(1)
		}
		d.spent.Add(int64(time.Since(begin)))
		<-d.flying
	})
}

func (d *driver) ask(base string, endpoint, n int) error {
	path := endpoints[endpoint].path
	var response *http.Response
	var err error
	if path == "/quote" {
		response, err = d.client.Post(base+path, "application/json", strings.NewReader(d.orders[n%len(d.orders)]))
	} else {
		response, err = d.client.Get(fmt.Sprintf("%s%s?n=%d", base, path, n))
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, response.Body)
	if response.StatusCode != http.StatusOK {
		err = errors.Join(err, fmt.Errorf("%s: status %d", path, response.StatusCode))
	}
	return errors.Join(err, response.Body.Close())
}

func makeOrder(rng *rand.Rand) string {
	towns := []string{"Aldford", "Carrow", "Holtby", "Kestwick", "Oxmoor", "Quenby"}
	var text strings.Builder
	fmt.Fprintf(&text, `{"customer":"C-%06d","lines":[`, rng.IntN(1_000_000))
	for i := range 10 {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, `{"town":"%s","grams":%d,"side_cm":%.1f,"proof":"photo"}`,
			towns[rng.IntN(len(towns))], 50+rng.IntN(9000), 5+rng.Float64()*60)
	}
	return text.String() + "]}"
}
