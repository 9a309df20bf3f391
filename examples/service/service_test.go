// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const cartBody = `{"customer":"c-1","coupon":"SPRING-24-00AF","lines":[{"sku":"sku-0007","quantity":2},{"sku":"sku-0399","quantity":1}]}`

func fetch(t *testing.T, args []string, method, path, body string) (string, http.Header) {
	t.Helper()
	o, err := parseOptions(args)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := newShop(o)
	go s.outbox.run(ctx)
	server := httptest.NewServer(s.routes())
	defer server.Close()
	request, err := http.NewRequest(method, server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: status %d: %s", method, path, response.StatusCode, text)
	}
	return string(text), response.Header
}

var endpoints = []struct{ method, path, body string }{
	{http.MethodPost, "/checkout", cartBody},
	{http.MethodGet, "/search?from=12", ""},
	{http.MethodGet, "/browse?visitor=77", ""},
	{http.MethodGet, "/archive?part=3", ""},
	{http.MethodGet, "/report?from=5", ""},
	{http.MethodGet, "/reserve?item=9", ""},
	{http.MethodGet, "/notify", ""},
}

// Apart from the leaf plant, which prices in more steps, and the speed-up,
// which digests less, no switch may change what a client sees.
func TestSwitchesKeepReplies(t *testing.T) {
	for _, e := range endpoints {
		want, wantHeader := fetch(t, nil, e.method, e.path, e.body)
		for _, flag := range []string{"-benign", "-plant=regexp", "-plant=lookup", "-plant=alloc", "-plant=lock", "-fast"} {
			got, gotHeader := fetch(t, []string{flag}, e.method, e.path, e.body)
			if got != want {
				t.Errorf("%s %s: got %q, want %q", flag, e.path, got, want)
			}
			if gotHeader.Get("ETag") != wantHeader.Get("ETag") {
				t.Errorf("%s %s: ETag %s, want %s", flag, e.path, gotHeader.Get("ETag"), wantHeader.Get("ETag"))
			}
		}
	}
}

func TestOptionsRefused(t *testing.T) {
	for _, line := range []string{"-plant=unknown", "-plant-size=-1", "-addr=0.0.0.0:80", "stray", "-fast -benign"} {
		if _, err := parseOptions(strings.Fields(line)); err == nil {
			t.Errorf("%s: no error", line)
		}
	}
}
