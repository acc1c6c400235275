package judge

import (
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestPlantedEntries plants mistakes into the archive of a sound database. A user has deleted the team old, and a collector the bucket
// oldbucket. A photo with a row of the user is gone, too.
func TestPlantedEntries(t *testing.T) {
	for _, tc := range []struct {
		reason string
		plant  func(c *Content)
		want   string
	}{
		{"a sound archive", func(*Content) {}, ""},
		{"an entry is lost", func(c *Content) { c.Entries = c.Entries[1:] }, "0 entries"},
		{"an object has two entries", func(c *Content) { c.Entries = append(c.Entries, c.Entries[1]) }, "2 entries"},
		{"a living object has an entry", func(c *Content) { c.Entries = append(c.Entries, Entry{UID: "uid-team"}) }, "lives"},
		{"an entry is of another database", func(c *Content) { c.Entries = append(c.Entries, Entry{UID: "uid-other"}) }, "no user created it"},
		{"the word of a user is lost", func(c *Content) { c.Entries[0].Explicit = false }, "not explicit"},
		{"a word that no user has said", func(c *Content) { c.Entries[1].Explicit = true }, "no user deleted it"},
		{"such a word may be of an agent", func(c *Content) { c.Entries[1].Explicit, c.Agents = true, true }, ""},
		{"a row is lost", func(c *Content) { c.Entries[2].Row = false }, "row"},
		{"a store without an archive", func(c *Content) { c.Entries, c.Archive = nil, false }, ""},
	} {
		s := newStory()
		s.delete("photo", graph.Background)
		s.gone("photo")
		s.content.Rows, s.content.Archive = nil, true
		s.content.Entries = []Entry{{UID: "uid-old", Explicit: true}, {UID: "uid-oldbucket"}, {UID: "uid-photo", Explicit: true, Row: true}}
		tc.plant(s.content)
		found := Judge(s.history, s.content)
		if is := slices.ContainsFunc(found, func(b Breach) bool { return b.Rule == "archive" && strings.Contains(b.Text, tc.want) }); is != (tc.want != "") || tc.want == "" && len(found) > 0 {
			t.Errorf("%s: want %q, found:\n%s", tc.reason, tc.want, Text(found))
		}
	}
}
