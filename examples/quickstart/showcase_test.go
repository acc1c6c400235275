package main

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// outcome is the result of a deletion by the rules, counted by hand in the file.
type outcome struct {
	reason        string
	below         map[graph.Kind]int // direct and indirect dependents
	gone          int
	reads, writes uint64 // of the collector
}

// TestShowcase compares the collector's work with the rules.
func TestShowcase(t *testing.T) {
	want := []outcome{
		{"background: all goes, each dependent by one delete", map[graph.Kind]int{"apps/ReplicaSet": 3, "Pod": 8}, 12, 0, 11},
		{"foreground: all objects go, the Deployment last; a patch releases each waiting object", map[graph.Kind]int{"apps/ReplicaSet": 2, "Pod": 10}, 13, 0, 15},
		{"orphan: the ReplicaSets stay without an owner, the Pods as they are", map[graph.Kind]int{"apps/ReplicaSet": 2, "Pod": 7}, 1, 0, 3},
	}
	c := loadRecorded(t)
	e := mustEmbed(t, c)
	after := collected(c.objects)
	if len(c.objects)-len(after) != 1 {
		t.Errorf("%d objects are garbage from the start, want 1: batch/left-behind", len(c.objects)-len(after))
	}
	e.check(t, outcome{reason: "start: one owner is read, and one object deleted", reads: 1, writes: 1}, after, ownergraph.Stats{})
	for i, s := range showcase() {
		root, err := c.find(s.target)
		if err != nil {
			t.Fatal(err)
		}
		below := dependentsOf(c.objects, root.UID)
		kinds := make(map[graph.Kind]int)
		for _, o := range below {
			kinds[o.Kind]++
			if len(o.Owners) != 1 || !o.Owners[0].Block || len(o.Finalizers) > 0 {
				t.Errorf("%s has another owner, or does not block, or has a finalizer: the count would be wrong", spell(o.Key))
			}
		}
		if diff := cmp.Diff(want[i].below, kinds); diff != "" {
			t.Errorf("below %s (-want +got): %s\n%s", s.target, want[i].reason, diff)
		}
		left := end(after, root, below, s.propagation)
		if gone := len(after) - len(left); gone != want[i].gone {
			t.Errorf("%s: %d are gone, want %d: %s", s.target, gone, want[i].gone, want[i].reason)
		}
		base := e.collector.Stats()
		if err := e.delete(t.Context(), root.Key, s.propagation); err != nil {
			t.Fatal(err)
		}
		e.check(t, want[i], left, base)
		after = left
	}
}

func mustEmbed(t *testing.T, c cluster) *embedded {
	t.Helper()
	e, err := embed(c, ownergraph.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.stop(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// check waits for the collector. It compares the objects of the store without their
// versions, the held objects, and the calls since base.
func (e *embedded) check(t *testing.T, want outcome, objects []graph.Object, base ownergraph.Stats) {
	t.Helper()
	holds, err := e.waitIdle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(graph.Format(unversioned(objects)), graph.Format(unversioned(e.store.Objects()))); diff != "" {
		t.Errorf("%s: objects (-want +got):\n%s", want.reason, diff)
	}
	if got := since(base, e.collector.Stats()); got.Reads != want.reads || got.Writes != want.writes {
		t.Errorf("%d reads, %d writes, want %d and %d: %s", got.Reads, got.Writes, want.reads, want.writes, want.reason)
	}
	var names []string
	for _, h := range holds {
		names = append(names, spell(h.Key)+": "+explainHeld(h))
	}
	wantHeld := []string{
		"ConfigMap/payments/cart-settings-copy: owner lives in another scope (Deployment.apps/payments/cart)",
		"PriorityClass.scheduling.k8s.io/cart-critical: owner's scope not resolvable (Deployment.apps/cart)",
	}
	if diff := cmp.Diff(wantHeld, names); diff != "" {
		t.Errorf("%s: held (-want +got):\n%s", want.reason, diff)
	}
}

func unversioned(objects []graph.Object) []graph.Object {
	objects = slices.Clone(objects)
	for i := range objects {
		objects[i].Version = ""
	}
	return objects
}

func TestDeletionErrors(t *testing.T) {
	e := mustEmbed(t, loadRecorded(t))
	key := graph.Key{Kind: "apps/Deployment", Scope: "shop", Name: "cart", UID: "successor"}
	if err := e.delete(t.Context(), key, graph.Background); err == nil {
		t.Error("another incarnation than the one that was named is deleted")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.delete(ctx, key, graph.Background); err != context.Canceled {
		t.Errorf("delete = %v, want %v", err, context.Canceled)
	}
}

// collected returns the objects without those that have only absent owners.
func collected(objects []graph.Object) []graph.Object {
	exists := make(map[graph.UID]bool)
	for _, o := range objects {
		exists[o.UID] = true
	}
	return slices.DeleteFunc(slices.Clone(objects), func(o graph.Object) bool {
		return len(o.Owners) > 0 && !slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return exists[r.UID] })
	})
}

// dependentsOf returns the direct and indirect dependents of uid.
func dependentsOf(objects []graph.Object, uid graph.UID) []graph.Object {
	var found []graph.Object
	for next := []graph.UID{uid}; len(next) > 0; next = next[1:] {
		for _, o := range objects {
			if slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return r.UID == next[0] }) {
				found, next = append(found, o), append(next, o.UID)
			}
		}
	}
	return found
}

// end returns the objects after the deletion. Every dependent has one owner and no
// foreign finalizer.
func end(objects []graph.Object, root graph.Object, below []graph.Object, p graph.Propagation) []graph.Object {
	goes := map[graph.Key]bool{root.Key: true}
	for _, o := range below {
		goes[o.Key] = p != graph.Orphan
	}
	var left []graph.Object
	for _, o := range objects {
		if !goes[o.Key] {
			o = o.Clone()
			o.Owners = slices.DeleteFunc(o.Owners, func(r graph.Owner) bool { return r.UID == root.UID })
			left = append(left, o)
		}
	}
	return left
}
