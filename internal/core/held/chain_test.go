package held

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// names returns the names of the kinds of nodes, with spaces between them.
func names(g *graph.Graph, ids []graph.NodeID) (text string) {
	for i, id := range ids {
		if i > 0 {
			text += " "
		}
		text += string(g.Node(id).Kind())
	}
	return text
}

// TestHolding: the dependents that hold an object stand by key, within the bounds, beside the number
// of all of them.
func TestHolding(t *testing.T) {
	many := "a#1~[foreground]"
	for i := range 20 {
		many += fmt.Sprintf("; d%02d#1 -> a!", i)
	}
	for _, c := range []struct {
		objects    string
		most, look int
		want       string
		total      int
		reason     string
	}{
		{"a#1~[foreground]", 8, 16, "", 0, "no dependent"},
		{"a#1~[foreground]; d#1 -> a!; c#1 -> a!; e#1 -> a", 8, 16, "c d", 2, "only a blocking reference holds an owner"},
		{"a#1~[orphan]; d#1 -> a!; c#1 -> a", 8, 16, "c d", 2, "an orphaning owner waits for each reference"},
		{"a#1~[foreground]; d#1 -> a!, a!", 8, 16, "d", 2, "a dependent with two references stands once"},
		{many, 3, 16, "3 nodes", 20, "the first ones"},
		{many, 8, 2, "2 nodes", 20, "it looks no further"},
	} {
		g, n := storedIn(t, c.objects)
		ids, total := Holding(g, n, c.most, c.look)
		got := names(g, ids)
		if total > 8 {
			got = fmt.Sprintf("%d nodes", len(ids))
		}
		if got != c.want || total != c.total {
			t.Errorf("%s: %q of %d, want %q of %d", c.reason, got, total, c.want, c.total)
		}
	}
}

// TestRestrictedBy: the restricting objects stand by key, within the bound, beside the number of all.
func TestRestrictedBy(t *testing.T) {
	for _, c := range []struct {
		objects string
		look    int
		want    string
		total   int
		reason  string
	}{
		{"a#1; d#1 -> a", 8, "", 0, "an unset reference restricts nothing"},
		{"a#1; d#1 -> a:restrict; c#1 -> a:restrict; e#1~[x] -> a:restrict", 8, "c d", 2, "a mark ends a restriction"},
		{"a#1; c#1 -> a:restrict; d#1 -> a:restrict; e#1 -> a:restrict", 2, "d e", 3, "it looks no further, the newest first"},
	} {
		g, n := storedIn(t, c.objects)
		if ids, total := RestrictedBy(g, n, c.look); names(g, ids) != c.want || total != c.total {
			t.Errorf("%s: %q of %d, want %q of %d", c.reason, names(g, ids), total, c.want, c.total)
		}
	}
}

// TestContents: the observed members of a container stand by key, behind the marked ones, which wait
// for something.
func TestContents(t *testing.T) {
	for _, c := range []struct {
		objects string
		look    int
		want    string
		reason  string
	}{
		{"ns/s#1", 16, "", "an empty container"},
		{"ns/s#1; b/s/y#1; b/s/x#1; b/t/z#1", 16, "b/s/x b/s/y", "those of its scope, by key"},
		{"ns/s#1; b/s/x#1; b/s/y#1~[f]; b/s/w#1~[f]", 16, "b/s/w b/s/y b/s/x", "the marked ones come first"},
		{"ns/s#1; b/s/x#1 -> b/s/y", 16, "b/s/x", "an object that only a reference names is no member"},
		{"ns/s#1; b/s/x#1; b/s/y#1; b/s/z#1", 2, "2 members", "it looks no further"},
	} {
		g := graph.New(graph.Config{})
		kinds := graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{
			{Kind: "ns", Container: graph.Container{Members: graph.ScopeMembers, Actor: "the janitor"}}, {Kind: "b", Scoped: true},
		}}
		all, err := graph.Parse(c.objects)
		if err == nil {
			_, err = g.Apply(kinds)
		}
		var ns graph.Node
		for _, o := range all {
			d, putErr := g.Apply(graph.Event{Type: graph.Put, Object: o})
			if err = errors.Join(err, putErr); o.Kind == "ns" && putErr == nil {
				ns = g.Node(d.Node)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, id := range Contents(g, ns, c.look) {
			names = append(names, g.Node(id).Key().Text())
		}
		got := strings.Join(names, " ")
		if len(names) > 0 && c.look < len(all)-1 {
			got = fmt.Sprintf("%d members", len(names))
		}
		if got != c.want {
			t.Errorf("%s: %s: %q, want %q", c.objects, c.reason, got, c.want)
		}
	}
}
