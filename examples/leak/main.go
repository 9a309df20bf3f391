// SPDX-License-Identifier: Apache-2.0

// A small service under load, whose heap is written once a step: `-leak` makes its session table forget nothing. The
// profiles of fixtures/trend are of it: examples/capture-trend.sh takes them.
package main

import (
	"flag"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
)

type session struct {
	user  string
	items []string
}

type service struct {
	rng      *rand.Rand
	leak     bool
	sessions map[int]*session
	cache    [][]byte
	recent   []string
}

// The table of sessions: one that ended is taken out, unless the service leaks.
func (s *service) openSession(id int) *session {
	at := &session{user: fmt.Sprintf("user-%d", id), items: make([]string, 0, 16)}
	for i := 0; i < 16; i++ {
		at.items = append(at.items, strings.Repeat("item ", 10))
	}
	s.sessions[id] = at
	if !s.leak && len(s.sessions) > 200 {
		for old := range s.sessions {
			delete(s.sessions, old)
			if len(s.sessions) <= 200 {
				break
			}
		}
	}
	return at
}

// A cache of fixed size, whose entries are of unlike length.
func (s *service) fillCache() {
	s.cache[s.rng.Intn(len(s.cache))] = make([]byte, 1024+s.rng.Intn(3072))
}

// The last requests, of which there are more at times.
func (s *service) logRequest(id int) {
	s.recent = append(s.recent, strings.Repeat(fmt.Sprintf("request %d;", id), 8))
	if len(s.recent) > 500+s.rng.Intn(500) {
		s.recent = s.recent[len(s.recent)/2:]
	}
}

func (s *service) handle(id int) {
	s.openSession(id)
	s.fillCache()
	s.logRequest(id)
}

func writeHeap(path string) error {
	runtime.GC()
	runtime.GC()
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return pprof.Lookup("heap").WriteTo(file, 0)
}

func main() {
	leak := flag.Bool("leak", false, "forget no session")
	steps := flag.Int("steps", 10, "heaps to write")
	seed := flag.Int64("seed", 1, "of the requests")
	out := flag.String("o", ".", "folder")
	flag.Parse()
	runtime.MemProfileRate = 8 << 10
	s := &service{rng: rand.New(rand.NewSource(*seed)), leak: *leak, sessions: map[int]*session{}, cache: make([][]byte, 800)}
	for i := 0; i < 8*len(s.cache); i++ {
		s.fillCache()
	}
	for id := 0; id < 1000; id++ {
		s.handle(id)
	}
	for step := 1; step <= *steps; step++ {
		for i := 0; i < 200; i++ {
			s.handle(10000*step + i)
		}
		for i := 0; i < 4*len(s.cache); i++ {
			s.fillCache()
		}
		if err := writeHeap(filepath.Join(*out, fmt.Sprintf("step-%02d.pb.gz", step))); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
