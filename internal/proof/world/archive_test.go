package world

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// ended returns a world after a user's deletions of a and c.
func ended(t *testing.T) *World {
	t.Helper()
	start, err := graph.Parse("a; b -> a; c")
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(ownergraph.Level2, ownergraph.Config{}, 1, nil, start)
	if err != nil {
		t.Fatal(err)
	}
	w.Archives()
	for _, text := range []string{"bg a", "bg c"} {
		a, err := oracle.ParseAction(text)
		if err != nil {
			t.Fatal(err)
		}
		w.Do(a)
	}
	return w
}

// TestJudgeEntries: the judge finds an entry that is lost, one too many, and a false word.
func TestJudgeEntries(t *testing.T) {
	for _, c := range []struct {
		breaks func(a *archived)
		want   string
		reason string
	}{
		{func(*archived) {}, "", "the entries are right"},
		{func(a *archived) { a.entries = a.entries[1:] }, "a has 0 entries", "an entry is lost"},
		{func(a *archived) { a.entries = append(a.entries, a.entries[0]) }, "a has 2 entries", "an object has two"},
		{func(a *archived) { a.entries[0].Object.Key = graph.Key{Kind: "b", Name: "b", UID: "b"} }, "b", "a living object has one"},
		{func(a *archived) { a.reached = a.reached[1:] }, "a is explicit: true", "an engine's deletion is taken for one of a user"},
		{func(a *archived) {
			a.reached, a.entries[0].Restored = a.reached[1:], graph.Key{Kind: "a", Name: "a", UID: "back"}
		}, "", "it came back as a root"},
		{func(a *archived) { a.entries[1].Explicit = false }, "c is explicit: false", "a user's deletion is taken for one of an engine"},
	} {
		w := ended(t)
		c.breaks(&w.Store.archived)
		switch err := w.Store.JudgeEntries(); {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.reason, err, c.want)
		}
	}
}

// TestRestoreAll: all that users deleted comes back, and a second call makes nothing. A purge drops entries whose time is over.
func TestRestoreAll(t *testing.T) {
	w := ended(t)
	made, err := w.RestoreAll()
	if got := oracle.Line(made); err != nil || got != "a'; c'" {
		t.Errorf("made %q, %v", got, err)
	}
	if made, err = w.RestoreAll(); err != nil || len(made) > 0 {
		t.Errorf("the second call made %v, %v", made, err)
	}
	if err := w.PurgeEntries(1); err != nil || len(w.Store.Entries()) != 1 {
		t.Errorf("after the purge of one: %d entries, %v", len(w.Store.Entries()), err)
	}
	if made, err := w.RestoreEntries(archive.Request{Roots: []graph.UID{"a"}}); err != nil || len(made) > 0 {
		t.Errorf("a purged root made %v, %v", made, err)
	}
}
