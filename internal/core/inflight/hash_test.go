package inflight

import (
	"maps"
	"reflect"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/observed"
)

// unhashed names the fields that are no part of the hash, with the reason.
var unhashed = map[string]string{
	"Undone.count": "a report", "Undone.lines": "a log",
	"Expectations.index": "follows from the list", "entry.node": "a key", "entry.Expectation": "see Expectation",
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
	base := state{u: Undone{writes: map[observed.NodeID]write{r.id: {digest: 7, tries: 1, after: start.Add(time.Second)}}}}
	base.t.Put(r.id, Expectation{Version: "1", Deadline: start.Add(time.Second), OnTimeout: TimeoutRead, listed: 1})
	base.t.watch = map[observed.NodeID]time.Time{r.id: start.Add(time.Second)}
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
	for _, kept := range []any{Undone{}, write{}, Expectations{}, entry{}, Expectation{}} {
		for i, s := 0, reflect.TypeOf(kept); i < s.NumField(); i++ {
			if f := s.Name() + "." + s.Field(i).Name; changed[f] == (unhashed[f] != "") {
				t.Errorf("%s has to be either tried or left out with a reason", f)
			}
		}
	}
}
