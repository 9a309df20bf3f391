// SPDX-License-Identifier: Apache-2.0

// Package shop is the network of the tests: builds of a shop that serve recorded profiles, behind a proxy on loopback
// that stands for the cluster's names. What a manifest says is asked as it is, http://shop-canary:6060.
package shop

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"pprofgate.invalid/ci/argo/manifests"
)

// The builds, as the images of their pods.
const (
	Stable = "shop:1"
	Good   = "shop:good"   // costs what Stable costs
	Slow   = "shop:slow"   // main.priceRound costs ten points more
	Close  = "shop:close"  // so close to its limit that one round does not decide
	Absent = "shop:absent" // serves no profiles
)

// One round: then a verdict depends on the recorded profiles alone.
const (
	Seconds = "1"
	MaxTime = "4s"
)

var recorded = map[string]string{
	Stable: "mix-15.cpu.pb.gz",
	Good:   "mix-8.cpu.pb.gz",
	Slow:   "p10-8.cpu.pb.gz",
	Close:  "p5-8.cpu.pb.gz",
}

// Source is the repository.
func Source() string {
	return filepath.Dir(filepath.Dir(manifests.Root()))
}

// Serve answers as a program of that build does at its port for profiles.
func Serve(build string) http.Handler {
	routes := http.NewServeMux()
	if file, ok := recorded[build]; ok {
		routes.HandleFunc("/debug/pprof/profile", func(w http.ResponseWriter, r *http.Request) {
			http.ServeFile(w, r, filepath.Join(Source(), "fixtures", "captures", file))
		})
	}
	return routes
}

// Network finds who answers for "host:port"; nil where there is nobody.
type Network func(host string) http.Handler

var (
	lock   sync.Mutex
	answer Network
	proxy  *httptest.Server
)

// Use makes `network` the one that this process and what it starts will ask, until the test ends.
func Use(t *testing.T, network Network) {
	t.Helper()
	lock.Lock()
	defer lock.Unlock()
	if proxy == nil { // once a process: Go's client reads its environment once
		proxy = httptest.NewServer(http.HandlerFunc(pass))
		os.Setenv("http_proxy", proxy.URL)
		os.Setenv("no_proxy", "127.0.0.1,localhost")
	}
	answer = network
	t.Cleanup(func() {
		lock.Lock()
		defer lock.Unlock()
		answer = nil
	})
}

func pass(w http.ResponseWriter, r *http.Request) {
	lock.Lock()
	network := answer
	lock.Unlock()
	host := r.URL.Host
	if r.URL.Port() == "" {
		host += ":80"
	}
	if network != nil {
		if handler := network(host); handler != nil {
			handler.ServeHTTP(w, r)
			return
		}
	}
	http.Error(w, fmt.Sprintf("nobody answers for '%s'", host), http.StatusBadGateway)
}

// Pprofgate is the program under test: $PPROFGATE, else what was built last.
func Pprofgate(t *testing.T) string {
	t.Helper()
	candidates := []string{os.Getenv("PPROFGATE")}
	if candidates[0] == "" {
		candidates = []string{
			filepath.Join(Source(), "build", "dev", "pprofgate"), filepath.Join(Source(), "build", "release", "pprofgate")}
	}
	for _, candidate := range candidates {
		if path, err := exec.LookPath(candidate); err == nil {
			return path
		}
	}
	t.Fatalf("no program at %q: build it, or name it in PPROFGATE", candidates)
	return ""
}

// Path is a PATH on which `pprofgate` is the program under test, and all else what it was.
func Path(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	program, err := filepath.Abs(Pprofgate(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(folder, "pprofgate")); err != nil {
		t.Fatal(err)
	}
	return folder + string(os.PathListSeparator) + os.Getenv("PATH")
}
