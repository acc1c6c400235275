package web

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
)

var many = flag.Int("objects", 20_000, "the `number` of objects of TestMany")

// TestMany: with very many objects below one owner, each page has a bounded size, a search finds
// the last object, and a plan has the sum alone. The collector goes on meanwhile.
func TestMany(t *testing.T) {
	m := memory.Config{}
	root := graph.Key{Kind: "root", Name: "root", UID: "root"}
	m.Objects = append(m.Objects, graph.Object{Key: root})
	for i := range *many {
		m.Objects = append(m.Objects, graph.Object{
			Key:    graph.Key{Kind: "pod", Name: fmt.Sprintf("web-%07d", i), UID: graph.UID(fmt.Sprintf("u%07d", i))},
			Owners: []graph.Owner{{Key: root}},
		})
	}
	r := newRigOf(t, m, Config{MaxPlan: 1000})
	last := fmt.Sprintf("web-%07d", *many-1)
	for _, c := range []struct {
		page, want string
		code       int
	}{
		{"", count(*many + 1), 200}, {"held", "No object is held", 200}, {"search", "Next page", 200}, {"search?name=" + last, last, 200},
		{"search?kind=pod&after=pod/" + last + "&afteruid=x", "No object fits", 200}, {"object?key=root/root", "More objects are around this one", 200},
		{"object?key=pod/" + last, last, 200}, {"tree.svg?key=root/root", "<svg", 200}, {"tree.svg?key=root/root&all", "<svg", 200},
		{"plan?key=root/root", count(*many+1) + " objects. A deletion removes at most these", 200}, {"deletions", "No deletion is under way", 200},
		{"object?key=root/root&from=550", "Next dependents", 200}, {"cascade?key=root/root", "This page waits", 200},
	} {
		began := time.Now()
		w := r.get(c.page)
		t.Logf("%q: %d bytes in %v", c.page, w.Body.Len(), time.Since(began).Round(time.Millisecond))
		if r.contains(w, c.code, c.want); w.Body.Len() > 250_000 || r.json(c.page).Body.Len() > 250_000 {
			t.Errorf("%q has %d bytes", c.page, w.Body.Len())
		}
	}
}
