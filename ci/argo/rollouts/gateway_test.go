// SPDX-License-Identifier: Apache-2.0

package rollouts

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// gateway stands for a Pushgateway and for the Prometheus that scrapes it: it takes the text format by the parser that
// the Pushgateway uses, and answers instant queries that are a selector of equal labels.
type gateway struct {
	lock   sync.Mutex
	series []model.Metric
	values []float64
}

var (
	pushPath = regexp.MustCompile(`^/metrics((?:/[^/]+/[^/]+)+)$`)
	selector = regexp.MustCompile(`^(\w+)\{((?:\w+="[^"]*",?)+)\}$`)
	matcher  = regexp.MustCompile(`(\w+)="([^"]*)"`)
)

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.lock.Lock()
	defer g.lock.Unlock()
	if path := pushPath.FindStringSubmatch(r.URL.Path); path != nil && r.Method == http.MethodPost {
		if err := g.push(strings.Split(path[1][1:], "/"), r); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
		return
	}
	if r.URL.Path == "/api/v1/query" {
		g.query(w, r.FormValue("query"))
		return
	}
	http.NotFound(w, r)
}

func (g *gateway) push(group []string, r *http.Request) error {
	parser := expfmt.TextParser{}
	families, err := parser.TextToMetricFamilies(r.Body)
	if err != nil {
		return err
	}
	for name, family := range families {
		if family.GetType() != dto.MetricType_GAUGE {
			return fmt.Errorf("'%s' is of type %s", name, family.GetType())
		}
		for _, sample := range family.Metric {
			labels := model.Metric{model.MetricNameLabel: model.LabelValue(name)}
			for _, pair := range sample.Label {
				labels[model.LabelName(pair.GetName())] = model.LabelValue(pair.GetValue())
			}
			for i := 0; i+1 < len(group); i += 2 {
				labels[model.LabelName(group[i])] = model.LabelValue(group[i+1])
			}
			g.series = append(g.series, labels)
			g.values = append(g.values, sample.GetGauge().GetValue())
		}
	}
	return nil
}

func (g *gateway) query(w http.ResponseWriter, query string) {
	parts := selector.FindStringSubmatch(query)
	if parts == nil {
		http.Error(w, `{"status":"error","errorType":"bad_data","error":"not a selector"}`, http.StatusBadRequest)
		return
	}
	result := model.Vector{}
	for i, labels := range g.series {
		fits := string(labels[model.MetricNameLabel]) == parts[1]
		for _, wanted := range matcher.FindAllStringSubmatch(parts[2], -1) {
			fits = fits && string(labels[model.LabelName(wanted[1])]) == wanted[2]
		}
		if fits {
			result = append(result, &model.Sample{Metric: labels, Value: model.SampleValue(g.values[i])})
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"status": "success", "data": map[string]any{"resultType": "vector", "result": result}})
}
