package fence

import (
	"reflect"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// unhashed names the fields that are no part of the hash, with the reason.
var unhashed = map[string]string{
	"Machine.exact": "one Config", "Machine.last": "an id decides nothing",
	"Machine.spent": "a sound store never returns it again", "Machine.late": "a report", "Machine.failing": "a report: the waiters that it wakes decide as before", "Machine.counts": "a report",
}

// TestHash: each field that decides anything changes the hash.
func TestHash(t *testing.T) {
	const late seq.Stamp = 1 << 40
	r := newRig(t, true, time.Minute)
	r.k.OpenFence()
	r.v.Edit(r.x).AwaitsFence, r.v.Edit(r.y).AwaitsFence = true, true
	base := Machine{
		exact: true, release: time.Minute, wanted: 5, since: start, id: 1, last: 1, spent: 3, early: []reports{{token: 6, kinds: []graph.Kind{"a"}}}, began: 4, started: start,
		passed: 3, set: 3, freed: 2, retry: start.Add(time.Second), waiting: []graph.NodeID{r.x},
		byKind: map[graph.Kind]map[graph.NodeID]struct{}{"a": {r.x: {}}},
	}
	sum := func(f *Machine) uint64 {
		p := fingerprint.New(r.v.Graph, start, nil)
		f.Hash(p, &r.k, r.v.Graph, r.v.Table)
		for _, at := range [...]seq.Stamp{1, 2, 3, 4, 5, 6} { // the engine hashes its moments
			f.HashAfter(p, at)
			p.Flags(f.SetPassed() > at)
		}
		return p.Sum()
	}
	want, changed := sum(&base), map[string]bool{}
	for _, c := range []struct {
		field  string
		change func(f *Machine)
	}{
		{"Machine.release", func(f *Machine) { f.release = 0 }},
		{"Machine.wanted", func(f *Machine) { f.wanted = 0 }},
		{"Machine.since", func(f *Machine) { f.since = f.since.Add(time.Second) }},
		{"Machine.id", func(f *Machine) { f.id = 0 }},
		{"Machine.began", func(f *Machine) { f.began = late }},
		{"Machine.token", func(f *Machine) { f.token = 9 }},
		{"Machine.early", func(f *Machine) { f.early[0].kinds = append(f.early[0].kinds, "b") }},
		{"Machine.early", func(f *Machine) { f.early[0].token++ }},
		{"Machine.early", func(f *Machine) { f.early = append(f.early, reports{token: 7}) }},
		{"Machine.started", func(f *Machine) { f.started = f.started.Add(time.Second) }},
		{"Machine.lost", func(f *Machine) { f.lost++ }},
		{"Machine.yielded", func(f *Machine) { f.yielded++ }},
		{"Machine.passed", func(f *Machine) { f.passed = late }},
		{"Machine.set", func(f *Machine) { f.set = late }},
		{"Machine.freed", func(f *Machine) { f.freed = late }},
		{"Machine.retry", func(f *Machine) { f.retry = f.retry.Add(time.Second) }},
		{"Machine.waiting", func(f *Machine) { f.waiting = append(f.waiting, r.y) }},
		{"Machine.byKind", func(f *Machine) { f.AwaitKind("a", r.y) }},
	} {
		f := base.Clone()
		c.change(&f)
		if changed[c.field] = true; sum(&f) == want {
			t.Errorf("%s: the change leaves the hash as it is", c.field)
		}
	}
	for i, s := 0, reflect.TypeFor[Machine](); i < s.NumField(); i++ {
		if f := s.Name() + "." + s.Field(i).Name; changed[f] == (unhashed[f] != "") {
			t.Errorf("%s has to be either tried or left out with a reason", f)
		}
	}
	if sum(&base) != want {
		t.Error("a change of a clone changes the original")
	}
}
