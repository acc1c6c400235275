package graph_test

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

func TestKeyText(t *testing.T) {
	for _, c := range []struct {
		key    graph.Key
		want   string
		reason string
	}{
		{graph.Key{Kind: "apps/Deployment", Scope: "shop", Name: "web", UID: "u"}, "Deployment.apps/shop/web", "the group follows the kind, and the UID is left out"},
		{graph.Key{Kind: "team", Name: "blue"}, "team/blue", "a global object of a kind without a group"},
		{graph.Key{Kind: "/Pod", Scope: "shop", Name: "web"}, "Pod/shop/web", "an empty group is none"},
		{graph.Key{Kind: "team", Name: "blue/green"}, `team/"blue/green"`, "a slash in a name would be a scope"},
		{graph.Key{Kind: "a/b.c", Name: "x"}, `"a/b.c"/x`, "a dot in a kind would begin a group"},
		{graph.Key{Kind: "team", Name: "red\x1b[31m"}, `team/"red\x1b[31m"`, "no name controls a terminal"},
	} {
		if got := c.key.Text(); got != c.want {
			t.Errorf("Text of %s = %s, want %s: %s", c.key, got, c.want, c.reason)
		}
	}
}

// TestOwnerResolve checks each rule of the scope of a reference.
func TestOwnerResolve(t *testing.T) {
	ref := func(scope string, unresolved bool) graph.Owner {
		return graph.Owner{Key: graph.Key{Kind: "team", Scope: scope, Name: "blue", UID: "u"}, Unresolved: unresolved, Block: true}
	}
	for _, c := range []struct {
		dependent      string // its scope
		in             graph.Owner
		scoped, served bool
		want           graph.Owner
		reason         string
	}{
		{"shop", ref("", false), true, true, ref("shop", false), "an owner of a scoped kind is in the scope of the dependent"},
		{"shop", ref("bank", false), true, true, ref("bank", false), "a scope that the writer gave stays"},
		{"", ref("", false), true, true, ref("", true), "a global dependent has no scope to give"},
		{"shop", ref("", false), false, true, ref("", false), "a global owner has no scope"},
		{"shop", ref("", false), false, false, ref("", true), "the scope of a kind that is not served is unknown"},
		{"shop", ref("bank", false), true, false, ref("bank", true), "a kind that is not served proves nothing"},
		{"shop", ref("", true), true, true, ref("", true), "a reference that was unresolved stays so: nothing says where its owner was"},
	} {
		dependent := graph.Key{Kind: "db", Scope: c.dependent, Name: "main"}
		if got := c.in.Resolve(dependent, c.scoped, c.served); got != c.want {
			t.Errorf("%v of %v = %v, want %v: %s", c.in, dependent, got, c.want, c.reason)
		}
	}
}
