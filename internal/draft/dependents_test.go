package draft

import (
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/plan"
)

// TestDependents: a part that orphans has the dependents with its UID. Another part has the ones
// with its coordinates.
func TestDependents(t *testing.T) {
	absent := observed.Config{Scope: graph.ScopeAbsent, OwnerName: graph.NameAbsent}
	for _, c := range []struct {
		objects string // the first one is deleted
		as      graph.Propagation
		set     observed.Config
		want    string
		reason  string
	}{
		{"a/o@o; a/p@p; b -> a/x@o", graph.Orphan, observed.Config{}, "[[2] [] []]", "the user asks for it"},
		{"a/o@o; a/p@p; b -> a/x@o", graph.Background, observed.Config{}, "[[] [] []]", "no orphaning"},
		{"a/o@o[orphan]; a/p@p; b -> a/x@o", graph.Unset, observed.Config{}, "[[2] [] []]", "the object carries it"},
		{"a/o@o[orphan]; a/p@p; b -> a/x@o", graph.Foreground, observed.Config{}, "[[] [] []]", "the user overrides it"},
		{"a/o@o; a/p@p[orphan]; b -> a/x@p", graph.Foreground, observed.Config{}, "[[] [2] []]", "another object carries it"},
		{"a/o@o; a/p@p; b -> a/x@o", graph.Orphan, absent, "[[] [] []]", "the settings read the name as absent"},
		{"a/o@o; a/p@p; b -> a/x@o, a/o@o, a/x@o?", graph.Orphan, absent, "[[2 2] [] []]", "right and unresolved coordinates"},
		{"a/o@o -> a/x@o; a/p@p; b", graph.Orphan, observed.Config{}, "[[] [] []]", "a self-reference never counts"},
		{"a/o@o; a/p@p; b -> a/x@q?, a/y@q", graph.Orphan, observed.Config{}, "[[] [] []]", "no part has the UID"},
		{"p/s/o@o; p/t/p@p; p/t/b -> p/t/o@o", graph.Orphan, observed.Config{Scope: graph.ScopeAbsent}, "[[] [] []]", "another scope is absent"},
		{"p/s/o@o; p/t/p@p; p/s/b -> p/t/x@o", graph.Orphan, observed.Config{Scope: graph.ScopeAbsent}, "[[2] [] []]", "the engine looks in the scope of the dependent"},
	} {
		objects, err := graph.Parse(c.objects)
		if err != nil {
			t.Fatal(err)
		}
		parts := make([]excerpt.Part, len(objects))
		for i, o := range objects {
			parts[i] = excerpt.Part{Object: o, State: excerpt.Exists, Member: true}
		}
		x := NewIndex(parts)
		targets := []plan.Target{{Key: objects[0].Key, Propagation: c.as}}
		if got := fmt.Sprint(x.Dependents(targets, &c.set)); got != c.want {
			t.Errorf("%s, %s: %s, want %s: %s", c.objects, c.as, got, c.want, c.reason)
		}
	}
}
