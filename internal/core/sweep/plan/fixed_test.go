package plan

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// TestClaimsFixed: a claim is fixed only if it follows from the object's coordinates
// alone.
func TestClaimsFixed(t *testing.T) {
	byName := guard.Members{By: guard.ByName, Delimiter: "-"}
	where, owned, chosen := byName, guard.Members{By: guard.ByOwner}, byName
	where.Where = func(_, o graph.Object) bool { return !o.Deleting }
	chosen.Selector = "app"
	for _, tc := range []struct {
		members guard.Members
		except  func(graph.Object) bool
		want    bool
		reason  string
	}{
		{byName, nil, true, "a name never changes"},
		{guard.Members{By: guard.ByScope}, nil, true, "nor a scope"},
		{guard.Members{By: guard.ByKind, Delimiter: "."}, nil, true, "nor a kind"},
		{byName, func(o graph.Object) bool { return o.Deleting }, false, "the object may come to be excepted"},
		{where, nil, false, "it may be judged otherwise"},
		{owned, nil, false, "references change"},
		{chosen, nil, false, "labels change"},
		{guard.Members{By: guard.ByFunc, Named: func(o graph.Object) string { return "1" }}, nil, false, "a function may look at anything"},
	} {
		p, err := New(guard.Sweep{Finalizer: "x.io/t", Holder: "tenant", Members: []guard.Members{tc.members}, Except: tc.except})
		if err != nil {
			t.Fatalf("%s: %v", tc.reason, err)
		}
		o, err := graph.ParseObject("1.pod/1/1-a -> tenant/1")
		if err != nil {
			t.Fatal(err)
		}
		claims := 0
		for c := range p.ClaimsBy(o, func(int) (string, bool) { return "", true }) {
			if claims++; c.Fixed != tc.want {
				t.Errorf("fixed %t, want %t: %s", c.Fixed, tc.want, tc.reason)
			}
		}
		if claims == 0 {
			t.Errorf("it names no holder: %s", tc.reason)
		}
	}
}
