// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
)

const manifestRows = 640

func newZip() any {
	z, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant
	}
	return z
}

// manifest is what a truck carries, for a machine at the other end.
func (d *depot) manifest(r *http.Request) (answer, error) {
	n := number(r, "n", len(d.parcels)-manifestRows)
	text := d.manifestText(d.parcels[n : n+manifestRows])
	var packed bytes.Buffer
	z := d.zips.Get().(*gzip.Writer)
	defer d.zips.Put(z)
	z.Reset(&packed)
	if _, err := z.Write([]byte(text)); err != nil {
		return answer{}, err
	}
	if err := z.Close(); err != nil {
		return answer{}, err
	}
	return answer{text: packed.Bytes(), kind: "application/gzip", from: map[string]int{"first": n, "bytes": packed.Len()}}, nil
}

// manifestText writes a line for each parcel. The planted concat is the version
// that somebody finds easier to read: each += copies all lines before it.
func (d *depot) manifestText(parcels []parcel) string {
	if d.plant == plantConcat {
		text := ""
		for i := range parcels {
			text += manifestLine(&parcels[i])
		}
		return text
	}
	var text strings.Builder
	for i := range parcels {
		text.WriteString(manifestLine(&parcels[i]))
	}
	return text.String()
}

func manifestLine(p *parcel) string {
	return p.ID + ";" + strconv.Itoa(p.Grams) + ";" + p.To.Code + " " + p.To.Town + ";" + p.To.Name + "\n"
}
