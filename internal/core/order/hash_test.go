package order

import (
	"reflect"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// unhashed names the fields that are no part of the hash, with the reason.
var unhashed = map[string]string{
	"Machine.guards": "one Config", "Machine.phased": "one Config", "Machine.above": "follows from the places", "Machine.looked": "a report",
	"Machine.sorted": "follows from the orders", "Machine.gone": "follows from the orders", "Machine.stales": "follows from the orders",
	"Machine.fenced": "follows from the orders", "Machine.ended": "of orders that have ended",
	"order.key": "follows from the root", "order.queued": "follows from Machine.stale", "order.fenced": "follows from Machine.opening",
	"order.waves": "a report", "counts.left": "follows from the places", "counts.total": "follows from the places",
	"counts.forward": "follows from the places", "order.counts": "follows from the places",
	"place.queued": "of a walk", "place.pending": "of a walk", "place.rank": "of a walk", "place.ring": "of a walk",
	"place.fixed": "of a walk",
	"place.facts": "follows from the object, unless the order is stale",
}

// TestHash: each field that decides the next steps changes the hash.
func TestHash(t *testing.T) {
	base := newRig(t, "r/R~[foreground]; x1/a -> r/R!; x2/b -> r/R!; x3/c -> r/R!")
	base.rest()
	base.waits("x2/b", "x2/b", "a is left")
	root, a := base.id("r/R"), base.id("x1/a")
	at := func(change func(o *order, p *place)) func(m *Machine) {
		return func(m *Machine) { change(m.orders[root], m.orders[root].places[a]) }
	}
	want, changed := base.sum(), map[string]bool{}
	for _, c := range []struct {
		field  string
		change func(m *Machine)
	}{
		{"Machine.orders", func(m *Machine) { clear(m.orders); m.due = true; m.ready = nil }},
		{"Machine.doomed", func(m *Machine) { m.doomed[a] = struct{}{} }},
		{"Machine.stale", func(m *Machine) { m.stale = []graph.NodeID{root} }},
		{"Machine.walk", func(m *Machine) { m.walk = &walk{order: m.orders[root]} }},
		{"Machine.ready", func(m *Machine) { m.ready = []graph.NodeID{a} }},
		{"Machine.due", func(m *Machine) { m.due = true }},
		{"Machine.opening", func(m *Machine) { m.opening = []graph.NodeID{root} }},
		{"order.root", at(func(o *order, _ *place) { o.root = a })},
		{"order.guard", at(func(o *order, _ *place) { o.guard = 2 })},
		{"order.places", at(func(o *order, _ *place) { delete(o.places, a) })},
		{"order.sources", at(func(o *order, _ *place) { o.sources[a] = struct{}{} })},
		{"order.gone", at(func(o *order, _ *place) { o.gone = append(o.gone, "x") })},
		{"order.open", at(func(o *order, _ *place) { o.open = 1 })},
		{"order.low", at(func(o *order, _ *place) { o.low = 1 })},
		{"order.cleared", at(func(o *order, _ *place) { o.cleared = 1 })},
		{"order.waiting", at(func(o *order, _ *place) { o.waiting[1] = nil })},
		{"order.stale", at(func(o *order, _ *place) { o.stale = true })},
		{"order.fresh", at(func(o *order, _ *place) { o.fresh = false })},
		{"place.status", at(func(_ *order, p *place) { p.status = stays })},
		{"place.free", at(func(_ *order, p *place) { p.free = true })},
		{"place.counted", at(func(_ *order, p *place) { p.counted = false })},
		{"place.listed", at(func(_ *order, p *place) { p.listed = true })},
		{"place.known", at(func(_ *order, p *place) { p.known = !p.known })},
		{"place.above", at(func(_ *order, p *place) { p.above = true })},
		{"place.after", at(func(_ *order, p *place) { p.after = true })},
		{"place.own", at(func(_ *order, p *place) { p.own = 1 })},
		{"place.due", at(func(_ *order, p *place) { p.due = 1 })},
		{"place.del", at(func(_ *order, p *place) { p.del = 1 })},
		{"place.done", at(func(_ *order, p *place) { p.done = 1 })},
		{"place.kept", at(func(_ *order, p *place) { p.kept = 1 })},
	} {
		x := base.clone()
		c.change(&x.m)
		if changed[c.field] = true; x.sum() == want {
			t.Errorf("%s: the change leaves the hash as it is", c.field)
		}
	}
	for _, kept := range []any{Machine{}, order{}, counts{}, place{}} {
		for i, s := 0, reflect.TypeOf(kept); i < s.NumField(); i++ {
			if f := s.Name() + "." + s.Field(i).Name; changed[f] == (unhashed[f] != "") {
				t.Errorf("%s has to be either tried or left out with a reason", f)
			}
		}
	}
}
