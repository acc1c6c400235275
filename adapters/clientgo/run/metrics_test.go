package run

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
)

// parseMetrics reads the text format, version 0.0.4, without timestamps and escapes. HELP, then TYPE, then
// at least one sample. Each family and each sample stands once. The text ends with a
// line feed.
func parseMetrics(t *testing.T, text string) map[string]float64 {
	t.Helper()
	help := regexp.MustCompile(`^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) ([^\\\n]+)$`)
	kind := regexp.MustCompile(`^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge)$`)
	line := regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[a-zA-Z_][a-zA-Z0-9_]*="[^"\\\n]*"\})? (\S+)$`)
	if !strings.HasSuffix(text, "\n") {
		t.Error("the last line does not end")
	}
	samples, families, name, state := map[string]float64{}, map[string]bool{}, "", "sample"
	for _, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		switch m := help.FindStringSubmatch(l); {
		case m != nil && state == "sample" && !families[m[1]]:
			name, state = m[1], "help"
			families[name] = true
			continue
		}
		if m := kind.FindStringSubmatch(l); m != nil && state == "help" && m[1] == name {
			if (m[2] == "counter") != strings.HasSuffix(name, "_total") {
				t.Errorf("%s is a %s", name, m[2])
			}
			state = "type"
			continue
		}
		m := line.FindStringSubmatch(l)
		if m == nil || state == "help" || m[1] != name {
			t.Errorf("line %q after %s of %s", l, state, name)
			continue
		}
		if _, twice := samples[m[1]+m[2]]; twice {
			t.Errorf("line %q twice", l)
		}
		v, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Errorf("line %q: %v", l, err)
		}
		samples[m[1]+m[2]], state = v, "sample"
	}
	return samples
}

func TestMetrics(t *testing.T) {
	bubble(t, Config{Act: true}, func(r *rig) {
		r.owned()
		r.start(r.program)
		pass(time.Second)
		r.remove("deployments", "ns", "owner")
		r.put("configmaps", named("left"))
		r.set(func() { r.broken = func(verb, plural string) bool { return plural == "configmaps" && verb == "watch" } })
		pass(time.Second)
		w := get(r.program, "/metrics")
		if got := w.Header().Get("Content-Type"); w.Code != 200 || got != "text/plain; version=0.0.4; charset=utf-8" {
			t.Errorf("%d, %s", w.Code, got)
		}
		got := parseMetrics(t, w.Body.String())
		for name, want := range map[string]float64{
			"ownergraph_objects": 1, "ownergraph_gone_total": 4, `ownergraph_calls_total{type="delete"}`: 3,
			`ownergraph_kinds{health="listed"}`: 2, `ownergraph_kinds{health="sick"}`: 0, `ownergraph_kinds{health="unlisted"}`: 0,
		} {
			if v, ok := got[name]; !ok || v != want {
				t.Errorf("%s is %v, want %v", name, v, want)
			}
		}
	})
}

// number gives each figure a number of its own, from 1000 on, and returns their names.
func number(v reflect.Value, name string, names []string) []string {
	switch {
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			names = number(v.Field(i), name+"."+v.Type().Field(i).Name, names)
		}
		return names
	case v.Kind() == reflect.Array:
		for i := 1; i < v.Len(); i++ { // 0 is the unset status or type
			names = number(v.Index(i), fmt.Sprintf("%s[%d]", name, i), names)
		}
		return names
	case v.CanInt():
		v.SetInt(int64(1000 + len(names)))
	default:
		v.SetUint(uint64(1000 + len(names)))
	}
	return append(names, name)
}

// TestMetricsComplete: each figure of the stats has a metric with its value.
func TestMetricsComplete(t *testing.T) {
	stats := ownergraph.Stats{}
	names := number(reflect.ValueOf(&stats).Elem(), "Stats", nil)
	kinds := []ownergraph.KindStatus{{Kind: "a", Listed: true}, {Kind: "b", Listed: true, Sick: "x"}, {Kind: "c"}}
	seen := map[uint64]int{}
	health := ""
	for _, f := range families(stats, kinds) {
		for _, s := range f.samples {
			seen[s.value]++
			if f.name == "kinds" {
				health += fmt.Sprint(s.label, s.value, " ")
			}
		}
	}
	for i, name := range names {
		if seen[uint64(1000+i)] != 1 {
			t.Errorf("%s is measured %d times", name, seen[uint64(1000+i)])
		}
	}
	if health != "listed1 unlisted1 sick1 " {
		t.Errorf("kinds by health: %s", health)
	}
}
