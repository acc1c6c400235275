package ownergraph_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/probe"
)

// labels returns an engine that sweeps tenant 1 by labels, of volumes alone.
func labels(t *testing.T, objects string) *stepped {
	t.Helper()
	sweep := labelled("")
	sweep.Members[0].Kinds = []graph.Kind{"volume"}
	s := newStepped(t, sweeping(sweep), "tenant", "volume")
	s.put("tenant/1#2~[x.io/tenant]; " + objects)
	return &s
}

// released answers every selection and fence of the engine, and reports whether its
// next write drops the finalizer.
func (s *stepped) released(answers ...string) bool {
	s.Helper()
	for range 50 {
		if c := s.next(engine.LaneStore); c.Type != engine.CallUnset {
			return c.Type == engine.CallPatch && c.Change.DropFinalizer == "x.io/tenant"
		}
		switch c := s.next(engine.LaneControl); c.Type {
		case engine.CallSelect:
			s.shows(c, "", answers...)
		case engine.CallFence:
			s.done(c, nil)
			s.pass(uint64(c.ID))
		default:
			s.now = s.now.Add(time.Second)
		}
	}
	return false
}

// TestSelectUnsound: an invalid page proves nothing, and the engine asks for the first
// page again. The answer to a selection from before a rewind proves nothing either.
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
		if err := s.e.Done(s.now, c.ID, engine.Result{Selected: tc.page}); err != nil {
			t.Fatal(err)
		}
		s.wants(engine.CallUnset, tc.reason)
		if again := s.page(tc.reason); again.Select.After != "" {
			t.Errorf("%s: %+v, want the first page", tc.reason, again.Select)
		}
	}
	s := labels(t, "volume/a#3")
	c := s.page("the labelled objects are unknown")
	s.see(rewound())
	s.list("tenant", "volume")
	s.shows(c, "", "volume/a#3") // of the former history, so it does not count
	for _, o := range []string{"tenant/1#2~[x.io/tenant]", "volume/a#3"} {
		s.put(o)
	}
	if !s.released() {
		t.Error("the finalizer stays, and no object is labelled now")
	}
}

// TestSelectClone: a clone has the selection that is under way, and goes on without the
// original.
func TestSelectClone(t *testing.T) {
	s := labels(t, "volume/a#3")
	c := s.page("the labelled objects are unknown")
	clone := stepped{s.T, probe.Clone(s.e), s.now}
	s.shows(c, "", "volume/a#3")
	if err := probe.Check(s.e); err != nil {
		t.Error(err)
	}
	if probe.Fingerprint(s.e, nil) == probe.Fingerprint(clone.e, nil) {
		t.Error("one has been answered, the other has not")
	}
	clone.shows(c, "", "volume/a#3")
	if err := probe.Check(clone.e); err != nil {
		t.Error(err)
	}
	if a, b := probe.Fingerprint(s.e, nil), probe.Fingerprint(clone.e, nil); a != b {
		t.Errorf("%x and %x after the same: %s", a, b, fmt.Sprint(s.e.Sweeps(1), clone.e.Sweeps(1)))
	}
}

// named returns the members of these kinds that belong to a holder by their names.
func named(kinds ...graph.Kind) guard.Members {
	return guard.Members{By: guard.ByName, Delimiter: "-", Kinds: kinds}
}

// spaces returns two sweeps. Tenants have namespaces by a label, and both have volumes
// by name.
func spaces(also ...guard.Members) ownergraph.Config {
	labelled := guard.Members{By: guard.ByLabel, Label: "x.io/of", Kinds: []graph.Kind{"ns"}}
	return sweeping(
		guard.Sweep{Finalizer: "x.io/tenant", Holder: "tenant", Members: append([]guard.Members{named("volume", "disk"), labelled}, also...)},
		guard.Sweep{Finalizer: "x.io/ns", Holder: "ns", Members: []guard.Members{named("volume")}},
	)
}

// until lets the engine work for a time, and returns the number of fences before the
// delete of a volume. It returns -1 if no volume is deleted. The selections show these
// objects at that value. At most this number of fences passes. The delete of a namespace
// is refused.
func (s *stepped) until(d time.Duration, most int, value string, labelled ...string) int {
	s.Helper()
	fences := 0
	for end := s.now.Add(d); s.now.Before(end); s.now = s.now.Add(100 * time.Millisecond) {
		for range 5 {
			for _, lane := range []engine.Lane{engine.LaneStore, engine.LaneControl} {
				switch c := s.next(lane); {
				case c.Type == engine.CallSelect:
					s.showsOf(c, value, labelled...)
				case c.Type == engine.CallFence && fences < most:
					fences++
					s.done(c, nil)
					s.pass(uint64(c.ID))
				case c.Type == engine.CallDelete && c.Key.Kind == "volume":
					return fences
				case c.Type == engine.CallDelete && c.Key.Kind == "ns":
					s.done(c, graph.ErrRefused)
				}
			}
		}
	}
	return -1
}

const many = 1000

// showsOf answers a selection with its share of the objects "key#version". All of them
// carry the value.
func (s *stepped) showsOf(c engine.Call, value string, objects ...string) {
	s.Helper()
	var shown []string
	only := strings.Contains(c.Select.Selector, " in (")
	for _, text := range objects {
		if strings.HasPrefix(text, string(c.Select.Kind)+"/") && (!only || strings.Contains(c.Select.Selector, value)) {
			shown = append(shown, text)
		}
	}
	s.selected(c, "", value, shown...)
}

// TestSweepProofStaleByLabel: a live namespace contests a volume of the tenant, until a
// label makes the namespace the tenant's own. No proof since then shows the tenant, so the
// volume waits for one more fence.
func TestSweepProofStaleByLabel(t *testing.T) {
	for _, tc := range []struct{ before, value, reason string }{
		{"", "", "it had no label"}, {"ns/1#1", "2", "it had another one"}, {"ns/1#2", "1", "the label was shown before the version"},
	} {
		s := newStepped(t, spaces(guard.Members{By: guard.ByFunc, Named: func(graph.Object) string { return "" }}), "tenant", "ns", "volume", "disk")
		s.put("tenant/1#2~[x.io/tenant,x.io/z]; ns/1#1[x.io/ns]; volume/1-a#1")
		var before []string
		if tc.before != "" {
			before = []string{tc.before}
		}
		if n := s.until(10*time.Second, many, tc.value, before...); n >= 0 {
			t.Fatalf("deleted after %d fences: a namespace, which lives, has a claim on it", n)
		}
		s.put("ns/1#2[x.io/ns]")
		if n := s.until(20*time.Second, many, "1", "ns/1#2"); n != 1 {
			t.Errorf("deleted after %d fences, want one since the label was known: %s", n, tc.reason)
		}
	}
}

// TestSweepProofStaleByLabelReturn: a selection shows that the label is gone, and then the
// label comes back. The namespace contested the volume in between. The volume waits for a
// fence that begins after the return.
func TestSweepProofStaleByLabelReturn(t *testing.T) {
	cfg := spaces()
	cfg.Sweeps[0].Phases = []guard.Phase{{Kinds: []graph.Kind{"disk"}}, {Kinds: []graph.Kind{"volume"}, After: true}}
	s := newStepped(t, cfg, "tenant", "ns", "volume", "disk")
	s.put("tenant/1#2~[x.io/tenant,x.io/z]; ns/1#1[x.io/ns]; volume/1-a#1; disk/1-b#1")
	if n := s.until(20*time.Second, many, "1", "ns/1#1"); n >= 0 {
		t.Fatal("the volume's phase waits for the disk")
	}
	s.put("ns/1#2[x.io/ns]")
	s.shows(s.page("the new version may have other labels"), "")
	s.put("ns/1#3[x.io/ns]")
	s.see(graph.Event{Type: graph.Gone, Key: keyOf(t, "disk/1-b")})
	if n := s.until(time.Minute, 0, "1", "ns/1#3"); n >= 0 {
		t.Error("deleted without a fence since the label is back")
	}
}
