package ownergraph_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
)

// goneSummary returns the facts about an object that is gone in one line: the finding about
// garbage, the roots, and the proof.
func goneSummary(x *explain.Explanation) string {
	d := x.Deletion
	if x.State != explain.Gone || d == nil {
		return fmt.Sprintf("%s, no deletion", x.State)
	}
	out := []string{d.Garbage.String()}
	root := "root"
	if d.Root.Nearest {
		root = "near"
	}
	for _, k := range d.Root.Keys {
		root += " " + k.Name
	}
	out = append(out, root)
	if d.Unseen {
		out = append(out, "unseen")
	}
	if p := d.Proof; p != nil {
		out = append(out, fmt.Sprintf("certain %t, version %s, %s", p.Certain, p.Version, p.Decision.Reason.Code()))
		for _, o := range p.Owners {
			out = append(out, fmt.Sprintf("%s %s %s", o.Name, o.Class, o.Evidence))
		}
	}
	return strings.Join(out, "; ")
}

// TestExplainGone checks X4: the explanation of an object that is gone has the proof of this
// engine's delete, or says that another writer deleted it.
func TestExplainGone(t *testing.T) {
	refused := fmt.Errorf("no: %w", ownergraph.ErrRefused)
	deleted := func(err error) func(s *stepped) {
		return func(s *stepped) {
			s.put("a#1; b#7 -> a")
			s.see(gone("a"))
			s.done(s.wants(engine.CallDelete, "the owner is gone"), err)
			s.see(gone("b"))
		}
	}
	for _, c := range []struct {
		name         string
		do           func(s *stepped)
		want, reason string
	}{
		{"deleted", deleted(nil), "garbage; root a; certain true, version 7, OwnersGone; a dangling watch-saw-go", "the proof has each owner"},
		{"no answer", deleted(errors.New("no answer")), "garbage; root a; certain false, version 7, OwnersGone; a dangling watch-saw-go", "the outcome is unknown"},
		{"refused", deleted(refused), "garbage; root a", "another writer did it"},
		{"given back", deleted(ownergraph.ErrNotBegun), "garbage; root a", "another writer did it before the engine asked again"},
		{"a read", func(s *stepped) {
			s.put("b#7 -> a")
			s.done(s.wants(engine.CallRead, "the owner is unknown"), ownergraph.ErrNotFound)
			s.done(s.wants(engine.CallDelete, "the owner is gone"), nil)
			s.see(gone("b"))
		}, "garbage; near a; certain true, version 7, OwnersGone; a dangling read-found-nothing", "the watch never showed the owner, so it stands in for the root"},
		{"a user", func(s *stepped) { s.put("a#1; b#7 -> a"); s.see(gone("b")) }, "no-garbage; root b", "its owner exists"},
		{"unknown owner", func(s *stepped) { s.put("b#7 -> a"); s.see(gone("b")) }, "unknown; near", "its owner was never seen"},
		{"a listing", func(s *stepped) {
			s.put("b#7")
			s.see(graph.Event{Type: graph.ListBegun, Kind: "b"}, graph.Event{Type: graph.ListEnded, Kind: "b"})
			s.run(nil)
		}, "no-garbage; root b; unseen", "the listing does not bring it"},
		{"still referred to", func(s *stepped) {
			s.put("a#1; b#7 -> a; c#1 -> b")
			s.see(gone("a"))
			s.done(s.wants(engine.CallDelete, "the owner is gone"), nil)
			s.see(gone("b"))
		}, "garbage; root a; certain true, version 7, OwnersGone; a dangling watch-saw-go", "a dependent keeps its node"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStepped(t, ownergraph.Config{OwnerName: graph.NameAbsent}, "a", "b", "c")
			s.now = s.now.Add(time.Hour)
			c.do(&s)
			for _, key := range []graph.Key{keyOf(t, "b"), {Kind: "b", Name: "b"}} {
				x, err := s.e.Explain(key)
				if err != nil {
					t.Fatal(err)
				}
				if got := goneSummary(&x); got != c.want || !x.Changed.Equal(s.now) || x.Deletion.Object.Version != "7" {
					t.Errorf("%s: got\n%s\nwant\n%s\n%s", key, got, c.want, c.reason)
				}
			}
		})
	}
}

// TestExplainForgotten: without a history an object that is gone is known by its UID alone,
// as an absent owner. A rewind makes even that unknown until the kind is listed again.
func TestExplainForgotten(t *testing.T) {
	s := newStepped(t, ownergraph.Config{History: -1}, "a")
	s.put("a#1")
	s.see(gone("a"))
	if x, err := s.e.Explain(keyOf(t, "a")); err != nil || x.State != explain.Gone || x.Deletion != nil {
		t.Errorf("%+v, error %v", x, err)
	}
	if _, err := s.e.Explain(graph.Key{Kind: "a", Name: "a"}); !errors.Is(err, ownergraph.ErrNotFound) {
		t.Errorf("without its UID: error %v", err)
	}
	s = newStepped(t, ownergraph.Config{}, "a")
	s.put("a#1")
	s.see(gone("a"))
	s.see(graph.Event{Type: graph.Rewound, Reason: "restored"})
	if _, err := s.e.Explain(keyOf(t, "a")); !errors.Is(err, ownergraph.ErrNotFound) || !strings.Contains(err.Error(), "rewind") {
		t.Errorf("after a rewind: error %v", err)
	}
	s.now = s.now.Add(time.Second)
	s.see(graph.Event{Type: graph.ListBegun, Kind: "a"}, graph.Event{Type: graph.ListEnded, Kind: "a"})
	s.run(nil)
	if x, err := s.e.Explain(keyOf(t, "a")); err != nil || goneSummary(&x) != "no-garbage; root a" {
		t.Errorf("after the listing: %s, error %v", goneSummary(&x), err)
	}
}
