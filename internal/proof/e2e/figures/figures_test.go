package main

import (
	"math"
	"net/http/httptest"
	"slices"
	"testing"
	"time"
)

func TestVerbOf(t *testing.T) {
	for _, c := range []struct{ reason, method, url, want string }{
		{"one object in a namespace", "GET", "/api/v1/namespaces/ns/configmaps/a", verbGet},
		{"a list in a namespace", "GET", "/api/v1/namespaces/ns/configmaps?limit=5", verbList},
		{"a list of all namespaces' objects", "GET", "/apis/apps/v1/deployments", verbList},
		{"a namespace", "GET", "/api/v1/namespaces/ns", verbGet},
		{"the namespaces", "GET", "/api/v1/namespaces", verbList},
		{"one global object of a group", "GET", "/apis/g.example/v1/widgets/w", verbGet},
		{"a watch", "GET", "/api/v1/nodes?watch=true&resourceVersion=5", verbWatch},
		{"a watch, as others say it", "GET", "/api/v1/nodes?watch=1", verbWatch},
		{"no watch", "GET", "/api/v1/nodes?watch=false", verbList},
		{"the served groups", "GET", "/apis", verbDiscover},
		{"the served kinds of a version", "GET", "/apis/apps/v1", verbDiscover},
		{"a write", "PATCH", "/api/v1/namespaces/ns/configmaps/a", verbPatch},
		{"a write", "DELETE", "/api/v1/nodes/n", verbDelete},
	} {
		if got := verbOf(httptest.NewRequest(c.method, c.url, nil)); got != c.want {
			t.Errorf("%s: %s %s: %s, want %s", c.reason, c.method, c.url, got, c.want)
		}
	}
}

func TestPlan(t *testing.T) {
	for _, s := range scenarios() {
		dependents := 0
		for i, level := range s.plan(500) {
			for _, p := range level {
				if p.owner != nil && !slices.ContainsFunc(s.plan(500)[:i], func(l []*planned) bool {
					return slices.ContainsFunc(l, func(o *planned) bool { return o.name == p.owner.name })
				}) {
					t.Errorf("%s: %s is made before its owner", s.name, p.name)
				}
				if p.owner != nil && !p.stays {
					dependents++
				}
			}
		}
		if dependents != 500 {
			t.Errorf("%s: %d dependents", s.name, dependents)
		}
	}
	for _, n := range []int{1, 2, 34, 35, 100} {
		made := 0
		for _, level := range forest(n) {
			made += len(level)
		}
		if made != n {
			t.Errorf("a forest of %d has %d", n, made)
		}
	}
}

func TestFold(t *testing.T) {
	run := func(side string, took time.Duration, end string) cascade {
		return cascade{scenario: "s", side: side, objects: 100, took: took, counts: map[string]int{verbGet: 50}, server: time.Second, end: end}
	}
	rows := fold([]cascade{run(ours, time.Second, "same"), run(bare, 0, "failed"), run(ours, 4*time.Second, "same"), run(ours, 2*time.Second, "same")})
	if len(rows) != 2 || rows[0].runs != 3 || rows[0].each(verbGet) != 0.5 || rows[0].rate() != 50 || rows[0].micros(rows[0].server) != 10000 || rows[0].end != "same" {
		t.Errorf("%+v", rows)
	}
	if rows[1].runs != 0 || !math.IsNaN(rows[1].rate()) || rows[1].end != "failed" {
		t.Errorf("a run that failed: %+v", rows[1])
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		reason string
		args   []string
		good   bool
	}{
		{"none", nil, true},
		{"sizes", []string{"-start", "5,10"}, true},
		{"no start", []string{"-start", ""}, true},
		{"a size that is none", []string{"-start", "5,x"}, false},
		{"a cascade smaller than its middle", []string{"-size", "10"}, false},
		{"no round", []string{"-rounds", "0"}, false},
		{"an argument", []string{"x"}, false},
	} {
		if _, err := parse(c.args); (err == nil) != c.good {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
}
