package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// hostileText draws names that are made of each other and of the delimiter.
func hostileText(t *rapid.T, delimiter, label string) string {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{"1", "11", "a", delimiter, delimiter[:1], "."}), 1, 5)
	return strings.Join(parts.Draw(t, label), "")
}

// hostileSweep draws a sweep by names, scopes or kinds, from either end.
func hostileSweep(t *rapid.T) (finalizer.Sweep, string) {
	d := rapid.SampledFrom([]string{"-", "--", ".", "-.", "aa"}).Draw(t, "delimiter")
	suffix := rapid.Bool().Draw(t, "suffix")
	s := finalizer.Sweep{Finalizer: "x.io/h", Holder: "tenant"}
	for _, by := range rapid.SliceOfNDistinct(rapid.SampledFrom([]finalizer.By{finalizer.ByName, finalizer.ByScope, finalizer.ByKind}), 1, 3, rapid.ID).Draw(t, "by") {
		s.Members = append(s.Members, finalizer.Members{By: by, Delimiter: d, Suffix: suffix})
	}
	if rapid.Bool().Draw(t, "phases") {
		s.Phases = []finalizer.Phase{{Kinds: []graph.Kind{"pod"}}, {KindIs: func(k graph.Kind) bool { return len(k) > 3 }, After: true}}
	}
	return s, d
}

// belongs restates the documentation: a name, a scope or a kind begins, or ends, with the
// holder's name and the delimiter.
func belongs(s finalizer.Sweep, holder string, o graph.Object) bool {
	for _, m := range s.Members {
		text := map[finalizer.By]string{finalizer.ByName: o.Name, finalizer.ByScope: o.Scope, finalizer.ByKind: string(o.Kind)}[m.By]
		if m.Suffix && strings.HasSuffix(text, m.Delimiter+holder) || !m.Suffix && strings.HasPrefix(text, holder+m.Delimiter) {
			return true
		}
	}
	return false
}

// hostileWorld draws two tenants, and objects with names made of theirs.
func hostileWorld(t *rapid.T, s finalizer.Sweep, d string) (holders [2]graph.Object, all []graph.Object) {
	for i := range holders {
		holders[i].Key = graph.Key{Kind: "tenant", Name: hostileText(t, d, "tenant"), UID: graph.UID(fmt.Sprint("t", i))}
		all = append(all, holders[i])
	}
	for i := range rapid.IntRange(0, 8).Draw(t, "objects") {
		text := func(label string) string {
			part := rapid.SampledFrom([]string{holders[0].Name, holders[1].Name, hostileText(t, d, label)}).Draw(t, label)
			rest := hostileText(t, d, "rest")
			return rapid.SampledFrom([]string{part + d + rest, rest + d + part, part, part + rest}).Draw(t, label+" whole")
		}
		o := graph.Object{Key: graph.Key{Kind: "pod", Name: text("name"), UID: graph.UID(fmt.Sprint(i))}, Version: "1"}
		if rapid.Bool().Draw(t, "scoped") {
			o.Scope = text("scope")
		}
		if rapid.Bool().Draw(t, "kind") {
			o.Kind = graph.Kind(text("kind"))
		}
		if o.Kind != "tenant" && !slices.ContainsFunc(all, func(x graph.Object) bool { return x.Place() == o.Place() }) {
			all = append(all, o)
		}
	}
	return holders, all
}

// drain carries a sweep out until it is done, or held.
func drain(t *rapid.T, p *Plan, holder graph.Object, all []graph.Object) (gone []graph.Key, last Step) {
	for range 2*len(all) + 2 {
		step, err := p.Next(holder, all)
		if err != nil {
			return gone, step
		}
		last = step
		if len(step.Delete) == 0 {
			return gone, last
		}
		for _, d := range step.Delete {
			i := slices.IndexFunc(all, func(o graph.Object) bool { return o.Key == d.Key })
			if i < 0 || d.Options.Precondition != (graph.Precondition{UID: d.Key.UID, Version: all[i].Version}) || d.Key.UID == "" {
				t.Fatalf("%s is deleted with %+v", d.Key, d.Options)
			}
			all = slices.Delete(slices.Clone(all), i, i+1)
			gone = append(gone, d.Key)
		}
	}
	t.Fatalf("no end: %+v", last)
	return gone, last
}

// TestSweepExact: a sweep deletes exactly the members of the deleted one of two tenants,
// for all names. While the other tenant lives, it spares the objects that may be the
// other's. These objects then hold the sweep.
func TestSweepExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, d := hostileSweep(t)
		p := mustPlan(t, s)
		holders, all := hostileWorld(t, s, d)
		if holders[0].Name == holders[1].Name { // a store refuses the second one
			all = slices.Delete(all, 1, 2)
			holders[1].Name = "stranger"
		}
		all[0].Deleting, holders[0].Deleting = true, true
		gone, last := drain(t, p, holders[0], all)
		if err := p.Fit(holders[0]); err != nil {
			if len(gone) > 0 {
				t.Fatalf("%v, and %v is deleted", err, gone)
			}
			return
		}
		members := slices.DeleteFunc(slices.Clone(all), func(o graph.Object) bool { return o.Kind == "tenant" || !belongs(s, holders[0].Name, o) })
		others := func(o graph.Object) bool { return belongs(s, holders[1].Name, o) }
		for _, k := range gone {
			if !slices.ContainsFunc(members, func(o graph.Object) bool { return o.Key == k && !others(o) }) {
				t.Fatalf("tenant %q, beside %q: %s is deleted", holders[0].Name, holders[1].Name, k)
			}
		}
		left := len(slices.DeleteFunc(slices.Clone(members), func(o graph.Object) bool { return !others(o) }))
		if held := len(members) - len(gone); held < left || held > left && (left == 0 || s.Phases == nil) { // a phase may wait for contested members
			t.Fatalf("tenant %q, beside %q: of %v only %v are deleted", holders[0].Name, holders[1].Name, members, gone)
		}
		if p.Fit(holders[1]) == nil && len(s.Members) == 1 && left > 0 {
			t.Fatalf("%d objects are of both tenants, whose names both fit", left)
		}
		if last.Done != (left == 0) || len(last.Contested) != left {
			t.Fatalf("%+v, and %d objects are contested", last, left)
		}
	})
}

// TestNextEnds: from any state a sweep comes to its end. Some objects only become marked,
// and go later by the hand of another client. A phase that waits is never opened before
// its time.
func TestNextEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, d := hostileSweep(t)
		p := mustPlan(t, s)
		holders, all := hostileWorld(t, s, d)
		holder := holders[0]
		holder.Deleting = true
		for i := range all {
			all[i].Deleting = all[i].Deleting || all[i].Kind == "tenant" || rapid.IntRange(0, 3).Draw(t, "marked") == 0
		}
		for range 4*len(all) + 4 {
			step, err := p.Next(holder, all)
			if err != nil || step.Done {
				return
			}
			for _, del := range step.Delete {
				i := slices.IndexFunc(all, func(o graph.Object) bool { return o.Key == del.Key })
				if phase := p.PhaseOf(all[i]); p.Phase(phase).After && slices.ContainsFunc(step.Left[:phase], func(n int) bool { return n > 0 }) {
					t.Fatalf("%s is deleted, %v are left before it", del.Key, step.Left)
				}
				all[i].Deleting = true
			}
			marked := func(o graph.Object) bool { return o.Deleting && o.Kind != "tenant" }
			if i := slices.IndexFunc(all, marked); i >= 0 {
				all = slices.Delete(all, i, i+1)
			}
		}
		t.Fatalf("no end with %v", all)
	})
}
