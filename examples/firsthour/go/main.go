// SPDX-License-Identifier: Apache-2.0

// Command depot is the back end of a parcel service, to take profiles of at
// low load. Almost all of its CPU time is spent in the runtime and the standard
// library, called from handlers. -plant ships one ordinary mistake.
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
	"syscall"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "depot:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	fs := flag.NewFlagSet("depot", flag.ContinueOnError)
	addr := fs.String("addr", "127.0.0.1:8080", "listen `address`; port 0 picks a free one")
	addrFile := fs.String("addr-file", "", "write the address that was bound to this `file`")
	lifetime := fs.Duration("lifetime", time.Hour, "exit after this `time`")
	plant := fs.String("plant", plantNone, "ship a `mistake`: concat or marshal")
	repeat := fs.String("repeat", "", "run a handler several times, `HANDLER=FACTOR`: lookup, find, board or manifest")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *plant != plantNone && *plant != plantConcat && *plant != plantMarshal {
		return fmt.Errorf("-plant is '%s', expected concat or marshal", *plant)
	}
	again, err := parseRepeat(*repeat)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *lifetime)
	defer cancel()

	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: newDepot(*plant, again).routes(), ReadHeaderTimeout: 5 * time.Second}
	if *addrFile != "" {
		if err := writeAddress(*addrFile, listener.Addr().String()); err != nil {
			return errors.Join(err, listener.Close())
		}
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return server.Close()
	}
}

// writeAddress makes the file appear with all of its text or not at all.
func writeAddress(path, address string) error {
	if err := os.WriteFile(path+".new", []byte(address), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
