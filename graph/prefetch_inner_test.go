package graph_test

import (
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

const someUUID = "0123abcd-4567-89ef-0a1b-c2d3e4f50617"

func putOf(uid string) graph.Event {
	o := graph.Object{Version: "1"}
	o.Kind, o.Name, o.UID = "a", "x", graph.UID(uid)
	return graph.Event{Type: graph.Put, Object: o}
}

// TestPrefetchOfAnother: the result of Prefetch for one UID is not used for an event
// about another UID. The UIDs may differ in any byte, and other events may come before.
func TestPrefetchOfAnother(t *testing.T) {
	for i := range len(someUUID) {
		w := play(t, graph.Config{}, "kinds a")
		feed(t, w.Graph, putOf(someUUID))
		other := putOf(someUUID[:i] + "9" + someUUID[i+1:])
		for _, batch := range [][]graph.Event{{other}, {putOf(someUUID)}, {other}} {
			w.Inside(inside.Key{}).Prefetch(batch)
		}
		e := putOf(someUUID)
		if d, err := w.Inside(inside.Key{}).ApplyEvent(&e); err != nil || d.Created || d.Version {
			t.Errorf("%+v, %v: %s was taken for %s", *d, err, e.Object.UID, other.Object.UID)
		}
		if err := w.Check(); err != nil || w.Len() != 1 {
			t.Errorf("%d nodes, %v", w.Len(), err)
		}
	}
}

// TestLastOwnerLeaves: the last owner leaves with its page. The record of no node looks
// like the claim on a UUID of zeros.
func TestLastOwnerLeaves(t *testing.T) {
	claim := graph.Owner{Key: graph.Key{UID: "00000000-0000-0000-0000-000000000000"}, Unresolved: true}
	for _, before := range []int{0, 511} { // the owner's page is the first page, or another one
		w := play(t, graph.Config{}, "kinds a")
		for i := range before {
			feed(t, w.Graph, putOf(fmt.Sprintf("0123abcd-4567-89ef-0a1b-%012x", i)))
		}
		e := putOf("0123abcd-4567-89ef-0a1b-000000000000")
		for _, owners := range [][]graph.Owner{{{Key: putOf(someUUID).Object.Key}}, nil, {claim}} {
			e.Object.Owners = owners
			w.do(t, e)
		}
		n, _ := w.Lookup(e.Object.Key)
		if owner, ok := n.OwnerNode(0); !ok || owner.State() != graph.Phantom || owner.Key() != claim.Key {
			t.Errorf("the claim leads to %s, which is %s", owner.Key(), owner.State())
		}
		if err := w.Check(); err != nil {
			t.Error(err)
		}
	}
}
