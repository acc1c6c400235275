package main

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ownergraph/ownergraph/dump"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/spell"
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
	after := collected(c.Objects)
	if len(c.Objects)-len(after) != 1 {
		t.Errorf("%d objects are garbage from the start, want 1: batch/left-behind", len(c.Objects)-len(after))
	}
	e.check(t, outcome{reason: "start: one owner is read, and one object deleted", reads: 1, writes: 1}, after, engine.Stats{})
	for i, s := range showcase() {
		root, err := spell.Find(c.Objects, s.Target)
		if err != nil {
			t.Fatal(err)
		}
		below := dependentsOf(c.Objects, root.UID)
		kinds := make(map[graph.Kind]int)
		for _, o := range below {
			kinds[o.Kind]++
			if len(o.Owners) != 1 || !o.Owners[0].Block || len(o.Finalizers) > 0 {
				t.Errorf("%s has another owner, or does not block, or has a finalizer: the count would be wrong", o.Key.Text())
			}
		}
		if diff := cmp.Diff(want[i].below, kinds); diff != "" {
			t.Errorf("below %s (-want +got): %s\n%s", s.Target, want[i].reason, diff)
		}
		left := end(after, root, below, s.Propagation)
		if gone := len(after) - len(left); gone != want[i].gone {
			t.Errorf("%s: %d are gone, want %d: %s", s.Target, gone, want[i].gone, want[i].reason)
		}
		base := e.Collector.Stats()
		if err := e.Delete(t.Context(), root.Key, s.Propagation); err != nil {
			t.Fatal(err)
		}
		e.check(t, want[i], left, base)
		after = left
	}
}

// rig is a session under test.
type rig struct{ *live.Session }

func mustEmbed(t *testing.T, c dump.Content) *rig {
	t.Helper()
	s, stop, err := embed(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return &rig{s}
}

// check waits for the collector. It compares the objects of the store without their
// versions, the held objects, and the calls since base.
func (e *rig) check(t *testing.T, want outcome, objects []graph.Object, base engine.Stats) {
	t.Helper()
	held, err := e.WaitIdle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(graph.Format(unversioned(objects)), graph.Format(unversioned(e.Store.Objects()))); diff != "" {
		t.Errorf("%s: objects (-want +got):\n%s", want.reason, diff)
	}
	if got := live.Since(base, e.Collector.Stats()); got.Reads != want.reads || got.Writes != want.writes {
		t.Errorf("%d reads, %d writes, want %d and %d: %s", got.Reads, got.Writes, want.reads, want.writes, want.reason)
	}
	var names []string
	for _, h := range held {
		names = append(names, h.Key.Text()+": "+live.Explain(h))
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
	if err := e.Delete(t.Context(), key, graph.Background); err == nil {
		t.Error("another incarnation than the one that was named is deleted")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Delete(ctx, key, graph.Background); err != context.Canceled {
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
