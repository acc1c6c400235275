package e2e

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

const (
	guardedMiddles = 40 // dependents of the root
	guardedLeaves  = 49 // dependents of each of them
	guardedObjects = guardedMiddles * (1 + guardedLeaves)
	guardLimit     = 100 // the guard refuses to end more
	killedAfter    = 700 // deletes
)

// guardedTree is a root with 2,000 objects below it, in two levels. Beside it is a tree of
// another owner, which no test deletes.
type guardedTree struct {
	w      *world
	by     metav1.DeletionPropagation
	root   object
	below  []object
	others []object
}

// guardTree makes the trees, for a deletion with a propagation.
func (w *world) guardTree(by metav1.DeletionPropagation) *guardedTree {
	w.t.Helper()
	g := &guardedTree{w: w, by: by, root: w.create(configMap, "root")}
	middles := w.several(guardedMiddles, secret, "middle", blocking(g.root))
	leaves := make([]object, guardedMiddles*guardedLeaves)
	w.parallel(len(leaves), func(i int) {
		m := middles[i%guardedMiddles]
		leaves[i] = w.create(configMap, fmt.Sprint(m.name, "-leaf-", i/guardedMiddles), blocking(m))
	})
	g.below = append(middles, leaves...)
	other := w.create(configMap, "other")
	g.others = append(w.several(20, secret, "of-other", owned(other)), other)
	if w.t.Failed() {
		w.t.FailNow()
	}
	return g
}

// carries waits until the root has exactly these finalizers, in any order.
func (w *world) carries(o object, finalizers ...string) {
	w.t.Helper()
	w.until(fmt.Sprint("wait for the finalizers ", finalizers), func() error {
		u := w.read(o)
		if have := slices.Sorted(slices.Values(u.GetFinalizers())); !slices.Equal(have, finalizers) {
			return fmt.Errorf("%s has the finalizers %v, deleted %v", o, have, u.GetDeletionTimestamp())
		}
		return nil
	})
}

// TestGuardedRootApproved: a guard refuses the deletion of a root with 2,000 objects below it.
// A user approves it by Collector.Approve. The collector is killed in the middle of the
// cascade, and another one ends it. The history of the server is the judge: see lived.
func TestGuardedRootApproved(t *testing.T) {
	w := begin(t)
	g := w.guardTree(background)
	c := w.collectInChild(childTask{Root: g.root.name, Above: guardLimit, Killed: killedAfter})
	g.refused()
	c.approve(g.root, guardedObjects)
	c.wasKilled()
	g.ended()
}

// TestGuardedRootPatched: the same in the foreground. The mark of a held root counts for no
// dependent. The approval is the patch of kubectl that the README of adapters/clientgo has.
func TestGuardedRootPatched(t *testing.T) {
	w := begin(t)
	g := w.guardTree(foreground)
	c := w.collectInChild(childTask{Root: g.root.name, Above: guardLimit, Killed: killedAfter})
	g.refused()
	w.kubectlPatch(g.root, types.StrategicMergePatchType, releaseHold)
	c.wasKilled()
	g.ended()
}

// refused deletes the root, and waits for the refusal.
func (g *guardedTree) refused() {
	g.w.t.Helper()
	g.w.carries(g.root, graph.FinalizerHold, graph.FinalizerNew)
	begun := time.Now()
	g.w.delete(g.root, g.by)
	g.w.carries(g.root, g.marks(graph.FinalizerHold)...)
	g.w.t.Logf("refused after %v", time.Since(begun).Round(time.Millisecond))
	if n := g.left(); n != guardedObjects {
		g.w.t.Fatalf("%d objects are below the refused root, want %d", n, guardedObjects)
	}
}

// marks returns the finalizers of the marked root: that of the propagation, and others.
func (g *guardedTree) marks(others ...string) []string {
	if g.by == foreground {
		return append([]string{metav1.FinalizerDeleteDependents}, others...)
	}
	return others
}

// left returns the number of objects below the root that the server has.
func (g *guardedTree) left() (n int) {
	g.w.t.Helper()
	below := map[types.UID]bool{}
	for _, o := range g.below {
		below[o.uid] = true
	}
	for _, k := range []kind{secret, configMap} {
		list, err := g.w.in(k, g.w.ns).List(g.w.ctx, metav1.ListOptions{})
		if err != nil {
			g.w.t.Fatal(err)
		}
		for _, u := range list.Items {
			if below[u.GetUID()] {
				n++
			}
		}
	}
	return n
}

// ended starts another collector after the first was killed, and judges the end.
func (g *guardedTree) ended() {
	w := g.w
	w.t.Helper()
	if n := g.left(); n == 0 || n > guardedObjects-killedAfter+guardedMiddles { // a foreground delete only marks a middle
		w.t.Errorf("%d objects were left when the collector was killed: this is not the middle of the cascade", n)
	}
	c := w.collect(settings{engine: guardOf(g.root.name, guardLimit)})
	c.quiet()
	if n := g.left(); n != 0 {
		w.t.Errorf("%d objects are left below the root", n)
	}
	w.gone(g.root)
	w.stays(g.others...)
	for _, wrong := range g.lived(w.history()) {
		w.t.Error(wrong)
	}
	w.made = g.others // the rest is gone
}

// lived returns the faults of the history. The root was created and got hold and then new. It was
// marked, lost new by the refusal, and hold by the approval. Between the mark and the approval the
// history has no write to another object. Afterwards each object below it went once. A foreground
// deletion marks them before, and nothing else is written. No other object was written to after the
// mark.
func (g *guardedTree) lived(h history) (wrong []string) {
	root := g.w.key(g.root)
	below, ends := map[graph.Key]bool{}, map[graph.Key]int{}
	for _, o := range g.below {
		below[g.w.key(o)] = true
	}
	var states []string
	marked, released := false, false
	for i, e := range h.events {
		o := e.Object
		switch key := keyOf(e); {
		case key == root && e.Type == graph.Gone:
			released = true
			states = append(states, "gone")
		case key == root:
			marked = marked || o.Deleting
			released = marked && !o.HasFinalizer(graph.FinalizerHold)
			states = append(states, fmt.Sprint(o.Deleting, slices.Sorted(slices.Values(o.Finalizers))))
		case key.Scope != g.w.ns || !marked:
		case !below[key]:
			wrong = append(wrong, fmt.Sprintf("revision %s: a write to %s, which is not below the root", h.revisions[i], key))
		case !released || e.Type != graph.Gone && !(g.by == foreground && o.Deleting):
			wrong = append(wrong, fmt.Sprintf("revision %s: a write to %s, root released %v", h.revisions[i], key, released))
		case e.Type == graph.Gone:
			ends[key]++
		}
	}
	hold, both := []string{graph.FinalizerHold}, []string{graph.FinalizerHold, graph.FinalizerNew}
	want := []string{
		fmt.Sprint(false, []string{}), fmt.Sprint(false, hold), fmt.Sprint(false, both), fmt.Sprint(true, g.marks(both...)), fmt.Sprint(true, g.marks(hold...)), "gone",
	}
	if g.by == foreground {
		want = slices.Insert(want, 5, fmt.Sprint(true, g.marks()))
	}
	if !slices.Equal(states, want) {
		wrong = append(wrong, fmt.Sprintf("the root was %q, want %q", states, want))
	}
	for key := range below {
		if ends[key] != 1 {
			wrong = append(wrong, fmt.Sprintf("%s went %d times", key, ends[key]))
		}
	}
	return wrong
}

func keyOf(e graph.Event) graph.Key {
	if e.Type == graph.Gone {
		return e.Key
	}
	return e.Object.Key
}

// TestGuardedHistory: the judge of the guarded root sees a write below it before the approval,
// a write to another object, and an object that stays. Otherwise its silence would prove
// nothing.
func TestGuardedHistory(t *testing.T) {
	w := enter(t, shared)
	root, a, b, x := object{configMap, w.ns, "root", "u0"}, object{secret, w.ns, "a", "u1"}, object{secret, w.ns, "b", "u2"}, object{secret, w.ns, "x", "u3"}
	g := &guardedTree{w: w, by: background, root: root, below: []object{a, b}}
	put := func(o object, deleting bool, finalizers ...string) graph.Event {
		return graph.Event{Type: graph.Put, Object: graph.Object{Key: w.key(o), Deleting: deleting, Finalizers: finalizers}}
	}
	gone := func(o object) graph.Event { return graph.Event{Type: graph.Gone, Key: w.key(o)} }
	hold, isNew := graph.FinalizerHold, graph.FinalizerNew
	start := []graph.Event{put(root, false), put(a, false), put(b, false), put(root, false, hold), put(root, false, hold, isNew), put(root, true, hold, isNew), put(root, true, hold)}
	for _, c := range []struct {
		then   []graph.Event
		wrong  int
		reason string
	}{
		{[]graph.Event{gone(root), gone(a), gone(b)}, 0, "the right order"},
		{[]graph.Event{gone(a), gone(root), gone(b)}, 2, "a went before the approval, and not after it"},
		{[]graph.Event{put(a, false), gone(root), gone(a), gone(b)}, 1, "a write before the approval"},
		{[]graph.Event{gone(root), put(x, false), gone(a), gone(b)}, 1, "a write to an object that is not below"},
		{[]graph.Event{gone(root), put(a, true), gone(a), gone(b)}, 1, "two writes where one suffices"},
		{[]graph.Event{gone(root), gone(a)}, 1, "b stays"},
		{nil, 3, "all stay"},
	} {
		h := history{events: append(slices.Clone(start), c.then...)}
		h.revisions = make([]graph.Version, len(h.events))
		if wrong := g.lived(h); len(wrong) != c.wrong {
			t.Errorf("%q, want %d: %s", wrong, c.wrong, c.reason)
		}
	}
}

// holds waits until a collector holds an object for a reason.
func (c *collecting) holds(o object, why policy.Reason) engine.Held {
	c.w.t.Helper()
	var found engine.Held
	c.w.until(fmt.Sprintf("wait for %s to be held: %s", o, why), func() error {
		for _, h := range c.Held(10_000) {
			if h.Key == c.w.key(o) && h.Reason == why {
				found = h
				return nil
			}
		}
		return fmt.Errorf("held: %v", c.Held(20))
	})
	return found
}

// approving is the key of contexts of approvals.
type approving struct{}

// approval marks the context of an approval. Its write is a user's. The judge knows the writes of
// collectors alone, which never take the hold off a refused root (RULES, G4).
func approval(ctx context.Context) context.Context {
	return context.WithValue(ctx, approving{}, true)
}

func isApproval(ctx context.Context) bool { return ctx.Value(approving{}) != nil }

// Approve is the collector's, as a write of a user.
func (c *collecting) Approve(ctx context.Context, root graph.Key, a ownergraph.Approval) error {
	return c.Collector.Approve(approval(ctx), root, a)
}
