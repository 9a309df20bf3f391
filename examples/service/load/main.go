// SPDX-License-Identifier: Apache-2.0

// Command load sends a weighted mix of requests to the service on loopback, at
// a fixed rate and for a bounded time, and prints what it sent as JSON.
//
// Request i is due at some moment between start + i/rate and start + (i+1)/rate:
// at even times it would keep step with the kernel's clock ticks, and a service
// that works for less than a tick after each would hardly ever be sampled.
// Workers take due requests in order and wait for each reply, so there are
// never more requests in flight than workers; a late request is sent at once,
// which keeps the total equal between runs.
package main

import (
	"context"
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
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

type endpoint struct {
	path   string
	weight float64
	// query takes the request's number; a nil body means GET
	query string
	body  bool
}

var mix = []endpoint{
	{path: "/checkout", weight: 30, body: true},
	{path: "/search", weight: 18, query: "from"},
	{path: "/browse", weight: 15, query: "visitor"},
	{path: "/archive", weight: 12, query: "part"},
	{path: "/report", weight: 8, query: "from"},
	{path: "/reserve", weight: 11, query: "item"},
	{path: "/notify", weight: 5},
}

type config struct {
	url      string
	workers  int
	rate     float64
	requests int64
	duration time.Duration
	jitter   float64
	seed     uint64
}

type result struct {
	Requests  int64            `json:"requests"`
	Failed    int64            `json:"failed"`
	Seconds   float64          `json:"seconds"`
	LateMs    float64          `json:"late_ms"`
	Endpoints map[string]int64 `json:"endpoints"`
}

func main() {
	c, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r := newRun(c).do(ctx)
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
	if r.Requests == 0 || r.Failed*100 > r.Requests {
		fmt.Fprintf(os.Stderr, "load: %d of %d requests failed\n", r.Failed, r.Requests)
		os.Exit(1)
	}
}

func parse(args []string) (config, error) {
	var c config
	fs := flag.NewFlagSet("load", flag.ContinueOnError)
	fs.StringVar(&c.url, "url", "http://127.0.0.1:8080", "base `URL` of the service")
	fs.IntVar(&c.workers, "workers", 32, "most requests in flight")
	fs.Float64Var(&c.rate, "rate", 3500, "requests per second")
	fs.Int64Var(&c.requests, "requests", 0, "stop after this `number` of requests (0 = by -duration)")
	fs.DurationVar(&c.duration, "duration", 10*time.Second, "stop after this `time`, 5 minutes at most")
	fs.Float64Var(&c.jitter, "jitter", 0, "standard `deviation` of the logarithm of each endpoint's weight in this run")
	fs.Uint64Var(&c.seed, "seed", 1, "`seed` of the jitter and of the order of requests")
	if err := fs.Parse(args); err != nil {
		return c, err
	}
	u, err := url.Parse(c.url)
	switch {
	case err != nil:
		return c, err
	case u.Hostname() != "127.0.0.1" && u.Hostname() != "localhost":
		return c, fmt.Errorf("'%s' is not on the loopback interface", c.url)
	case c.workers < 1 || c.workers > 256:
		return c, fmt.Errorf("-workers is %d, expected 1 to 256", c.workers)
	case c.rate <= 0 || c.rate > 50_000:
		return c, fmt.Errorf("-rate is %g, expected more than 0 and at most 50000", c.rate)
	case c.duration <= 0 || c.duration > 5*time.Minute:
		return c, fmt.Errorf("-duration is %s, expected more than 0 and at most 5m", c.duration)
	case c.jitter < 0 || c.jitter > 2:
		return c, fmt.Errorf("-jitter is %g, expected 0 to 2", c.jitter)
	}
	return c, nil
}

type run struct {
	config
	client     *http.Client
	cumulative []float64
	bodies     []string

	ticket atomic.Int64
	failed atomic.Int64
	lateNs atomic.Int64
	counts []atomic.Int64
}

func newRun(c config) *run {
	rng := rand.New(rand.NewPCG(c.seed, 7))
	r := &run{config: c, counts: make([]atomic.Int64, len(mix))}
	total := 0.0
	for _, e := range mix {
		total += e.weight * math.Exp(c.jitter*rng.NormFloat64())
		r.cumulative = append(r.cumulative, total)
	}
	for range 32 {
		r.bodies = append(r.bodies, makeCart(rng))
	}
	r.client = &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: c.workers, DisableCompression: true},
		Timeout:   10 * time.Second,
	}
	return r
}

func makeCart(rng *rand.Rand) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"customer":"c-%d","coupon":"SPRING-%d-%04X","lines":[`, rng.IntN(1000), rng.IntN(90)+10, rng.IntN(1<<16))
	for i := range 20 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"sku":"sku-%04d","quantity":%d}`, rng.IntN(400), 1+rng.IntN(9))
	}
	b.WriteString("]}")
	return b.String()
}

func (r *run) do(ctx context.Context) result {
	ctx, cancel := context.WithTimeout(ctx, r.duration)
	defer cancel()
	start := time.Now()
	var workers sync.WaitGroup
	for range r.workers {
		workers.Go(func() { r.work(ctx, start) })
	}
	workers.Wait()
	out := result{Seconds: time.Since(start).Seconds(), Failed: r.failed.Load(), Endpoints: map[string]int64{}}
	for i, e := range mix {
		out.Endpoints[e.path] = r.counts[i].Load()
		out.Requests += out.Endpoints[e.path]
	}
	if out.Requests > 0 {
		out.LateMs = float64(r.lateNs.Load()) / float64(out.Requests) / 1e6
	}
	return out
}

func (r *run) work(ctx context.Context, start time.Time) {
	for {
		i := r.ticket.Add(1) - 1
		if r.requests > 0 && i >= r.requests {
			return
		}
		due := start.Add(time.Duration((float64(i) + r.delay(i)) / r.rate * 1e9))
		if wait := time.Until(due); wait > 0 {
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
		} else if ctx.Err() != nil {
			return
		}
		r.lateNs.Add(max(0, int64(time.Since(due))))
		e := r.pick(i)
		err := r.send(ctx, &mix[e], i)
		if ctx.Err() != nil {
			return // cut off by the end of the run: neither sent nor failed
		}
		r.counts[e].Add(1)
		if err != nil {
			r.failed.Add(1)
		}
	}
}

// delay is a part of the time between two requests, by the request's number
// alone.
func (r *run) delay(i int64) float64 {
	return rand.New(rand.NewPCG(r.seed+1, uint64(i))).Float64()
}

// pick chooses by the request's number alone, so that the order of requests
// does not depend on which worker was free.
func (r *run) pick(i int64) int {
	rng := rand.New(rand.NewPCG(r.seed, uint64(i)+1000))
	x := rng.Float64() * r.cumulative[len(r.cumulative)-1]
	for e, edge := range r.cumulative {
		if x < edge {
			return e
		}
	}
	return len(r.cumulative) - 1
}

func (r *run) send(ctx context.Context, e *endpoint, i int64) error {
	method, target, body := http.MethodGet, r.url+e.path, io.Reader(nil)
	if e.query != "" {
		target += fmt.Sprintf("?%s=%d", e.query, i*7919)
	}
	if e.body {
		method, body = http.MethodPost, strings.NewReader(r.bodies[i%int64(len(r.bodies))])
	}
	request, err := http.NewRequestWithContext(ctx, method, target, body)
	if err != nil {
		return err
	}
	response, err := r.client.Do(request)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, response.Body)
	if closeErr := response.Body.Close(); err == nil {
		err = closeErr
	}
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d", target, response.StatusCode)
	}
	return err
}
