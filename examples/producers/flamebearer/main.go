// SPDX-License-Identifier: Apache-2.0

// Writes a pprof profile as Pyroscope's server renders it, by Pyroscope's own packages.
// Usage: flamebearer PPROF SAMPLE-TYPE UNITS SAMPLE-RATE > FILE.json
package main

import (
	"encoding/json"
	"log"
	"os"
	"strconv"

	"github.com/google/pprof/profile"
	"github.com/pyroscope-io/pyroscope/pkg/storage/metadata"
	"github.com/pyroscope-io/pyroscope/pkg/storage/tree"
	"github.com/pyroscope-io/pyroscope/pkg/structs/flamebearer"
)

func main() {
	in, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	p, err := profile.Parse(in)
	if err != nil {
		log.Fatal(err)
	}
	column, err := p.SampleIndexByName(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	rate, err := strconv.ParseUint(os.Args[4], 10, 32)
	if err != nil {
		log.Fatal(err)
	}
	t := tree.New()
	for _, sample := range p.Sample {
		var stack []string
		for i := len(sample.Location) - 1; i >= 0; i-- {
			lines := sample.Location[i].Line
			for j := len(lines) - 1; j >= 0; j-- {
				stack = append(stack, lines[j].Function.Name)
			}
		}
		t.InsertStackString(stack, uint64(sample.Value[column]))
	}
	rendered := flamebearer.NewProfile(flamebearer.ProfileConfig{
		Name: "shop", MaxNodes: 1 << 20, Tree: t,
		Metadata: metadata.Metadata{SpyName: "gospy", SampleRate: uint32(rate), Units: metadata.Units(os.Args[3])},
	})
	if err := json.NewEncoder(os.Stdout).Encode(rendered); err != nil {
		log.Fatal(err)
	}
}
