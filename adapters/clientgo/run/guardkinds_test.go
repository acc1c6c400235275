package run

import (
	"errors"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// TestGuardKinds: the program warns of each kind of a protection or a guard that the server does
// not serve, and of no other.
func TestGuardKinds(t *testing.T) {
	c := Config{Engine: ownergraph.Config{
		Protect: []guard.Protection{{Kinds: []graph.Kind{"ConfigMap", "Secrets"}}},
		Guards: []guard.Guard{
			{Kinds: []graph.Kind{"Deployment", "apps/Deployment"}, Always: true}, {Names: []string{"a"}, Always: true}, {Scopes: []string{"prod"}, Always: true},
		},
	}}
	bubble(t, c, func(r *rig) {
		r.start(r.program)
		pass(time.Second)
		if all := r.with("guards without kinds leave out definitions", "count=1"); len(all) != 1 { // that of a namespace selects none of them
			t.Errorf("logged %q", all)
		}
		const text = "names a kind that takes no part"
		if all := r.with(text); len(all) != 2 || len(r.with(text, "kind=Secrets")) != 1 || len(r.with(text, "kind=Deployment")) != 1 {
			t.Errorf("logged %q", all)
		}
	})
}

// TestGuardOfContent: the program refuses a guard of a kind whose content another actor deletes
// at the mark, with the reason and the way that works. A guard without kinds selects no object
// of such a kind, and every other object as before.
func TestGuardOfContent(t *testing.T) {
	const definition, namespace = graph.Kind("apiextensions.k8s.io/CustomResourceDefinition"), graph.Kind("Namespace")
	sweeps := []guard.Sweep{guard.ScopeSweep(namespace, clientgo.NamespaceFinalizer)}
	other := []guard.Sweep{guard.ScopeSweep(namespace, "example.org/sweep")}
	whole := []graph.Key{{Kind: definition, Name: "a"}, {Kind: namespace, Name: "a"}, {Kind: "Secret", Scope: "a", Name: "a"}}
	for _, c := range []struct {
		guard   guard.Guard
		sweeps  []guard.Sweep
		refused string
		selects int // of the objects of whole
		reason  string
	}{
		{guard.Guard{Kinds: []graph.Kind{definition}, Always: true}, nil, "the API server deletes each instance", 0, "a definition"},
		{guard.Guard{Kinds: []graph.Kind{"Secret", definition}, Names: []string{"a"}}, sweeps, "the API server deletes each instance", 0, "a definition beside another kind"},
		{guard.Guard{Kinds: []graph.Kind{"CustomResourceDefinition"}}, nil, "the API server deletes each instance", 0, "a definition without its group"},
		{guard.Guard{Kinds: []graph.Kind{namespace}, Above: new(int)}, nil, "the namespace controller deletes the content", 0, "a namespace"},
		{guard.Guard{Kinds: []graph.Kind{namespace}, Scopes: []string{"prod"}}, nil, "the namespace controller deletes the content", 0, "a namespace has no namespace"},
		{guard.Guard{Kinds: []graph.Kind{namespace}}, other, "the namespace controller deletes the content", 0, "another sweep leaves the controller at work"},
		{guard.Guard{Kinds: []graph.Kind{namespace}, Always: true}, sweeps, "", -1, "this program sweeps in place of the controller"},
		{guard.Guard{Kinds: []graph.Kind{"Secret"}, Always: true}, nil, "", -1, "another kind"},
		{guard.Guard{Names: []string{"a"}, Always: true}, nil, "", 1, "a name alone"},
		{guard.Guard{Scopes: []string{"", "a"}, Always: true}, sweeps, "", 2, "scopes alone, beside the sweep"},
		{guard.Guard{Where: func(o graph.Object) bool { return o.Name == "b" }, Always: true}, nil, "", 0, "a condition of its own alone"},
	} {
		config := Config{Engine: ownergraph.Config{Guards: []guard.Guard{c.guard}, Sweeps: c.sweeps}}
		_, err := New(&rest.Config{Host: "localhost"}, config)
		if c.refused != "" {
			if !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), c.refused) || !strings.Contains(err.Error(), "admission policy on DELETE instead, as the component adapters/clientgo/run/deploy/protect does") {
				t.Errorf("%s: error %v, want %q", c.reason, err, c.refused)
			}
			continue
		}
		filled, again := config.filled()
		if err != nil || again != nil {
			t.Errorf("%s: errors %v and %v", c.reason, err, again)
			continue
		}
		g, n := filled.Engine.Guards[0], 0
		for _, k := range whole {
			if g.Where != nil && g.Where(graph.Object{Key: k}) {
				n++
			}
		}
		if c.selects >= 0 && n != c.selects || (g.Where == nil) != (c.selects < 0) || config.Engine.Guards[0].Where == nil != (c.guard.Where == nil) {
			t.Errorf("%s: the guard selects %d objects, want %d", c.reason, n, c.selects)
		}
	}
	if _, err := New(&rest.Config{Host: "localhost"}, Config{Engine: ownergraph.Config{Guards: []guard.Guard{{Always: true}}}}); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("a guard without a condition: error %v", err)
	}
}
