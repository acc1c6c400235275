package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/judge"
)

// TestRestores plays rounds with an archive, whose restores are killed, too.
func TestRestores(t *testing.T) {
	from := *seed / 3 * 3 // such rounds have an archive
	t.Logf("-seed %d", from)
	for _, store := range []string{"sqlite", "postgres"} {
		t.Run(store, func(t *testing.T) {
			s, restored := start(t, store), 0
			for i := range uint64(3) {
				r := &round{site: s, seed: from + 3*i}
				res := play(t, r)
				if len(res.breaches) > 0 {
					t.Errorf("go run . -store %s -seed %d -rounds 1:\n%s\n%s", store, r.seed, judge.Text(res.breaches), res.history())
				}
				restored += res.counts["restored"]
			}
			if restored == 0 {
				t.Error("no object has come back")
			}
		})
	}
}

// TestPlantedRestores plants mistakes into a database after a restore of the object a.
func TestPlantedRestores(t *testing.T) {
	key := func(name, uid string) graph.Key {
		return graph.Key{Kind: kindTeam, Name: name, UID: graph.UID(uid)}
	}
	for _, tc := range []struct {
		reason string
		plant  func(c *judge.Content)
		want   string
	}{
		{"a sound restore", func(*judge.Content) {}, ""},
		{"an object is lost", func(c *judge.Content) { c.Objects = c.Objects[1:] }, "was there before"},
		{"an entry is lost", func(c *judge.Content) { c.Entries = c.Entries[:1] }, "the entry gone"},
		{"an object is there twice", func(c *judge.Content) { c.Objects = append(c.Objects, graph.Object{Key: key("a", "third")}) }, "an entry has it: false"},
		{"two entries have an object", func(c *judge.Content) { c.Entries[1].Restored = "new" }, "have the object"},
		{"a living object has an entry", func(c *judge.Content) { c.Entries = append(c.Entries, judge.Entry{UID: "stays"}) }, "lives"},
		{"the new object is gone", func(c *judge.Content) { c.Objects = c.Objects[:1] }, "without an entry"},
		{"its row is missing", func(c *judge.Content) { c.Rows = nil }, "row"},
		{"its owner is not there", func(c *judge.Content) { c.Objects[1].Owners = []graph.Owner{{Key: key("b", "gone")}} }, "is not there"},
	} {
		before := &judge.Content{Objects: []graph.Object{{Key: key("s", "stays")}}, Entries: []judge.Entry{{UID: "a", Row: true}, {UID: "gone"}}}
		after := &judge.Content{
			Objects: []graph.Object{{Key: key("s", "stays")}, {Key: key("a", "new")}}, Rows: []judge.Row{{UID: "new"}},
			Entries: []judge.Entry{{UID: "a", Row: true, Restored: "new"}, {UID: "gone"}},
		}
		tc.plant(after)
		found := restored(before, after)
		if is := slices.ContainsFunc(found, func(b judge.Breach) bool { return strings.Contains(b.Text, tc.want) }); is != (tc.want != "") {
			t.Errorf("%s: want %q, found:\n%s", tc.reason, tc.want, judge.Text(found))
		}
	}
}
