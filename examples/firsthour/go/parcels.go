// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

type parcel struct {
	ID        string            `json:"id"`
	From      address           `json:"from"`
	To        address           `json:"to"`
	Grams     int               `json:"grams"`
	Cents     int64             `json:"declared_cents"`
	Posted    time.Time         `json:"posted"`
	Options   map[string]string `json:"options"`
	Scans     []scan            `json:"scans"`
	Delivered bool              `json:"delivered"`
}

type address struct {
	Name   string `json:"name"`
	Street string `json:"street"`
	Town   string `json:"town"`
	Code   string `json:"code"`
}

type scan struct {
	At    time.Time `json:"at"`
	Place string    `json:"place"`
	What  string    `json:"what"`
}

var (
	towns   = strings.Fields("Aldford Brigsley Carrow Dunmere Eastleigh Farnholm Garside Holtby Inverlay Kestwick Larling Morwick Northolm Oxmoor Penrose Quenby")
	names   = strings.Fields("Abel Berta Carla Dorian Edith Fiona Gustav Hanna Ivo Jonas Klara Leon Mina Nora Oskar Paula Rosa Stefan Tilda Viktor")
	streets = strings.Fields("Mill Station Church High Bridge Garden Meadow Quarry River School")
	steps   = []string{"accepted", "sorted", "loaded", "in transit", "arrived", "out for delivery", "delivered"}
)

// makeParcels gives the same parcels in every run.
func makeParcels(n int) []parcel {
	rng := rand.New(rand.NewPCG(3, 5))
	one := func(from []string) string { return from[rng.IntN(len(from))] }
	place := func() address {
		return address{
			Name:   one(names) + " " + one(names) + "son",
			Street: fmt.Sprintf("%d %s Street", 1+rng.IntN(200), one(streets)),
			Town:   one(towns),
			Code:   fmt.Sprintf("%05d", rng.IntN(100_000)),
		}
	}
	begin := time.Date(2025, 3, 1, 6, 0, 0, 0, time.UTC)
	parcels := make([]parcel, n)
	for i := range parcels {
		p := &parcels[i]
		*p = parcel{
			ID: fmt.Sprintf("PX%07d", i), From: place(), To: place(),
			Grams: 100 + rng.IntN(20_000), Cents: rng.Int64N(100_000),
			Posted:  begin.Add(time.Duration(rng.IntN(40*24*60)) * time.Minute),
			Options: map[string]string{"service": one([]string{"day", "slow", "night"}), "proof": one([]string{"photo", "signature"})},
		}
		at := p.Posted
		for s := range 3 + rng.IntN(len(steps)-2) {
			at = at.Add(time.Duration(20+rng.IntN(600)) * time.Minute)
			p.Scans = append(p.Scans, scan{At: at, Place: one(towns), What: steps[s]})
		}
		p.Delivered = len(p.Scans) == len(steps)
	}
	return parcels
}
