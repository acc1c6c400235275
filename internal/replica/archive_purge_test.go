package replica

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// TestPurgeBesideRestore: a cascade entry is restored as a root, after the time of the entry that it hangs from. What hangs from it
// does not expire meanwhile. Without the word for a root it does.
func TestPurgeBesideRestore(t *testing.T) {
	for _, root := range []bool{true, false} {
		s, c := newArchive(t, "node/a@a1; pod/ns/b@b1 -> node/a@a1; pod/ns/c@c1 -> pod/ns/b@b1", archive.Config{Keep: time.Hour})
		for name, cause := range map[string]*graph.Cause{"node/a": nil, "pod/ns/b": {}, "pod/ns/c": {}} {
			done, err := s.Delete(key(t, name), graph.DeleteOptions{Cause: cause})
			ok(t, done, err)
		}
		c.now = c.now.Add(2 * time.Hour)
		if _, _, err := s.RestoreEntries([]archive.Item{{UID: "b1", Root: root, Scope: "ns", Name: "b"}}); err != nil {
			t.Fatal(err)
		}
		want := map[bool]int{true: 1, false: 3}[root]
		if n, _, err := s.PurgeEntries(nil); err != nil || n != want {
			t.Errorf("root %t: %d entries are purged, %v, want %d", root, n, err, want)
		}
		c.now = c.now.Add(time.Hour)
		if n, _, err := s.PurgeEntries(nil); err != nil || n != 3-want {
			t.Errorf("root %t: %d more entries are purged after the time of the root, %v, want %d", root, n, err, 3-want)
		}
	}
}
