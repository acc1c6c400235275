package run

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// TestSweepsInNamespaces: the program says at its start that the sweep of a holder in a namespace
// covers that namespace alone. It says nothing about holders without a namespace.
func TestSweepsInNamespaces(t *testing.T) {
	sweep := func(holder graph.Kind) guard.Sweep {
		return guard.Sweep{Finalizer: "example.org/sweep", Holder: holder, Members: []guard.Members{{By: guard.ByName, Delimiter: "-"}}}
	}
	for _, c := range []struct {
		holder graph.Kind
		want   int
		reason string
	}{
		{"apps/Deployment", 1, "it is in a namespace"},
		{"Namespace", 0, "it is in none"},
	} {
		bubble(t, Config{Engine: ownergraph.Config{Sweeps: []guard.Sweep{sweep(c.holder)}}}, func(r *rig) {
			r.set(func() {
				x := &resource{kind: "Namespace", plural: "namespaces", objects: map[types.NamespacedName]object{}}
				x.verbs = r.of("configmaps").verbs
				r.resources = append(r.resources, x)
			})
			r.start(r.program)
			pass(time.Second)
			const text = "members outside of the holder's namespace are not covered"
			if lines := r.with(text, "kind="+string(c.holder), "finalizer=example.org/sweep"); len(lines) != c.want || len(r.with(text)) != c.want {
				t.Errorf("%s: logged %q: %s", c.holder, r.with(text), c.reason)
			}
		})
	}
}
