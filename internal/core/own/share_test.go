package own

import (
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/share"
)

var start = time.Unix(1000, 0)

func graphOf(t *testing.T, objects ...string) *graph.Graph {
	t.Helper()
	g := graph.New(graph.Config{})
	events := []graph.Event{{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}}}}
	for _, text := range objects {
		o, err := graph.ParseObject(text)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, graph.Event{Type: graph.Put, Object: o})
	}
	for _, e := range events {
		if _, err := g.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// of returns the set of the slot of one UID.
func of(t *testing.T, uid graph.UID) share.Set {
	t.Helper()
	first := uint64(share.SlotOf(uid)) << 52
	s, err := share.OfRanges(share.Range{First: first, Last: first | (1<<52 - 1)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestForeign: a node is foreign if the set lacks its UID, in each form that a node has one.
func TestForeign(t *testing.T) {
	const uuid = "3f0a9c1e-0000-4000-8000-000000000001"
	long := ""
	for range 200 {
		long += "x"
	}
	for _, uid := range []graph.UID{"u1", uuid, "3F0A9C1E-0000-4000-8000-000000000001", graph.UID(long)} {
		g := graphOf(t, fmt.Sprintf("a/b@%s#1", uid))
		n, ok := g.Lookup(graph.Key{Kind: "a", Name: "b", UID: uid})
		if !ok {
			t.Fatalf("UID %s is not in the graph", uid)
		}
		other := graph.UID("other")
		for _, c := range []struct {
			set    share.Set
			want   bool
			reason string
		}{
			{share.All(), false, "all"},
			{share.None(), true, "none"},
			{of(t, uid), false, "its own slot"},
			{of(t, other), share.SlotOf(other) != share.SlotOf(uid), "the slot of another"},
		} {
			s := New(c.set)
			if got := s.IsForeign(n); got != c.want {
				t.Errorf("%s: UID %s is foreign: %t", c.reason, uid, got)
			}
		}
	}
}

// TestChange: another set asks for a look at all objects, once. The set is none at its end.
func TestChange(t *testing.T) {
	s, out := New(share.All()), effect.List{}
	half, err := share.OfRanges(share.Range{Last: 1<<63 - 1})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		do     func()
		set    share.Set
		looks  int
		reason string
	}{
		{func() { s.Change(share.All(), time.Time{}, &out) }, share.All(), 0, "the set is the same"},
		{func() { s.Change(half, start.Add(time.Second), &out) }, half, 1, "another set"},
		{func() { s.Change(half, start.Add(2*time.Second), &out) }, half, 0, "the end alone is another"},
		{func() { s.Expire(start.Add(2*time.Second-1), &out) }, half, 0, "the end is to come"},
		{func() { s.Expire(start.Add(2*time.Second), &out) }, share.None(), 1, "the end has come"},
		{func() { s.Expire(start.Add(time.Hour), &out) }, share.None(), 0, "it has ended before"},
		{func() { s.Change(share.All(), time.Time{}, &out) }, share.All(), 1, "all again"},
		{func() { s.Expire(start.Add(time.Hour), &out) }, share.All(), 0, "without an end"},
	} {
		c.do()
		looks := 0
		for _, x := range out.Items() {
			if x.Type == effect.LookAtShare {
				looks++
			}
		}
		out.Reset()
		if s.Set() != c.set || looks != c.looks || s.IsNone() != (c.set == share.None()) {
			t.Errorf("step %d, %s: the set is %v, %d looks, want %v, %d", i, c.reason, s.Set(), looks, c.set, c.looks)
		}
	}
	if _, ends := s.At(); ends {
		t.Error("a set without an end ends")
	}
}

// TestNotes: the noted objects are those of the graph, and a clone has its own.
func TestNotes(t *testing.T) {
	g := graphOf(t, "a/b@u1#1", "a/c@u2#1")
	b, _ := g.Lookup(graph.Key{Kind: "a", Name: "b", UID: "u1"})
	s := New(share.None())
	s.Note(b.ID(), Stays)
	c := s.Clone()
	if c.Note(b.ID(), Unset); s.NoteOf(b.ID()) != Stays || c.NoteOf(b.ID()) != Unset {
		t.Error("a clone shares its notes")
	}
	if err := s.Check(g); err != nil {
		t.Error(err)
	}
	s.Note(99, Stays)
	if s.Check(g) == nil {
		t.Error("a note of a node that is not in the graph is no error")
	}
	if s.Drop(99); s.Check(g) != nil {
		t.Error("an object that is gone stays")
	}
}

// TestHash: each field that decides anything changes the hash.
func TestHash(t *testing.T) {
	g := graphOf(t, "a/b@u1#1")
	sum := func(s Share) uint64 {
		p := fingerprint.New(g, start, nil)
		s.Hash(p)
		return p.Sum()
	}
	base := New(of(t, "u1"))
	want := sum(base)
	for _, c := range []struct {
		field  string
		change func(s *Share)
	}{
		{"set", func(s *Share) { s.set = share.None() }},
		{"part", func(s *Share) { *s = New(share.All()) }},
		{"until", func(s *Share) { s.until = start.Add(time.Second) }},
		{"notes", func(s *Share) { s.Note(1, Stays) }},
		{"notes", func(s *Share) { s.Note(1, Unproven) }},
	} {
		s := base.Clone()
		if c.change(&s); sum(s) == want {
			t.Errorf("%s: the change leaves the hash as it is", c.field)
		}
	}
}
