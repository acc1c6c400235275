package guards

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// TestMaySelect: kind, scope and name rule a node out without a copy of its object, and without a
// call of the function. A node that they do not rule out is compared in full.
func TestMaySelect(t *testing.T) {
	calls := 0
	where := func(graph.Object) bool { calls++; return false }
	for _, c := range []struct {
		kinds         []graph.Kind
		scopes, names []string
		line          string
		want          bool
		reason        string
	}{
		{nil, nil, nil, "s/s/x#1", true, "only the function tells"},
		{[]graph.Kind{"event"}, nil, nil, "s/s/x#1", false, "another kind"},
		{nil, []string{"t", ""}, nil, "s/s/x#1", false, "another scope"},
		{nil, []string{""}, nil, "a/x#1", true, "a global object"},
		{nil, nil, []string{"y", "xx"}, "s/s/x#1", false, "another name"},
		{[]graph.Kind{"event", "s"}, []string{"s"}, []string{"y", "x"}, "s/s/x#1", true, "all three"},
		{[]graph.Kind{"s"}, []string{"t"}, []string{"x"}, "s/s/x#1", false, "only the scope is another"},
	} {
		r := newRig(t, guard.Guard{Kinds: c.kinds, Scopes: c.scopes, Names: c.names, Where: where, Always: true})
		rules, err := newRules([]guard.Protection{{Kinds: c.kinds, Scopes: c.scopes, Names: c.names, Where: where}})
		if err != nil {
			t.Fatal(err)
		}
		n := r.nodes.Node(r.put(c.line))
		if got := r.m.MaySelect(n); got != c.want {
			t.Errorf("guard: %t: %s", got, c.reason)
		}
		if got := rules.MaySelect(n); got != c.want {
			t.Errorf("protection: %t: %s", got, c.reason)
		}
		if allocs := testing.AllocsPerRun(100, func() { r.m.MaySelect(n); rules.MaySelect(n) }); allocs > 0 || calls > 0 {
			t.Errorf("%v allocations and %d calls: %s", allocs, calls, c.reason)
		}
		if o := n.Object(); !c.want {
			if g, _ := r.m.Of(&o); g != nil || calls > 0 {
				t.Errorf("it is selected, or %d calls: %s", calls, c.reason)
			}
		}
	}
}
