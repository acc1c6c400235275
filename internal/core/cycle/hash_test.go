package cycle

import (
	"reflect"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
)

// unhashed names the fields that are no part of the hash, with the reason.
var unhashed = map[string]string{
	"Detector.search": "a clone begins it anew", "Detector.rest": "a clone begins it anew",
	"Detector.last":  "a number decides nothing",
	"Detector.count": "a report", "cycle.first": "follows from the members",
}

// TestHash: each field that decides anything changes the hash.
func TestHash(t *testing.T) {
	r := newRig(t, ring)
	a, b, c := r.id("a"), r.id("b"), r.id("c")
	fill := func() Detector {
		return Detector{
			suspects: []graph.NodeID{c}, searched: []graph.NodeID{b}, due: r.now.Add(time.Second), last: 1,
			found: map[int32]cycle{1: {seen: 1, first: a, members: []graph.NodeID{a, b}}},
		}
	}
	sum := func(d Detector) uint64 {
		p := fingerprint.New(r.v.Graph, r.now, nil)
		d.Hash(p)
		members, seen := d.At(1) // the engine writes it with the nodes
		p.Set(members)
		p.Word(uint64(seen))
		return p.Sum()
	}
	edit := func(change func(c *cycle)) func(d *Detector) {
		return func(d *Detector) {
			c := d.found[1]
			change(&c)
			d.found[1] = c
		}
	}
	want, changed := sum(fill()), map[string]bool{}
	for _, c := range []struct {
		field  string
		change func(d *Detector)
	}{
		{"Detector.suspects", func(d *Detector) { d.suspects = nil }},
		{"Detector.searched", func(d *Detector) { d.searched = nil }},
		{"Detector.due", func(d *Detector) { d.due = r.now.Add(time.Hour) }},
		{"Detector.found", func(d *Detector) { delete(d.found, 1) }},
		{"cycle.seen", edit(func(c *cycle) { c.seen = 2 })},
		{"cycle.members", edit(func(c *cycle) { c.members = c.members[:1] })},
	} {
		d := fill()
		c.change(&d)
		if changed[c.field] = true; sum(d) == want {
			t.Errorf("%s: the change leaves the hash as it is", c.field)
		}
	}
	for _, kept := range []any{Detector{}, cycle{}} {
		for i, s := 0, reflect.TypeOf(kept); i < s.NumField(); i++ {
			if f := s.Name() + "." + s.Field(i).Name; changed[f] == (unhashed[f] != "") {
				t.Errorf("%s has to be either tried or left out with a reason", f)
			}
		}
	}
}
