// SPDX-License-Identifier: Apache-2.0

// Command service is a small shop back end to take profiles of. It has the
// ordinary costs of an HTTP service (JSON, regexps, sorting, hashing,
// compression, allocation, locks, waits) and switches that plant a known
// regression, so that a profile diff has a right answer.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

func main() {
	o, err := parseOptions(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		err = run(o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "service:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	// Before the first large allocation: the rate must not change within a profile.
	runtime.MemProfileRate = o.memRateBytes
	runtime.SetMutexProfileFraction(o.mutexFraction)
	runtime.SetBlockProfileRate(o.blockRateNs)

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if o.lifetime > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.lifetime)
		defer cancel()
	}

	listener, err := net.Listen("tcp", o.addr)
	if err != nil {
		return err
	}
	if o.addrFile != "" {
		if err := writeAddress(o.addrFile, listener.Addr().String()); err != nil {
			return errors.Join(err, listener.Close())
		}
	}

	shop := newShop(o)
	go shop.outbox.run(ctx)
	server := &http.Server{Handler: shop.routes(), ReadHeaderTimeout: 5 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()

	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := server.Shutdown(grace); err != nil {
		return server.Close()
	}
	return nil
}

// writeAddress renames into place, so that a reader never sees half an address.
func writeAddress(path, address string) error {
	part := path + ".part"
	if err := os.WriteFile(part, []byte(address+"\n"), 0o644); err != nil {
		return err
	}
	return os.Rename(part, path)
}
