package brake

import (
	"reflect"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fifo"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
)

// unhashed names the fields that are no part of the hash, with the reason.
var unhashed = map[string]string{
	"Machine.set": "one Config", "Machine.index": "follows from the cascades",
	"Machine.joins": "only the order of the lines counts", "Machine.counted": "follows from the waits", "Machine.called": "follows from the waits",
	"Machine.counts": "a report",
	"Machine.free":   "follows from the cascades", "Machine.promised": "follows from the waits",
	"Machine.said": "a line of the log", "cascade.free": "follows from the cascade", "cascade.reached": "a report",
	"Machine.keeps": "one Config", "Machine.limit": "follows from the share", "Machine.unrecorded": "follows from the cascades", "cascade.at": "the order in a full record",
	"cascade.underWay": "follows from the calls", "cascade.approvals": "only the calls of the last approval count",
}

// TestHash: each field that decides anything changes the hash.
func TestHash(t *testing.T) {
	r := newRig(t, Settings{PerCascade: 2, Window: 9, Per: time.Minute}, "a; a/x; b -> a; c -> a")
	r.m.Step(r.view(), 9)
	r.now = r.now.Add(time.Minute)
	r.judge("b", "a")
	r.take(1)
	r.m.begin(r.view(), key("a/x"), []graph.NodeID{r.id("a/x")}, 3)
	r.judge("c", "a/x")
	r.m.TryApprove(r.view(), key("a/x"), r.now.Add(time.Hour), 5)
	r.m.Exempt(r.view(), graph.Key{UID: "u"})
	r.m.at(1).gap = &kinds.Gap{}
	sum := func(m Machine) uint64 {
		p := fingerprint.New(r.g, r.now, nil)
		m.Hash(p, 0)
		return p.Sum()
	}
	edit := func(change func(c *cascade)) func(*Machine) {
		return func(m *Machine) { change(m.at(2)) }
	}
	want, changed := sum(r.m), map[string]bool{}
	if got := sum(r.m.Clone()); got != want {
		t.Errorf("a clone has the hash %x, want %x", got, want)
	}
	for _, c := range []struct {
		field  string
		change func(m *Machine)
	}{
		{"Machine.cascades", func(m *Machine) { m.at(1).state = Tripped }},
		{"Machine.ended", func(m *Machine) { s := slot(1); m.ended[0].Push(&s) }},
		{"Machine.calls", func(m *Machine) { clear(m.calls) }},
		{"Machine.exempt", func(m *Machine) { m.exempt.Purge() }},
		{"Machine.waits", func(m *Machine) { clear(m.waits) }},
		{"Machine.listing", func(m *Machine) { m.listing.called = true }},
		{"Machine.full", func(m *Machine) { m.full[1].called = true }},
		{"Machine.window", func(m *Machine) { m.window.called = true }},
		{"Machine.pending", func(m *Machine) { s := slot(1); m.pending.Push(&s) }},
		{"Machine.walk", func(m *Machine) { m.walk.slot = 1 }},
		{"Machine.bucket", func(m *Machine) { m.bucket.tokens-- }},
		{"Machine.taken", func(m *Machine) { m.taken = true }},
		{"Machine.listed", func(m *Machine) { m.listed = true }},
		{"cascade.key", func(m *Machine) { // as another cascade at the same place
			m.at(2).key = key("b")
			delete(m.index, key("a/x"))
			m.index[key("b")] = 2
		}},
		{"cascade.state", edit(func(c *cascade) { c.state = Tripped })},
		{"cascade.cause", edit(func(c *cascade) { c.cause = LimitReached })},
		{"cascade.listed", edit(func(c *cascade) { c.listed = !c.listed })},
		{"cascade.returned", func(m *Machine) { m.at(1).returned++ }},
		{"cascade.gap", edit(func(c *cascade) { c.gap = &kinds.Gap{} })},
		{"cascade.recorded", edit(func(c *cascade) { c.recorded = true })},
		{"cascade.unrecorded", edit(func(c *cascade) { c.unrecorded = true })},
		{"cascade.handed", edit(func(c *cascade) { c.handed++ })},
		{"cascade.used", edit(func(c *cascade) { c.used++ })},
		{"cascade.until", edit(func(c *cascade) { c.until = c.until.Add(1) })},
		{"cascade.atMost", edit(func(c *cascade) { c.atMost++ })},
		{"cascade.seeds", edit(func(c *cascade) { c.seeds = []graph.NodeID{r.id("c")} })},
		{"cascade.held", edit(func(c *cascade) { c.held.nodes = fifo.List[place]{} })},
	} {
		m := r.m.Clone()
		c.change(&m)
		if changed[c.field] = true; sum(m) == want {
			t.Errorf("%s: the change leaves the hash as it is", c.field)
		}
	}
	for _, kept := range []any{Machine{}, cascade{}} {
		for i, s := 0, reflect.TypeOf(kept); i < s.NumField(); i++ {
			if f := s.Name() + "." + s.Field(i).Name; changed[f] == (unhashed[f] != "") {
				t.Errorf("%s has to be either tried or left out with a reason", f)
			}
		}
	}
}
