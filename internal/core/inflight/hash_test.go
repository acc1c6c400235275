package inflight

import (
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
)

// unhashed names the fields that are no part of the hash, with the reason.
var unhashed = map[string]string{
	"Undone.count": "a report", "Undone.lines": "a log",
	"Calls.last": "an id says nothing", "Calls.Delays": "a report", "Calls.ids": "follows from the calls", "Calls.prepared": "the engine hashes its calls",
	"Calls.under": "the engine hashes each call", "Calls.retries": "the engine hashes them", "Expectations.index": "follows from the list", "entry.node": "a key", "entry.Expectation": "see Expectation",
}

// TestCallHash: each field of a call that decides anything changes its hash.
func TestCallHash(t *testing.T) {
	r := newCallRig(t)
	r.v.Edit(r.id).Known, r.v.Edit(r.id).Changed = 3, 4
	k := kinds.New(nil)
	k.Rewind(2)
	base := Call{Purpose: Read, Node: r.id, Key: r.v.Node(r.id).Key(), Version: "1", Began: 5, Fence: 7}
	sum := func(x Call) uint64 {
		p := fingerprint.New(r.v.Graph, start, nil)
		x.Hash(p, 9, r.v, &k, 7)
		return p.Sum()
	}
	changed := map[string]bool{}
	for _, c := range []struct {
		field  string
		change func(x *Call)
	}{
		{"Purpose", func(x *Call) { x.Purpose = Reread }},
		{"Shown", func(x *Call) { x.Shown = true }},
		{"Ahead", func(x *Call) { x.Ahead = true }},
		{"Orphan", func(x *Call) { x.Orphan = Ends }},
		{"Node", func(x *Call) { x.Node = 0 }},
		{"Key", func(x *Call) { x.Key.Name = "x" }},
		{"Version", func(x *Call) { x.Version = "2" }},
		{"Began", func(x *Call) { x.Began = 4 }},
		{"Began", func(x *Call) { x.Began = 3 }},
		{"Began", func(x *Call) { x.Began = 2 }},
		{"Handler", func(x *Call) { x.Handler = "x" }},
		{"Fence", func(x *Call) { x.Fence = 6 }},
		{"Run", func(x *Call) { x.Run = 1 }},
		{"Wrote", func(x *Call) { x.Wrote = 1 }},
	} {
		x := base
		c.change(&x)
		if changed[c.field] = true; sum(x) == sum(base) {
			t.Errorf("%s: the change leaves the hash as it is", c.field)
		}
	}
	for i, s := 0, reflect.TypeFor[Call](); i < s.NumField(); i++ {
		if !changed[s.Field(i).Name] {
			t.Errorf("%s is not tried", s.Field(i).Name)
		}
	}
	before := sum(base)
	if r.v.Edit(r.id).Call = 9; sum(base) == before {
		t.Error("the call is the node's now, and the hash is as before")
	}
}

// state is the hashed state of one node.
type state struct {
	u Undone
	t Expectations
}

func (s *state) sum(r *rig) uint64 {
	k := kinds.New(nil)
	p := fingerprint.New(r.v.Graph, start, nil)
	s.t.HashNode(p, r.v.Node(r.id), &k)
	s.u.HashNode(p, r.id)
	return p.Sum()
}

func (s *state) clone() state { return state{s.u.Clone(), s.t.Clone()} }

// TestHash: each field that decides anything changes the hash.
func TestHash(t *testing.T) {
	r := newRig(t)
	base := state{u: Undone{writes: map[graph.NodeID]write{r.id: {digest: 7, tries: 1, after: start.Add(time.Second)}}}}
	base.t.Put(r.id, Expectation{Version: "1", Deadline: start.Add(time.Second), OnTimeout: TimeoutRead, listed: 1})
	base.t.watch = map[graph.NodeID]time.Time{r.id: start.Add(time.Second)}
	edit := func(change func(w *write)) func(s *state) {
		return func(s *state) {
			w := s.u.writes[r.id]
			change(&w)
			s.u.writes[r.id] = w
		}
	}
	expect := func(change func(x *Expectation)) func(s *state) {
		return func(s *state) { change(s.t.at(r.id)) }
	}
	want, changed := base.sum(r), map[string]bool{}
	for _, c := range []struct {
		field  string
		change func(s *state)
	}{
		{"Undone.writes", func(s *state) { clear(s.u.writes) }},
		{"write.digest", edit(func(w *write) { w.digest = 6 })},
		{"write.tries", edit(func(w *write) { w.tries++ })},
		{"write.judged", edit(func(w *write) { w.judged = true })},
		{"write.after", edit(func(w *write) { w.after = w.after.Add(time.Second) })},
		{"Expectations.list", func(s *state) { s.t.Drop(r.id) }},
		{"Expectations.watch", func(s *state) { s.t.EndWatch(r.id) }},
		{"Expectations.walk", func(s *state) { s.t.at(r.id).Blocked = true; s.t.walk.next = []graph.Kind{"a"} }},
		{"Expectation.Version", expect(func(x *Expectation) { x.Version = "2" })},
		{"Expectation.Deadline", expect(func(x *Expectation) { x.Deadline = x.Deadline.Add(1) })},
		{"Expectation.OnTimeout", expect(func(x *Expectation) { x.OnTimeout = TimeoutHeld })},
		{"Expectation.Wrote", expect(func(x *Expectation) { x.Wrote = 6 })},
		{"Expectation.listed", expect(func(x *Expectation) { x.listed = 0 })},
		{"Expectation.Blocked", expect(func(x *Expectation) { x.Blocked = true })},
		{"Expectation.Gone", expect(func(x *Expectation) { x.Gone = true })},
	} {
		s := base.clone()
		c.change(&s)
		if changed[c.field] = true; s.sum(r) == want {
			t.Errorf("%s: the change leaves the hash as it is", c.field)
		}
	}
	if base.sum(r) != want || !maps.Equal(base.u.writes, base.clone().u.writes) {
		t.Error("a change of a copy has changed the original")
	}
	for _, kept := range []any{Undone{}, write{}, Expectations{}, entry{}, Expectation{}, Calls[int]{}} {
		for i, s := 0, reflect.TypeOf(kept); i < s.NumField(); i++ {
			if f := strings.TrimSuffix(s.Name(), "[int]") + "." + s.Field(i).Name; changed[f] == (unhashed[f] != "") {
				t.Errorf("%s has to be either tried or left out with a reason", f)
			}
		}
	}
}
