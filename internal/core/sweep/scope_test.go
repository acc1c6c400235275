package sweep

import (
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestInScope: an object is a holder in a scope for each sweep that selects it.
func TestInScope(t *testing.T) {
	other := byName()
	other.Finalizer, other.Holders = "a.io/tenant", func(o graph.Object) bool { return o.Name == "b" }
	for _, c := range []struct {
		kind        graph.Kind
		scope, name string
		want        []string
		reason      string
	}{
		{"tenant", "s", "a", []string{"x.io/tenant"}, "one sweep selects it"},
		{"tenant", "s", "b", []string{"a.io/tenant", "x.io/tenant"}, "both select it"},
		{"tenant", "", "b", nil, "without a scope it covers all"},
		{"volume", "s", "b", nil, "it is no holder"},
	} {
		r := newRig(t, byName(), other)
		o := graph.Object{Key: graph.Key{Kind: c.kind, Scope: c.scope, Name: c.name, UID: "u"}}
		if got := r.sw.InScope(o); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q: %s", o.Key, got, c.want, c.reason)
		}
	}
}
