// SPDX-License-Identifier: Apache-2.0

// Writes a pprof profile as OTLP profiles, with the OpenTelemetry collector's own types (pdata/pprofile) of the version
// that go.mod names: the JSON of that version goes in, its protobuf comes out. Usage: otlp PROTO IN.pb.gz OUT [times]
// OUT is JSON again, one message a line, where it ends with .json.
// PROTO is 1.5, 1.7, 1.8 or 1.11. With "times" a sample has no values but a timestamp for each of its counts, as the
// eBPF profiler writes them; else there is a profile (or a value) for each sample type.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"
	"go.opentelemetry.io/collector/pdata/pprofile"
)

type object = map[string]any

// tables of one message: index 0 of each is the empty entry.
type tables struct {
	proto                            string
	strings                          map[string]int
	texts                            []string
	functions, mappings, locations   []any
	attributes, units                []any
	attributeIDs                     map[string]int
	stacks, slices                   []any
	functionIDs, mappingIDs, localID map[uint64]int
}

func (t *tables) text(s string) int {
	if i, ok := t.strings[s]; ok {
		return i
	}
	t.strings[s] = len(t.texts)
	t.texts = append(t.texts, s)
	return len(t.texts) - 1
}

func (t *tables) isNew() bool { return t.proto == "1.8" || t.proto == "1.11" }

func (t *tables) attribute(key, value, unit string, number bool) int {
	id := fmt.Sprint(key, "\x00", value, "\x00", unit, number)
	if i, ok := t.attributeIDs[id]; ok {
		return i
	}
	any := object{"stringValue": value}
	if number {
		any = object{"intValue": value}
	}
	entry := object{"key": key, "value": any}
	if t.isNew() {
		entry = object{"keyStrindex": t.text(key), "value": any, "unitStrindex": t.text(unit)}
	} else if unit != "" {
		t.units = append(t.units, object{"attributeKeyStrindex": t.text(key), "unitStrindex": t.text(unit)})
	}
	t.attributeIDs[id] = len(t.attributes)
	t.attributes = append(t.attributes, entry)
	return len(t.attributes) - 1
}

func (t *tables) fill(p *profile.Profile) {
	t.text("")
	t.attributes = []any{object{}}
	t.stacks = []any{object{}}
	t.mappings, t.functions, t.locations = []any{object{}}, []any{object{}}, []any{object{}}
	for _, m := range p.Mapping {
		entry := object{"memoryStart": fmt.Sprint(m.Start), "memoryLimit": fmt.Sprint(m.Limit),
			"fileOffset": fmt.Sprint(m.Offset), "filenameStrindex": t.text(m.File)}
		if m.BuildID != "" {
			entry["attributeIndices"] = []int{t.attribute("process.executable.build_id.gnu", m.BuildID, "", false)}
		}
		t.mappingIDs[m.ID] = len(t.mappings)
		t.mappings = append(t.mappings, entry)
	}
	for _, f := range p.Function {
		t.functionIDs[f.ID] = len(t.functions)
		t.functions = append(t.functions, object{"nameStrindex": t.text(f.Name),
			"systemNameStrindex": t.text(f.SystemName), "filenameStrindex": t.text(f.Filename),
			"startLine": fmt.Sprint(f.StartLine)})
	}
	for _, l := range p.Location {
		lines := []any{}
		for _, line := range l.Line {
			lines = append(lines, object{"functionIndex": t.functionIDs[line.Function.ID], "line": fmt.Sprint(line.Line)})
		}
		entry := object{"address": fmt.Sprint(l.Address)}
		entry[map[bool]string{true: "lines", false: "line"}[t.proto == "1.11"]] = lines
		if l.Mapping != nil {
			entry["mappingIndex"] = t.mappingIDs[l.Mapping.ID]
		}
		t.localID[l.ID] = len(t.locations)
		t.locations = append(t.locations, entry)
	}
}

func (t *tables) sample(s *profile.Sample, slice bool) object {
	indices := []int{}
	for _, l := range s.Location {
		indices = append(indices, t.localID[l.ID])
	}
	out := object{}
	attributes := []int{}
	for key, values := range s.Label {
		for _, value := range values {
			attributes = append(attributes, t.attribute(key, value, "", false))
		}
	}
	for key, values := range s.NumLabel {
		for i, value := range values {
			unit := ""
			if units := s.NumUnit[key]; i < len(units) {
				unit = units[i]
			}
			attributes = append(attributes, t.attribute(key, strconv.FormatInt(value, 10), unit, true))
		}
	}
	if len(attributes) != 0 {
		out["attributeIndices"] = attributes
	}
	if slice {
		out["locationsStartIndex"], out["locationsLength"] = len(t.slices), len(indices)
		for _, i := range indices {
			t.slices = append(t.slices, i)
		}
		return out
	}
	out["stackIndex"] = len(t.stacks)
	t.stacks = append(t.stacks, object{"locationIndices": indices})
	return out
}

// give sets the values of column, or of all where it is negative; or times, one for each count of the first column.
func (t *tables) give(out object, s *profile.Sample, column int, times bool, start int64) object {
	values := []string{}
	for i, v := range s.Value {
		if column < 0 || i == column {
			values = append(values, strconv.FormatInt(v, 10))
		}
	}
	if times {
		stamps := []string{}
		for i := int64(0); i < s.Value[0]; i++ {
			stamps = append(stamps, strconv.FormatInt(start+i*10_000_000, 10))
		}
		out["timestampsUnixNano"] = stamps
	} else if t.isNew() {
		out["values"] = values
	} else {
		out["value"] = values
	}
	return out
}

func (t *tables) valueType(v *profile.ValueType) object {
	return object{"typeStrindex": t.text(v.Type), "unitStrindex": t.text(v.Unit)}
}

func (t *tables) profiles(p *profile.Profile, times bool) []any {
	samples := "sample"
	if t.proto == "1.11" {
		samples = "samples"
	}
	header := func() object {
		out := object{"periodType": t.valueType(p.PeriodType), "period": fmt.Sprint(p.Period)}
		names := []string{"timeNanos", "durationNanos"}
		if t.isNew() {
			names = []string{"timeUnixNano", "durationNano"}
		}
		out[names[0]], out[names[1]] = fmt.Sprint(p.TimeNanos), fmt.Sprint(p.DurationNanos)
		out["profileId"] = "0102030405060708090a0b0c0d0e0f10"
		return out
	}
	if !t.isNew() {
		one, types, list := header(), []any{}, []any{}
		for i, v := range p.SampleType {
			if !times || i == 0 {
				types = append(types, t.valueType(v))
			}
		}
		for _, s := range p.Sample {
			list = append(list, t.give(t.sample(s, true), s, -1, times, p.TimeNanos))
		}
		one["sampleType"], one[samples], one["locationIndices"] = types, list, t.slices
		return []any{one}
	}
	bases := []object{}
	for _, s := range p.Sample {
		bases = append(bases, t.sample(s, false))
	}
	all := []any{}
	for i, v := range p.SampleType {
		one, list := header(), []any{}
		for j, s := range p.Sample {
			copied := object{}
			for key, value := range bases[j] {
				copied[key] = value
			}
			list = append(list, t.give(copied, s, i, times, p.TimeNanos))
		}
		one["sampleType"], one[samples] = t.valueType(v), list
		all = append(all, one)
		if times {
			break
		}
	}
	return all
}

func (t *tables) message(p *profile.Profile, times bool) object {
	t.fill(p)
	profiles := t.profiles(p, times)
	kept := object{"mappingTable": t.mappings, "locationTable": t.locations, "functionTable": t.functions,
		"linkTable": []any{object{}}, "stringTable": t.texts, "attributeTable": t.attributes}
	if t.isNew() {
		kept["stackTable"] = t.stacks
	} else {
		kept["attributeUnits"] = t.units
	}
	resource := object{"attributes": []any{object{"key": "service.name", "value": object{"stringValue": "shop"}}}}
	out := object{"resourceProfiles": []any{object{"resource": resource,
		"scopeProfiles": []any{object{"scope": object{"name": "pprofgate.example"}, "profiles": profiles}}}}}
	if t.proto != "1.5" {
		out["dictionary"] = kept
		return out
	}
	for key, value := range kept {
		profiles[0].(object)[key] = value
	}
	return out
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "otlp:", err)
		os.Exit(1)
	}
}

func main() {
	if len(os.Args) < 4 {
		check(fmt.Errorf("usage: otlp PROTO IN.pb.gz OUT [times]"))
	}
	file, err := os.Open(os.Args[2])
	check(err)
	p, err := profile.Parse(file)
	check(err)
	t := &tables{proto: os.Args[1], strings: map[string]int{}, attributeIDs: map[string]int{},
		functionIDs: map[uint64]int{}, mappingIDs: map[uint64]int{}, localID: map[uint64]int{}}
	text, err := json.Marshal(t.message(p, len(os.Args) > 4))
	check(err)
	data, err := (&pprofile.JSONUnmarshaler{}).UnmarshalProfiles(text)
	check(err)
	bytes, err := (&pprofile.ProtoMarshaler{}).MarshalProfiles(data)
	check(err)
	if strings.HasSuffix(os.Args[3], ".json") {
		bytes, err = (&pprofile.JSONMarshaler{}).MarshalProfiles(data)
		check(err)
		bytes = append(bytes, '\n')
	}
	check(os.WriteFile(os.Args[3], bytes, 0o644))
	fmt.Println(os.Args[3], data.SampleCount(), "samples,", len(bytes), "bytes")
}
