package archive

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestOwners: the references of a new object name the present owners. A reference with other coordinates than its owner had
// keeps them.
func TestOwners(t *testing.T) {
	key := func(name, uid string) graph.Key { return graph.Key{Kind: "k", Name: name, UID: graph.UID(uid)} }
	entry := func(name string, owners ...graph.Key) Entry {
		e := Entry{Object: graph.Object{Key: key(name, name)}}
		for _, o := range owners {
			e.Object.Owners = append(e.Object.Owners, graph.Owner{Key: o, Block: true})
		}
		return e
	}
	back := entry("back")
	back.Restored = key("new", "back2")
	lives := func(u graph.UID) bool { return u == "back2" || u == "live" }
	for _, c := range []struct {
		owner  graph.Key
		want   graph.Key
		reason string
	}{
		{key("r", "r"), key("r", "r"), "the root comes back with it, under the key of its entry"},
		{key("other", "r"), key("other", "r"), "a wrong name stays"},
		{key("back", "back"), key("new", "back2"), "a restored owner has another key"},
		{key("other", "back"), key("other", "back2"), "a wrong name of a restored owner stays"},
		{key("other", "back2"), key("other", "back2"), "and so does one that names its present UID"},
		{key("live", "live"), key("live", "live"), "a living owner"},
		{key("gone", "gone"), graph.Key{}, "an owner that is gone has no reference"},
		{key("a", "a"), graph.Key{}, "the object itself has none"},
	} {
		entries := []Entry{entry("r"), back, entry("a", key("r", "r"), c.owner)}
		set := SetOf(World{Entries: entries, Lives: lives}, Request{Roots: []graph.UID{"r"}})
		var got graph.Key
		for _, m := range set.Members {
			for i, o := range m.Owners {
				if i > 0 || c.owner == (key("r", "r")) {
					got = o.Key
				}
				if !o.Block {
					t.Errorf("%s: the reference does not block any longer", c.reason)
				}
			}
		}
		if got != c.want {
			t.Errorf("%s: %s becomes %s, want %s", c.reason, c.owner, got, c.want)
		}
	}
}
