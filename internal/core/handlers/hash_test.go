package handlers

import (
	"maps"
	"reflect"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
)

// unhashed names the fields that are no part of the hash, with the reason.
var unhashed = map[string]string{
	"Runs.limit": "one Config", "Runs.running": "follows from the calls in flight", "Runs.waiting": "follows from the states",
	"Runs.failures": "a report", "state.call": "an id decides nothing", "state.err": "a report", "state.failing": "a report",
}

// TestHash: each field that decides anything changes the hash.
func TestHash(t *testing.T) {
	r := newRig(t)
	run := Run{r.a, "x"}
	base := New([]string{"x"}, 1)
	base.states[run] = state{phase: failed, tries: 1, since: start}
	base.queues["x"] = []graph.NodeID{r.b}
	sum := func(x Runs) uint64 {
		p := fingerprint.New(r.g, start, nil)
		x.Hash(p)
		return p.Sum()
	}
	edit := func(change func(s *state)) func(x *Runs) {
		return func(x *Runs) {
			s := x.states[run]
			change(&s)
			x.states[run] = s
		}
	}
	want, changed := sum(base), map[string]bool{}
	for _, c := range []struct {
		field  string
		change func(x *Runs)
	}{
		{"Runs.names", func(x *Runs) { x.names = nil }},
		{"Runs.states", func(x *Runs) { clear(x.states) }},
		{"Runs.queues", func(x *Runs) { clear(x.queues) }},
		{"state.phase", edit(func(s *state) { s.phase = done })},
		{"state.tries", edit(func(s *state) { s.tries++ })},
		{"state.since", edit(func(s *state) { s.since = s.since.Add(time.Second) })},
	} {
		x := base
		x.states, x.queues = maps.Clone(base.states), maps.Clone(base.queues)
		c.change(&x)
		if changed[c.field] = true; sum(x) == want {
			t.Errorf("%s: the change leaves the hash as it is", c.field)
		}
	}
	for _, kept := range []any{Runs{}, state{}} {
		for i, s := 0, reflect.TypeOf(kept); i < s.NumField(); i++ {
			if f := s.Name() + "." + s.Field(i).Name; changed[f] == (unhashed[f] != "") {
				t.Errorf("%s has to be either tried or left out with a reason", f)
			}
		}
	}
}
