// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func number(r *http.Request, name string, below int) int {
	n, err := strconv.Atoi(r.URL.Query().Get(name))
	if err != nil || n < 0 {
		return 0
	}
	return n % below
}

// lookup is one parcel with its history.
func (d *depot) lookup(r *http.Request) (answer, error) {
	id := fmt.Sprintf("PX%07d", number(r, "n", len(d.parcels)))
	p := d.byID[id]
	if p == nil {
		return answer{}, fmt.Errorf("no parcel '%s'", id)
	}
	return answer{object: p, from: p}, nil
}

type match struct {
	ID     string `json:"id"`
	To     string `json:"to"`
	Town   string `json:"town"`
	Posted string `json:"posted"`
	Last   string `json:"last"`
}

var codes = regexp.MustCompile(`^[0-4]\d+[13579]$`)

// find searches one depot's parcels for a name.
func (d *depot) find(r *http.Request) (answer, error) {
	n := number(r, "n", len(d.parcels)-300)
	word := strings.ToLower(names[n%len(names)])
	var found []*parcel
	for i := n; i < n+300; i++ {
		p := &d.parcels[i]
		if strings.Contains(strings.ToLower(p.To.Name), word) || codes.MatchString(p.To.Code) && p.Delivered {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(a, b *parcel) int {
		return cmp.Or(a.Posted.Compare(b.Posted), strings.Compare(a.ID, b.ID))
	})
	found = found[:min(20, len(found))]
	matches := make([]match, 0, len(found))
	for _, p := range found {
		last := p.Scans[len(p.Scans)-1]
		matches = append(matches, match{
			ID: p.ID, To: p.To.Name, Town: p.To.Town, Posted: p.Posted.Format("2006-01-02 15:04"),
			Last: fmt.Sprintf("%s, %s", last.What, last.Place),
		})
	}
	return answer{object: matches, from: found}, nil
}

var boardPage = template.Must(template.New("board").Parse(`<!doctype html><title>{{.Town}}</title>
<h1>Departures from {{.Town}}</h1><table>
{{range .Rows}}<tr class="{{if .Delivered}}done{{else}}open{{end}}"><td>{{.ID}}</td><td>{{.To.Name}}</td><td>{{.To.Town}}</td><td>{{printf "%.1f" .Kilos}} kg</td></tr>
{{end}}</table>
`))

func (p *parcel) Kilos() float64 { return float64(p.Grams) / 1000 }

// board is a page for the wall of a depot.
func (d *depot) board(r *http.Request) (answer, error) {
	n := number(r, "n", len(d.parcels)-12)
	rows := make([]*parcel, 12)
	for i := range rows {
		rows[i] = &d.parcels[n+i]
	}
	model := map[string]any{"Town": towns[n%len(towns)], "Rows": rows}
	var page bytes.Buffer
	if err := boardPage.Execute(&page, model); err != nil {
		return answer{}, err
	}
	return answer{text: page.Bytes(), kind: "text/html", from: model}, nil
}

type order struct {
	Customer string      `json:"customer"`
	Lines    []orderLine `json:"lines"`
}

type orderLine struct {
	Town  string  `json:"town"`
	Grams int     `json:"grams"`
	Side  float64 `json:"side_cm"`
	Proof string  `json:"proof"`
}

type offer struct {
	Customer string      `json:"customer"`
	Lines    []offerLine `json:"lines"`
	Total    string      `json:"total"`
	Seal     string      `json:"seal"`
}

type offerLine struct {
	Town  string `json:"town"`
	Price string `json:"price"`
	Zone  int    `json:"zone"`
}

// quote prices an order and seals the offer, so that it can be accepted later.
func (d *depot) quote(r *http.Request) (answer, error) {
	var o order
	if err := json.NewDecoder(r.Body).Decode(&o); err != nil {
		return answer{}, err
	}
	reply := offer{Customer: o.Customer}
	seal := hmac.New(sha256.New, []byte("not a secret"))
	total := 0.0
	for _, line := range o.Lines {
		zone := slices.Index(towns, line.Town) % 5
		weight := max(float64(line.Grams)/1000, math.Pow(line.Side/100, 3)*200)
		price := 2.9 + 0.8*float64(zone) + math.Ceil(weight*2)/2*1.15
		total += price
		fmt.Fprintf(seal, "%s|%d|%.2f\n", line.Town, line.Grams, price)
		reply.Lines = append(reply.Lines, offerLine{Town: line.Town, Price: fmt.Sprintf("%.2f EUR", price), Zone: zone})
	}
	reply.Total = fmt.Sprintf("%.2f EUR", total)
	reply.Seal = hex.EncodeToString(seal.Sum(nil))
	return answer{object: &reply, from: &o}, nil
}
