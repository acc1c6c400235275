package draft

import (
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/plan"
)

// TestDependents: a part that orphans has the dependents with its UID. Another part has the ones
// with its coordinates. The others with its UID are below it, if the settings keep them with it.
func TestDependents(t *testing.T) {
	absent := graph.Config{Scope: graph.ScopeAbsent, OwnerName: graph.NameAbsent}
	scopes, names := graph.Config{Scope: graph.ScopeAbsent}, graph.Config{OwnerName: graph.NameAbsent}
	for _, c := range []struct {
		objects string // the first one is deleted
		as      graph.Propagation
		set     graph.Config
		want    string
		below   string // as want if empty
		reason  string
	}{
		{"a/o@o; a/p@p; b -> a/x@o", graph.Orphan, graph.Config{}, "[[2] [] []]", "", "the user asks for it"},
		{"a/o@o; a/p@p; b -> a/x@o", graph.Background, graph.Config{}, "[[] [] []]", "[[2] [] []]", "no orphaning, so it goes after the owner"},
		{"a/o@o[orphan]; a/p@p; b -> a/x@o", graph.Unset, graph.Config{}, "[[2] [] []]", "", "the object carries it"},
		{"a/o@o[orphan]; a/p@p; b -> a/x@o", graph.Foreground, graph.Config{}, "[[] [] []]", "[[2] [] []]", "the user overrides it"},
		{"a/o@o; a/p@p[orphan]; b -> a/x@p", graph.Foreground, graph.Config{}, "[[] [2] []]", "", "another object carries it"},
		{"a/o@o; a/p@p; b -> a/x@o", graph.Orphan, absent, "[[] [] []]", "", "the settings read the name as absent"},
		{"a/o@o; a/p@p; b -> a/x@o, a/o@o, a/x@o?", graph.Orphan, absent, "[[2 2] [] []]", "", "right and unresolved coordinates"},
		{"a/o@o -> a/x@o; a/p@p; b", graph.Orphan, graph.Config{}, "[[] [] []]", "", "a self-reference never counts"},
		{"a/o@o; a/p@p; b -> a/x@q?, a/y@q", graph.Orphan, graph.Config{}, "[[] [] []]", "", "no part has the UID"},
		{"p/s/o@o; p/t/p@p; p/t/b -> p/t/o@o", graph.Orphan, graph.Config{Scope: graph.ScopeAbsent}, "[[] [] []]", "", "another scope is absent"},
		{"p/s/o@o; p/t/p@p; p/t/b -> p/t/o@o", graph.Background, names, "[[] [] []]", "[[2] [] []]", "another scope alone, where names decide absence"},
		{"a/o@o; a/p@p; b -> a/x@o", graph.Background, names, "[[] [] []]", "", "another name is absent now, and not with the owner"},
		{"p/s/o@o; p/t/p@p; p/t/b -> p/t/o@o", graph.Background, scopes, "[[] [] []]", "", "another scope is absent now"},
		{"p/s/o@o; p/t/p@p; p/s/b -> p/s/x@o", graph.Background, scopes, "[[] [] []]", "[[2] [] []]", "another name alone, where scopes decide absence"},
		{"a/o@o; a/p@p; b -> c/o@o", graph.Background, graph.Config{}, "[[] [] []]", "", "another kind is absent now"},
		{"a/o@o; a/p@p; b -> a/p@p, a/x@o, a/x@o", graph.Background, graph.Config{}, "[[] [2] []]", "[[2 2] [2] []]", "another owner beside it"},
		{"a/o@o; a/p@p -> a/x@o; b -> a/x@p", graph.Background, graph.Config{}, "[[] [] []]", "[[1] [2] []]", "one below the other"},
		{"p/s/o@o; p/t/p@p; p/s/b -> p/t/x@o", graph.Orphan, graph.Config{Scope: graph.ScopeAbsent}, "[[2] [] []]", "", "the engine looks in the scope of the dependent"},
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
		dependents, below := x.Dependents(targets, &c.set)
		if got := fmt.Sprint(dependents); got != c.want {
			t.Errorf("%s, %s: %s, want %s: %s", c.objects, c.as, got, c.want, c.reason)
		}
		if c.below == "" {
			c.below = c.want
		}
		if got := fmt.Sprint(below); got != c.below {
			t.Errorf("%s, %s: below %s, want %s: %s", c.objects, c.as, got, c.below, c.reason)
		}
	}
}
