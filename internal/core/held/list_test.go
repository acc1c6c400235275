package held

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// listRig is a table in which two of three objects are held, and the held keys in order.
func listRig(t *testing.T, objects int) (*graph.Graph, *Table, []graph.Key) {
	t.Helper()
	g, x := graph.New(graph.Config{}), New()
	if _, err := g.Apply(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "pod"}}}); err != nil {
		t.Fatal(err)
	}
	var keys []graph.Key
	for i := range objects {
		o := graph.Object{Key: graph.Key{Kind: "pod", Name: fmt.Sprint(i * 7919 % 10007), UID: graph.UID(fmt.Sprint("u", i))}, Version: "1"}
		d, err := g.Apply(graph.Event{Type: graph.Put, Object: o})
		if err != nil {
			t.Fatal(err)
		}
		if i%3 > 0 {
			x.Put(d.Node, policy.StoreRefused, graph.DoubtUnset, start)
			keys = append(keys, o.Key)
		}
	}
	slices.SortFunc(keys, graph.Key.Compare)
	return g, &x, keys
}

// TestFirst: the first held objects come by key, however many are held.
func TestFirst(t *testing.T) {
	for _, c := range []struct {
		objects, limit int
		reason         string
	}{
		{0, 10, "nothing is held"},
		{300, 10, "a few of many"},
		{300, 1000, "all of many"},
		{300, 0, "none is asked for"},
	} {
		g, x, keys := listRig(t, c.objects)
		var got []graph.Key
		for _, id := range x.First(g, c.limit) {
			got = append(got, g.Node(id).Key())
		}
		if !slices.Equal(got, keys[:min(c.limit, len(keys))]) {
			t.Errorf("%s: %d objects, other than the first %d", c.reason, len(got), c.limit)
		}
	}
}

// TestFrom: the slices together have each held object once, and no slice looks at more
// than its share.
func TestFrom(t *testing.T) {
	for _, c := range []struct {
		objects, slices int
		reason          string
	}{
		{0, 1, "nothing is held"},
		{Slice, 1, "one slice has room for all"},
		{3*Slice + 5, 4, "many are held"},
	} {
		g, x, keys := listRig(t, c.objects)
		var found []Node
		n := 0
		for from, more := graph.NodeID(0), true; more; n++ {
			before := len(found)
			if found, from, more = x.From(g, found, from); len(found)-before > Slice {
				t.Errorf("%s: a slice finds %d objects", c.reason, len(found)-before)
			}
		}
		slices.SortFunc(found, func(a, b Node) int { return a.Key.Compare(b.Key) })
		same := slices.EqualFunc(found, keys, func(a Node, k graph.Key) bool { return a.Key == k && x.Is(g, a) })
		if !same || n != c.slices {
			t.Errorf("%s: %d objects in %d slices, want %d in %d", c.reason, len(found), n, len(keys), c.slices)
		}
	}
}

// TestEntries: the slices together show each held object once, and none shows more than its
// share.
func TestEntries(t *testing.T) {
	for _, c := range []struct {
		objects, slices int
		reason          string
	}{
		{0, 1, "nothing is held"},
		{Slice, 1, "one slice has room for all"},
		{3*Slice + 5, 4, "many are held"},
	} {
		g, x, keys := listRig(t, c.objects)
		n, shown := 0, 0
		for from, more := graph.NodeID(0), true; more; n++ {
			before := shown
			from, more = x.Entries(g, from, func(e Entry) {
				if shown++; e.Reason != policy.StoreRefused {
					t.Errorf("%s: an entry %+v", c.reason, e)
				}
			})
			if shown-before > Slice {
				t.Errorf("%s: a slice shows %d objects", c.reason, shown-before)
			}
		}
		if shown != len(keys) || n != c.slices {
			t.Errorf("%s: %d objects in %d slices, want %d in %d", c.reason, shown, n, len(keys), c.slices)
		}
	}
}
