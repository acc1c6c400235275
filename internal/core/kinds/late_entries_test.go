package kinds

import (
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestLateEntries: the entries about former waits are dropped, and a set of many kinds has none.
// The entries are looked at together only when they are twice as many, so the sum of these looks
// grows as their number does.
func TestLateEntries(t *testing.T) {
	const kinds = 5000
	var l lateness
	looks, before := 0, 0
	for i := range kinds {
		l.add(due{time.Unix(int64(i), 0), graph.Kind(fmt.Sprint(i))}, 0) // the names are not there yet
		if l.most != before {
			looks, before = looks+l.most/2, l.most
		}
	}
	if len(l.list) != kinds || looks > 2*kinds {
		t.Errorf("%d entries, and %d looks, want %d and at most twice as many", len(l.list), looks, kinds)
	}
	for i := range 10 * kinds {
		l.add(due{time.Unix(int64(kinds+i), 0), graph.Kind(fmt.Sprint(i % kinds))}, kinds)
	}
	if most := 4*kinds + 64; len(l.list) > most {
		t.Errorf("%d entries of %d kinds, want %d at most", len(l.list), kinds, most)
	}
}
