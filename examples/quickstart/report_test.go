package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
)

func TestReport(t *testing.T) {
	marked := node("a")
	marked.Deleting, marked.Finalizers = true, []string{"x/y", graph.FinalizerForeground}
	graced := node("b")
	graced.Deleting, graced.GraceSeconds = true, 30
	again := node("a")
	again.UID = "second"
	keyOf := func(o graph.Object) graph.Key { return o.Key }
	tests := []struct {
		name, reason  string
		before, after []graph.Object
		holds         []held
		want          string
	}{
		{"nothing", "nothing was asked for", []graph.Object{node("a")}, []graph.Object{node("a")}, nil, "0 of 1 objects are gone, 1 stay\n"},
		{"gone", "counts by kind", []graph.Object{node("a"), node("b"), node("c")}, []graph.Object{node("b")}, nil,
			"2 of 3 objects are gone, 1 stay\n      2  K\n"},
		{"orphaned", "a lost reference is named", []graph.Object{node("a"), node("b", "a", "c")}, []graph.Object{node("b", "c")}, nil,
			"1 of 2 objects are gone, 1 stay\n      1  K\n1 no longer name an owner\n  K/s/b: K/s/a\n"},
		{"held", "a reason is given as it was", []graph.Object{node("b")}, []graph.Object{node("b")}, []held{{keyOf(node("b")), "because"}},
			"0 of 1 objects are gone, 1 stay\n1 are held\n  K/s/b: because\n"},
		{"held and gone", "a hold that ended is history", []graph.Object{node("b")}, nil, []held{{keyOf(node("b")), "because"}},
			"1 of 1 objects are gone, 0 stay\n      1  K\n"},
		{"marked", "a mark is explained by the object itself; the engine's own finalizer is not foreign", []graph.Object{marked, graced}, []graph.Object{marked, graced}, nil,
			"0 of 2 objects are gone, 2 stay\n2 are held\n  K/s/a: is being deleted and waits for finalizer x/y, foregroundDeletion\n" +
				"  K/s/b: is being deleted and has a grace period of 30 s\n" +
				"1 carry finalizers that nobody here handles: a deletion marks them, and they stay\n      1  x/y on K\n"},
		{"marked and explained", "a better reason takes the place of the plain one", []graph.Object{graced}, []graph.Object{graced}, []held{{keyOf(graced), "because"}},
			"0 of 1 objects are gone, 1 stay\n1 are held\n  K/s/b: because\n"},
		{"another incarnation", "the UID tells one from the other", []graph.Object{node("a")}, []graph.Object{again}, nil,
			"1 of 1 objects are gone, 1 stay\n      1  K\n1 objects are new\n      1  K\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := report(tt.before, tt.after, tt.holds); got != tt.want {
				t.Errorf("report:\n%swant:\n%s%s", got, tt.want, tt.reason)
			}
		})
	}
}

func TestReportCutsLongLists(t *testing.T) {
	var objects []graph.Object
	var holds []held
	for i := range maxListed + 3 {
		o := node(fmt.Sprintf("%03d", i))
		objects, holds = append(objects, o), append(holds, held{o.Key, "because"})
	}
	got := report(objects, objects, holds)
	if !strings.HasSuffix(got, "  K/s/039: because\n  ... and 3 more K\n") || !strings.Contains(got, "\n43 are held\n") {
		t.Errorf("report:\n%s", got)
	}
}

func TestReportIgnoresOrder(t *testing.T) {
	before := loadRecorded(t).objects
	after := slices.Clone(before[:200])
	var holds []held
	for _, o := range after[:50] {
		holds = append(holds, held{o.Key, "one"}, held{o.Key, "two"})
	}
	want := report(before, after, holds)
	rapid.Check(t, func(t *rapid.T) {
		got := report(rapid.Permutation(before).Draw(t, "before"), rapid.Permutation(after).Draw(t, "after"), rapid.Permutation(holds).Draw(t, "holds"))
		if got != want {
			t.Errorf("report differs:\n%s", got)
		}
	})
}
