package e2e

import (
	"errors"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// These tests check the limits of guards that the README of adapters/clientgo names.

// besideUpstream makes a guarded root with dependents that block it, beside the collector of
// Kubernetes, which has seen them.
func besideUpstream(t *testing.T) (w *world, c *collecting, theirs *upstream, root object, children []object) {
	w = begin(t)
	root = w.create(configMap, "root")
	children = w.several(5, secret, "child", blocking(root))
	theirs = w.upstream()
	c = w.collect(settings{engine: guardAlways(root.name)})
	w.carries(root, graph.FinalizerHold, graph.FinalizerNew)
	theirs.sees(append(children, root))
	return w, c, theirs, root, children
}

// works waits until the upstream collector has ended a cascade of its own. Its queues are then past
// every earlier event.
func (u *upstream) works() {
	u.w.t.Helper()
	owner := u.w.create(configMap, "sentinel")
	children := u.w.several(5, secret, "sentinel", blocking(owner))
	u.sees(append(children, owner))
	before := u.writes()
	u.w.delete(owner, foreground)
	u.w.goes(append(children, owner)...)
	u.w.until("wait for upstream to forget the sentinel", func() error {
		for _, o := range append(children, owner) {
			if u.GraphHasUID(o.uid) {
				return fmt.Errorf("it knows %s", o)
			}
		}
		return nil
	})
	if u.writes() == before {
		u.w.t.Error("upstream has written nothing: the test shows nothing")
	}
}

// TestGuardBesideUpstream: a guard binds a background deletion beside the collector of
// Kubernetes. A marked root that exists is a living owner to that collector. After the approval
// either collector may do the work.
func TestGuardBesideUpstream(t *testing.T) {
	w, c, theirs, root, children := besideUpstream(t)
	w.delete(root, background)
	c.holds(root, policy.DeletionRefused)
	theirs.works()
	c.idle()
	w.marked(root, graph.FinalizerHold)
	w.stays(children...)
	if err := c.Approve(w.ctx, w.key(root), ownergraph.Approval{AtMost: new(len(children))}); err != nil {
		t.Fatal(err)
	}
	w.goes(append(children, root)...)
}

// TestGuardIgnoredByUpstreamForeground: the collector of Kubernetes does not know the names of
// guards. It carries out a foreground deletion of a guarded root before any approval. The root
// alone stays.
func TestGuardIgnoredByUpstreamForeground(t *testing.T) {
	w, c, _, root, children := besideUpstream(t)
	w.delete(root, foreground)
	w.goes(children...)
	w.carries(root, graph.FinalizerHold)
	c.holds(root, policy.DeletionRefused)
	ours := 0
	for _, call := range c.book.succeeded() {
		if call.Key.Kind == secret.name() {
			ours++
		}
	}
	if ours > 0 {
		t.Errorf("%d writes below the root are ours", ours)
	}
}

// TestGuardIgnoredByUpstreamOrphan: the same for an orphan deletion. The dependents lose the
// root before any approval.
func TestGuardIgnoredByUpstreamOrphan(t *testing.T) {
	w, c, _, root, children := besideUpstream(t)
	w.delete(root, orphan)
	w.carries(root, graph.FinalizerHold)
	c.holds(root, policy.DeletionRefused)
	w.stays(children...)
	w.ownedBy(nil, children...)
	for _, call := range c.book.succeeded() {
		if call.Key.Kind == secret.name() {
			t.Errorf("a write below the root is ours: %+v", call)
		}
	}
}

// guardedSpace makes a namespace with objects, for a guard on namespaces of its name.
func guardedSpace(w *world) (space object, content []object) {
	space = w.create(namespace, w.ns+"-guarded")
	return space, append(w.several(3, configMap, "content", under(space.name)), w.create(secret, "content", under(space.name)))
}

// specFinalizers returns the finalizers in the spec of a namespace.
func (w *world) specFinalizers(space object) []string {
	w.t.Helper()
	list, _, err := unstructured.NestedStringSlice(w.read(space).Object, "spec", "finalizers")
	if err != nil {
		w.t.Fatal(err)
	}
	return list
}

// TestGuardedNamespaceLosesContent: the finalizers of guards are in the metadata of a namespace.
// The namespace controller looks at the spec's finalizers alone. After the deletion mark it
// deletes the content, and takes its own finalizer off. The namespace stays, empty. The server
// refuses new objects in it, so no approval and no refusal brings the content back.
func TestGuardedNamespaceLosesContent(t *testing.T) {
	w := begin(t)
	space, content := guardedSpace(w)
	w.namespaceController()
	c := w.collect(settings{engine: guardAlways(space.name)})
	w.carries(space, graph.FinalizerHold, graph.FinalizerNew)
	w.delete(space, background)
	w.goes(content...) // while no user has approved
	c.holds(space, policy.DeletionRefused)
	w.until("wait for the namespace controller to end its work", func() error {
		if len(w.specFinalizers(space)) > 0 {
			return errNotYet
		}
		return nil
	})
	w.marked(space, graph.FinalizerHold)
	if err := w.tryCreate(configMap, "late", space.name); err == nil {
		t.Error("the server takes an object in a namespace with a deletion mark")
	}
	if err := c.Approve(w.ctx, w.key(space), ownergraph.Approval{AtMost: new(0)}); err != nil {
		t.Fatal(err)
	}
	w.goes(space)
}

// TestNamespaceEndsGuardedContent: the namespace controller deletes every object of a deleted
// namespace, the dependents of guarded roots too. It marks an object with the finalizer of
// protection, and a root with hold. Both stay as long as that finalizer, and so does their
// namespace. A rule of the settings puts no finalizer on, so its object goes.
func TestNamespaceEndsGuardedContent(t *testing.T) {
	w := begin(t)
	space, content := guardedSpace(w)
	kept := w.create(secret, "kept", under(space.name), finalizers(graph.FinalizerProtect))
	root := w.create(configMap, w.ns+"-root", under(space.name))
	below, byRule := w.create(secret, "below", under(space.name), owned(root)), w.create(secret, "by-rule", under(space.name))
	w.namespaceController()
	engine := guardAlways(root.name)
	engine.Protect = []guard.Protection{{Names: []string{byRule.name}}}
	c := w.collect(settings{engine: engine})
	c.quiet()
	w.delete(space, background)
	w.goes(append(content, below, byRule)...)
	c.holds(kept, policy.Protected)
	c.holds(root, policy.DeletionRefused)
	w.marked(kept, graph.FinalizerProtect)
	w.marked(root, graph.FinalizerHold)
	w.kubectlPatch(kept, types.StrategicMergePatchType, dropProtect)
	w.kubectlPatch(root, types.StrategicMergePatchType, releaseHold)
	w.goes(kept, root, space)
}

// TestGuardedNamespaceWithScopeSweep: a scope sweep of this engine in place of the namespace
// controller waits for the approval. Nothing of the namespace goes before it.
func TestGuardedNamespaceWithScopeSweep(t *testing.T) {
	w := enter(t, shared) // the judge knows no sweeps
	t.Cleanup(func() {
		for _, c := range w.collectors {
			c.stop()
		}
		w.clear()
	})
	space, content := guardedSpace(w)
	engine := guardAlways(space.name)
	engine.Sweeps = []guard.Sweep{scopeSweep()}
	c := w.collect(settings{engine: engine})
	w.carries(space, graph.FinalizerHold, graph.FinalizerNew)
	w.delete(space, background)
	c.holds(space, policy.DeletionRefused)
	if _, err := c.WaitIdle(w.ctx); err != nil {
		t.Fatal(err)
	}
	w.stays(content...)
	if have := w.specFinalizers(space); len(have) != 1 || have[0] != "kubernetes" {
		t.Errorf("finalizers of the spec: %v", have)
	}
	if err := c.Approve(w.ctx, w.key(space), ownergraph.Approval{AtMost: new(len(content) - 1)}); !errors.Is(err, plan.ErrChanged) {
		t.Errorf("approved for fewer objects than the namespace has: %v", err)
	}
	if err := c.Approve(w.ctx, w.key(space), ownergraph.Approval{AtMost: new(len(content))}); err != nil {
		t.Fatal(err)
	}
	w.goes(append(content, space)...)
}

// tryCreate tries to make an object in a namespace.
func (w *world) tryCreate(k kind, name, ns string) error {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(k.gvk)
	u.SetName(name)
	_, err := w.in(k, ns).Create(w.ctx, u, metav1.CreateOptions{})
	return err
}
