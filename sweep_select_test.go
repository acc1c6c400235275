package ownergraph_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
)

// page is the next selection that the engine asks for.
func (s *stepped) page(reason string) ownergraph.Call {
	s.Helper()
	for range 100 {
		c := s.next(ownergraph.LaneControl)
		switch c.Type {
		case ownergraph.CallSelect:
			return c
		case ownergraph.CallFence:
			s.done(c, nil)
			s.pass(c.Fence)
		case ownergraph.CallUnset:
			s.next(ownergraph.LaneStore)
			s.now = s.now.Add(time.Second)
		}
	}
	s.Fatalf("no selection: %s", reason)
	return ownergraph.Call{}
}

// shows answers a selection with objects "key#version" that carry the tenant's name.
func (s *stepped) shows(c ownergraph.Call, more string, objects ...string) {
	s.Helper()
	s.selected(c, more, "1", objects...)
}

// selected answers it with objects that carry a value.
func (s *stepped) selected(c ownergraph.Call, more, value string, objects ...string) {
	s.Helper()
	page := ownergraph.SelectPage{More: more}
	for _, text := range objects {
		o, err := graph.ParseObject(text)
		if err != nil {
			s.Fatal(err)
		}
		page.Objects = append(page.Objects, graph.LabelMatch{Key: o.Key, Version: o.Version, Value: value})
	}
	if err := s.e.Done(s.now, c.ID, ownergraph.Result{Selected: page}); err != nil {
		s.Fatal(err)
	}
}

// labels returns an engine that sweeps tenant 1 by labels, of volumes alone.
func labels(t *testing.T, objects string) *stepped {
	t.Helper()
	sweep := labelled("")
	sweep.Members[0].Kinds = []graph.Kind{"volume"}
	s := newStepped(t, sweeping(sweep), "tenant", "volume")
	s.put("tenant/1#2~[x.io/tenant]; " + objects)
	return &s
}

// released reports whether the engine asks to take the finalizer off, once
// everything that it wants to know it has been told.
func (s *stepped) released(answers ...string) bool {
	s.Helper()
	for range 50 {
		if c := s.next(ownergraph.LaneStore); c.Type != ownergraph.CallUnset {
			return c.Type == ownergraph.CallPatch && c.Change.DropFinalizer == "x.io/tenant"
		}
		switch c := s.next(ownergraph.LaneControl); c.Type {
		case ownergraph.CallSelect:
			s.shows(c, "", answers...)
		case ownergraph.CallFence:
			s.done(c, nil)
			s.pass(c.Fence)
		default:
			s.now = s.now.Add(time.Second)
		}
	}
	return false
}

// TestSelectAsksForTheSwept: what is asked for is the holders that are swept, a
// page at a time, and again after More.
func TestSelectAsksForTheSwept(t *testing.T) {
	s := labels(t, "volume/a#3; volume/b#4")
	c := s.page("who is labelled?")
	if want := (ownergraph.SelectRequest{Kind: "volume", Selector: "x.io/of in (1)", Label: "x.io/of", Limit: 500}); c.Select != want {
		t.Errorf("%+v, want %+v", c.Select, want)
	}
	s.shows(c, "next", "volume/a#3")
	if c = s.page("the next page"); c.Select.After != "next" {
		t.Errorf("%+v", c.Select)
	}
	s.shows(c, "", "volume/b#4")
	fence := s.begin("was the tenant there when they were?")
	s.pass(fence)
	for _, want := range []string{"a", "b"} {
		if c := s.wants(ownergraph.CallDelete, "it is labelled"); c.Key.Name != want || c.Options.Precondition.Version == "" || c.Options.Precondition.UID == "" {
			t.Errorf("%+v", c)
		}
	}
}

// TestSelectStale: an answer that is about another version than the graph shows
// deletes nothing, and is asked for again; nor does the holder go.
func TestSelectStale(t *testing.T) {
	s := labels(t, "volume/a#3")
	c := s.page("who is labelled?")
	s.put("volume/a#5") // while the answer is under way
	s.shows(c, "", "volume/a#3")
	s.wants(ownergraph.CallUnset, "at version 5 it may be labelled otherwise")
	again := s.page("how is it now?")
	s.shows(again, "")
	if !s.released() {
		t.Error("it has no such label any more, and nothing is left")
	}
}

// TestSelectAhead: what a selection shows, and the watch has not yet, holds the
// holder until it has.
func TestSelectAhead(t *testing.T) {
	for _, later := range []string{"volume/new#9", "volume/a#9"} { // created, or changed
		s := labels(t, "volume/a#3")
		if s.released(later) {
			t.Errorf("%s: there is somebody of whom nobody has seen anything", later)
		}
		s.put(later)
		c := s.next(ownergraph.LaneStore)
		for i := 0; c.Type == ownergraph.CallUnset && i < 50; i++ {
			switch x := s.next(ownergraph.LaneControl); x.Type {
			case ownergraph.CallSelect:
				s.shows(x, "", later)
			case ownergraph.CallFence:
				s.done(x, nil)
				s.pass(x.Fence)
			default:
				s.now = s.now.Add(time.Second)
			}
			c = s.next(ownergraph.LaneStore)
		}
		if c.Type != ownergraph.CallDelete || c.Options.Precondition.Version != "9" {
			t.Errorf("%s: %s %s, want its delete", later, c.Type, c.Key)
		}
	}
}

// TestSelectBeganBefore: a selection that began before the mark was known, or
// before the last member went, proves nothing of what is left.
func TestSelectBeganBefore(t *testing.T) {
	s := labels(t, "volume/a#3; volume/b#3")
	s.shows(s.page("who is labelled?"), "", "volume/a#3")
	s.pass(s.begin("a may go"))
	s.done(s.wants(ownergraph.CallDelete, "a is labelled"), nil)
	s.see(graph.Event{Type: graph.Gone, Key: keyOf(t, "volume/a")})
	c := s.page("who came meanwhile?")
	s.shows(c, "", "volume/b#3")
	if c := s.wants(ownergraph.CallDelete, "b is shown, and was there when the tenant was"); c.Key.Name != "b" {
		t.Errorf("%s", c.Key)
	}
}

// TestSelectUnsound: an answer that can be none proves nothing, and neither does
// one to what was asked before a rewind.
func TestSelectUnsound(t *testing.T) {
	volume := graph.Key{Kind: "volume", Name: "a", UID: "a"}
	for _, tc := range []struct {
		page   ownergraph.SelectPage
		reason string
	}{
		{ownergraph.SelectPage{Objects: []graph.LabelMatch{{Key: graph.Key{Kind: "pod", Name: "a", UID: "a"}, Version: "3"}}}, "another kind"},
		{ownergraph.SelectPage{Objects: []graph.LabelMatch{{Key: volume}}}, "no version"},
		{ownergraph.SelectPage{Objects: []graph.LabelMatch{{Key: volume.Place(), Version: "3"}}}, "no UID"},
	} {
		s := labels(t, "volume/a#3")
		c := s.page(tc.reason)
		if err := s.e.Done(s.now, c.ID, ownergraph.Result{Selected: tc.page}); err != nil {
			t.Fatal(err)
		}
		s.wants(ownergraph.CallUnset, tc.reason)
		if again := s.page(tc.reason); again.Select.After != "" {
			t.Errorf("%s: %+v, want the first page", tc.reason, again.Select)
		}
	}
	s := labels(t, "volume/a#3")
	c := s.page("who is labelled?")
	s.see(rewound())
	s.list("tenant", "volume")
	s.shows(c, "", "volume/a#3") // of a history that is no more: counts for nothing
	for _, o := range []string{"tenant/1#2~[x.io/tenant]", "volume/a#3"} {
		s.put(o)
	}
	if !s.released() {
		t.Error("nobody is labelled now")
	}
}

// TestSelectClone: a clone goes on from a selection that is under way, on
// its own.
func TestSelectClone(t *testing.T) {
	s := labels(t, "volume/a#3")
	c := s.page("who is labelled?")
	twin := stepped{s.T, probe.Clone(s.e), s.now}
	s.shows(c, "", "volume/a#3")
	if err := probe.Check(s.e); err != nil {
		t.Error(err)
	}
	if probe.Fingerprint(s.e, nil) == probe.Fingerprint(twin.e, nil) {
		t.Error("one has been answered, the other has not")
	}
	twin.shows(c, "", "volume/a#3")
	if err := probe.Check(twin.e); err != nil {
		t.Error(err)
	}
	if a, b := probe.Fingerprint(s.e, nil), probe.Fingerprint(twin.e, nil); a != b {
		t.Errorf("%x and %x after the same: %s", a, b, fmt.Sprint(s.e.Sweeps(1), twin.e.Sweeps(1)))
	}
}

// TestSelectBeforePhases: as long as it is not known who is labelled of one phase,
// the phase that waits for it does.
func TestSelectBeforePhases(t *testing.T) {
	sweep := labelled("")
	sweep.Members[0].Kinds = []graph.Kind{"pod", "volume"}
	sweep.Phases = []finalizer.Phase{{Kinds: []graph.Kind{"volume"}}, {Kinds: []graph.Kind{"pod"}, After: true}}
	s := newStepped(t, sweeping(sweep), "pod", "tenant", "volume")
	s.put("tenant/1#2~[x.io/tenant]; pod/p#3; volume/v#4")
	s.shows(s.page("which pods?"), "", "pod/p#3")
	volumes := s.page("which volumes?")
	s.pass(s.begin("the pod is labelled"))
	s.wants(ownergraph.CallUnset, "there may be volumes, which go first")
	s.shows(volumes, "", "volume/v#4")
	c := s.wants(ownergraph.CallDelete, "there is one")
	if c.Key.Kind != "volume" {
		t.Errorf("%s goes first", c.Key)
	}
	s.done(c, nil)
	s.wants(ownergraph.CallUnset, "it is not gone")
	s.see(graph.Event{Type: graph.Gone, Key: keyOf(t, "volume/v")})
	if c := s.wants(ownergraph.CallDelete, "no volume is left"); c.Key.Kind != "pod" {
		t.Errorf("%s", c.Key)
	}
}
