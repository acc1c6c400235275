package ownergraph_test

import (
	"context"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/plan"
)

// containerDump returns a dump with two kinds of containers. Each ns has the objects of a scope,
// and the def widgets has all objects of the kind widget.
func containerDump(t *testing.T, objects string) ownergraph.Dump {
	t.Helper()
	list, err := graph.Parse(objects)
	if err != nil {
		t.Fatal(err)
	}
	return ownergraph.Dump{Objects: list, Kinds: []graph.KindInfo{
		{Kind: "tenant"}, {Kind: "pod", Scoped: true}, {Kind: "widget", Scoped: true, Definition: "widgets"}, {Kind: "node"},
		{Kind: "ns", Container: graph.Container{Members: graph.ScopeMembers, Actor: "the janitor", Finalizer: "janitor"}},
		{Kind: "def", Container: graph.Container{Members: graph.KindMembers, Actor: "the server"}},
	}}
}

// TestPlanContainer: the members of a container that goes are objects of the plan.
func TestPlanContainer(t *testing.T) {
	for _, c := range []struct {
		objects, root string
		removed, held int
		assumed       int // members that an actor deletes
		reason        string
	}{
		{"ns/shop[janitor]; pod/shop/a; pod/shop/b; pod/other/c", "ns/shop", 3, 0, 2, "a namespace takes its content along"},
		{"ns/shop; pod/shop/a", "ns/shop", 2, 0, 1, "without a finalizer the members go later"},
		{"ns/shop[janitor]", "ns/shop", 1, 0, 0, "an empty container"},
		{"tenant/t; ns/shop[janitor] -> tenant/t; pod/shop/a", "tenant/t", 3, 0, 1, "a container below the root"},
		{"ns/shop[janitor]; pod/shop/a[upload]; pod/shop/b", "ns/shop", 1, 2, 2, "the finalizer of a member holds the container"},
		{"ns/shop[janitor]; node/n; pod/shop/a -> node/n", "ns/shop", 2, 0, 1, "no owner keeps a member"},
		{"ns/shop[janitor]; pod/shop/a; pod/shop/b -> pod/shop/a", "ns/shop", 3, 0, 2, "a member below a member"},
		{"def/widgets; widget/x/a; widget/y/b; pod/x/c -> widget/x/a; pod/x/d", "def/widgets", 4, 0, 2, "a definition takes all instances along, and what hangs below them"},
		{"tenant/t; ns/shop[janitor] -> tenant/t; def/widgets -> tenant/t; widget/shop/a; pod/shop/b", "tenant/t", 5, 0, 2, "a member of two containers goes once"},
		{"ns/shop~[janitor]; pod/shop/a; tenant/t", "tenant/t", 1, 0, 0, "a container that goes anyway is no part of the plan"},
	} {
		d := containerDump(t, c.objects)
		var removed, held, assumed int
		p, err := ownergraph.PlanDump(context.Background(), d, ownergraph.Config{}, plan.Request{Delete: []plan.Target{{Key: keyOf(t, c.root)}}})
		if err != nil {
			t.Fatalf("%s: %v", c.objects, err)
		}
		for _, o := range p.Objects {
			switch o.Outcome {
			case plan.Removed:
				removed++
			case plan.Held:
				held++
			}
		}
		for _, a := range p.Assumptions {
			if a.Type == plan.MembersRemoved {
				assumed += a.Count
			}
		}
		if removed != c.removed || held != c.held || assumed != c.assumed {
			t.Errorf("%s: %d removed, %d held, %d by actors; want %d, %d, %d: %s\n%s\n%s", c.objects, removed, held, assumed, c.removed, c.held, c.assumed, c.reason, p.Text(), p.StepsText())
		}
	}
}

// TestPlanContainerVerdict: a guard counts the members of a container, and meets the protected
// ones, which the actor of the container deletes all the same.
func TestPlanContainerVerdict(t *testing.T) {
	limit := 2
	protect := []guard.Protection{{Names: []string{"b"}}}
	for _, c := range []struct {
		objects   string
		guard     guard.Guard
		protect   []guard.Protection
		ends      int
		protected int
		reason    string
	}{
		{"tenant/t; ns/shop[janitor] -> tenant/t; pod/shop/a; pod/shop/b", guard.Guard{Above: &limit}, nil, 3, 0, "the container and two members"},
		{"tenant/t; ns/shop[janitor] -> tenant/t; pod/shop/a; pod/shop/b; pod/shop/c", guard.Guard{Above: &limit}, protect, 4, 0, "a protected member ends, too"},
		{"tenant/t; ns/shop[janitor] -> tenant/t; pod/shop/a; pod/shop/b", guard.Guard{Protected: true}, protect, 3, 1, "the guard meets the protected member"},
		{"tenant/t; ns/other[janitor] -> tenant/t; pod/shop/b", guard.Guard{Protected: true}, protect, 1, 0, "the protected object is no member"},
		{"tenant/t; pod/shop/b; tenant/u; ns/shop[janitor] -> tenant/t, tenant/u", guard.Guard{Protected: true}, protect, 0, 0, "the container stays"},
	} {
		c.guard.Names = []string{"t"}
		cfg := ownergraph.Config{Guards: []guard.Guard{c.guard}, Protect: c.protect}
		p, err := ownergraph.PlanDump(context.Background(), containerDump(t, c.objects), cfg, plan.Request{Delete: []plan.Target{{Key: keyOf(t, "tenant/t")}}})
		if err != nil || len(p.Verdicts) != 1 {
			t.Fatalf("%s: %d verdicts, %v", c.objects, len(p.Verdicts), err)
		}
		if v := p.Verdicts[0]; v.Ends != c.ends || len(v.Protected) != c.protected {
			t.Errorf("%s: %d end, protected %v, want %d and %d: %s", c.objects, v.Ends, v.Protected, c.ends, c.protected, c.reason)
		}
	}
}

// TestPlanContainerPossible: the actor of a container and the engine may delete a member in either
// order. Where the order counts, the plan calls the end possible.
func TestPlanContainerPossible(t *testing.T) {
	for _, c := range []struct{ objects, root, possible, reason string }{
		{"ns/a[janitor]; pod/a/p -> ns/a!; pod/a/q[x.io/f] -> pod/a/p!", "ns/a", "ns/a; pod/a/p; pod/a/q", "in the foreground the member waits for q, in the background it goes"},
		{"def/widgets; ns/a; widget/a/w[x.io/f] -> def/widgets!, ns/a", "def/widgets", "def/widgets; widget/a/w", "the engine takes the reference off an unmarked member alone"},
		{"ns/a[janitor]; pod/a/p[orphan] -> ns/a; pod/a/q[x.io/f] -> pod/a/p", "ns/a", "ns/a; pod/a/p; pod/a/q", "the engine's delete orphans q, and the janitor's does not"},
		{"def/widgets; widget/a/w[foreground] -> def/widgets; pod/a/q[x.io/f] -> widget/a/w!", "def/widgets", "def/widgets; pod/a/q; widget/a/w", "the engine's delete waits for q, and the server's does not"},
		{"def/widgets; tenant/t; widget/a/w[orphan] -> tenant/t; pod/a/q -> widget/a/w", "def/widgets", "", "the engine does not delete the member"},
		{"ns/a[janitor]; pod/a/p[x.io/f] -> ns/a!", "ns/a", "", "the member stays either way"},
		{"ns/a[janitor]; pod/a/p -> ns/a!; pod/a/q -> pod/a/p!", "ns/a", "", "all go either way"},
	} {
		p, err := ownergraph.PlanDump(context.Background(), containerDump(t, c.objects), ownergraph.Config{},
			plan.Request{Delete: []plan.Target{{Key: keyOf(t, c.root), Propagation: graph.Foreground}}})
		if err != nil {
			t.Fatalf("%s: %v", c.objects, err)
		}
		var possible []string
		for _, o := range p.Objects {
			if o.Possible {
				possible = append(possible, o.Key.PlaceString())
			}
		}
		if got := strings.Join(possible, "; "); got != c.possible {
			t.Errorf("%s: possible are %q, want %q: %s\n%s", c.objects, got, c.possible, c.reason, p.Text())
		}
	}
}
