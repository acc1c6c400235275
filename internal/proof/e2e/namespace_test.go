package e2e

import (
	"context"
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/e2e/server"
	"github.com/ownergraph/ownergraph/policy"
)

// TestCrossNamespaceReferences: the collector starts on references that are bad in many
// ways. Upstream: TestCrossNamespaceReferencesWithWatchCache.
func TestCrossNamespaceReferences(t *testing.T) { crossNamespaceReferences(begin(t)) }

// TestWithoutWatchCache: the same, and a cascade of each kind. The server answers every
// request from its database. It streams no listings, and watches have only the past of
// the database. Upstream: TestCrossNamespaceReferencesWithoutWatchCache.
func TestWithoutWatchCache(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s, err := server.Start(ctx, server.Config{Flags: []string{"--watch-cache=false", "--etcd-compaction-interval=0"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	w := beginOn(t, s)
	crossNamespaceReferences(w)
	c := w.collectors[0]
	fams := w.families(3, 20)
	fams.delete()
	c.idle()
	fams.converged()
}

// crossNamespaceReferences makes a reference of another kind with the UID of a real
// owner, one into another namespace, and references to many kinds that are not served.
// Objects with a proven bad reference go, and those with an unknown one are held. The
// real owner and its dependents stay.
func crossNamespaceReferences(w *world) {
	elsewhere := w.create(namespace, w.ns+"-other").name
	parent := w.create(configMap, "parent", under(elsewhere))
	children := w.several(10, secret, "child", under(elsewhere), owned(parent))
	wrongKind := references(metav1.OwnerReference{APIVersion: "v1", Kind: "Pod", Name: "parent", UID: parent.uid})
	var bogus []metav1.OwnerReference
	for i := range 25 {
		bogus = append(bogus, metav1.OwnerReference{
			APIVersion: "nobody.example.org/v1", Kind: fmt.Sprint("Bogus", i), Name: "bogus", UID: types.UID(fmt.Sprint("bogus-", i)),
		})
	}
	bad := append(w.several(5, secret, "wrong-kind", wrongKind), w.create(configMap, "wrong-namespace", owned(parent)))
	unknown := slices.Concat(
		w.several(5, configMap, "unknown", references(bogus...), wrongKind),
		w.several(5, secret, "unknown", references(bogus...), wrongKind))
	c := w.collect(settings{engine: ownergraph.Config{Scope: graph.ScopeAbsent}})
	held := c.idle()
	if len(held) != len(unknown) || slices.ContainsFunc(held, func(h engine.Held) bool { return h.Reason != policy.OwnerUnknown }) {
		w.t.Errorf("held: %v, want the %d objects whose owners are of unserved kinds", held, len(unknown))
	}
	w.gone(bad...)
	w.stays(unknown...)
	late := w.create(secret, "late", wrongKind)
	c.idle()
	w.gone(late)
	w.stays(append(children, parent)...)
}

// TestCrossNamespaceHeld: by default such an object is kept, and reported. A Config may
// ask for upstream's reading of references across namespaces.
func TestCrossNamespaceHeld(t *testing.T) {
	w := begin(t)
	parent := w.create(configMap, "parent", under(w.create(namespace, w.ns+"-other").name))
	child := w.create(configMap, "child", owned(parent))
	c := w.collect(settings{})
	if held := c.idle(); len(held) != 1 || held[0].Key.Name != child.name || held[0].Reason != policy.OwnerUnknown {
		t.Errorf("held: %v", held)
	}
	w.stays(parent, child)
}
