package main

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ownergraph/ownergraph/graph"
)

// outcome is what a deletion does by the rules, counted by hand in the file.
type outcome struct {
	reason string
	below  map[graph.Kind]int // dependents, through others or not
	gone   int
}

func TestShowcase(t *testing.T) {
	want := []outcome{
		{"background: all goes", map[graph.Kind]int{"apps/ReplicaSet": 3, "Pod": 8}, 12},
		{"foreground: all goes, the Deployment last", map[graph.Kind]int{"apps/ReplicaSet": 2, "Pod": 10}, 13},
		{"orphan: the ReplicaSets stay without an owner, the Pods as they are", map[graph.Kind]int{"apps/ReplicaSet": 2, "Pod": 7}, 1},
	}
	c := loadRecorded(t)
	after := collected(c.objects)
	if len(c.objects)-len(after) != 1 {
		t.Errorf("%d objects are garbage from the start, want 1: batch/left-behind", len(c.objects)-len(after))
	}
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
		after = left
	}
	var holds []held
	for typed, reason := range map[string]string{
		"ConfigMap/payments/cart-settings-copy": "its owner lives in another scope",
		"PriorityClass/cart-critical":           "the scope of its owner cannot be resolved",
	} {
		parsed, err := parseTarget(typed)
		if err != nil {
			t.Fatal(err)
		}
		o, err := c.find(parsed)
		if err != nil {
			t.Fatal(err)
		}
		holds = append(holds, held{o.Key, reason})
	}
	checkGolden(t, "report-showcase", report(c.objects, after, holds))
}

// collected returns the objects without those whose every owner is gone.
func collected(objects []graph.Object) []graph.Object {
	exists := make(map[graph.UID]bool)
	for _, o := range objects {
		exists[o.UID] = true
	}
	return slices.DeleteFunc(slices.Clone(objects), func(o graph.Object) bool {
		return len(o.Owners) > 0 && !slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return exists[r.UID] })
	})
}

// dependentsOf returns what refers to uid, through others or not.
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

// end returns the objects as the deletion leaves them, where every dependent
// has one owner and nothing holds it.
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
