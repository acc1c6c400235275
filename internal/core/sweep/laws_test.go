package sweep

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/sweep/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// hostileText draws names that are made of each other and of the delimiter.
func hostileText(t *rapid.T, delimiter, label string) string {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{"1", "11", "a", delimiter, delimiter[:1], "."}), 1, 5)
	return strings.Join(parts.Draw(t, label), "")
}

// hostileSweep draws a sweep by names, scopes or kinds, from either end.
func hostileSweep(t *rapid.T) (guard.Sweep, string) {
	d := rapid.SampledFrom([]string{"-", "--", ".", "-.", "aa"}).Draw(t, "delimiter")
	suffix := rapid.Bool().Draw(t, "suffix")
	s := guard.Sweep{Finalizer: "x.io/h", Holder: "tenant"}
	for _, by := range rapid.SliceOfNDistinct(rapid.SampledFrom([]guard.By{guard.ByName, guard.ByScope, guard.ByKind}), 1, 3, rapid.ID).Draw(t, "by") {
		s.Members = append(s.Members, guard.Members{By: by, Delimiter: d, Suffix: suffix})
	}
	if rapid.Bool().Draw(t, "phases") {
		s.Phases = []guard.Phase{{Kinds: []graph.Kind{"pod"}}, {KindIs: func(k graph.Kind) bool { return len(k) > 3 }, After: true}}
	}
	return s, d
}

// belongs restates the documentation: a name, a scope or a kind begins, or ends, with the
// holder's name and the delimiter.
func belongs(s guard.Sweep, holder string, o graph.Object) bool {
	for _, m := range s.Members {
		text := map[guard.By]string{guard.ByName: o.Name, guard.ByScope: o.Scope, guard.ByKind: string(o.Kind)}[m.By]
		if m.Suffix && strings.HasSuffix(text, m.Delimiter+holder) || !m.Suffix && strings.HasPrefix(text, holder+m.Delimiter) {
			return true
		}
	}
	return false
}

// hostileWorld draws two tenants, and objects with names made of theirs. A kind has a
// scope for all of its objects, or for none.
func hostileWorld(t *rapid.T, d string) (holders [2]graph.Object, all []graph.Object) {
	for i := range holders {
		holders[i] = graph.Object{
			Key:     graph.Key{Kind: "tenant", Name: hostileText(t, d, "tenant"), UID: graph.UID(fmt.Sprint("t", i))},
			Version: "1", Finalizers: []string{"x.io/h"},
		}
	}
	for i := range rapid.IntRange(0, 8).Draw(t, "objects") {
		text := func(label string) string {
			part := rapid.SampledFrom([]string{holders[0].Name, holders[1].Name, hostileText(t, d, label)}).Draw(t, label)
			rest := hostileText(t, d, "rest")
			return rapid.SampledFrom([]string{part + d + rest, rest + d + part, part, part + rest}).Draw(t, label+" whole")
		}
		o := graph.Object{Key: graph.Key{Kind: "pod", Name: text("name"), UID: graph.UID(fmt.Sprint(i))}, Version: "1"}
		if rapid.Bool().Draw(t, "kind") {
			o.Kind = graph.Kind(text("kind"))
		}
		if i := slices.IndexFunc(all, func(x graph.Object) bool { return x.Kind == o.Kind }); i >= 0 && all[i].Scope != "" || i < 0 && rapid.Bool().Draw(t, "scoped") {
			o.Scope = text("scope")
		}
		if o.Kind != "tenant" && !slices.ContainsFunc(all, func(x graph.Object) bool { return x.Place() == o.Place() }) {
			all = append(all, o)
		}
	}
	return holders, all
}

// hostileRig returns a rig that has observed the tenants and the objects.
func hostileRig(t *rapid.T, s guard.Sweep, tenants, all []graph.Object) *rig {
	r := newRig(t, s)
	infos := []graph.KindInfo{{Kind: "pod"}, {Kind: "tenant"}}
	for _, o := range all {
		info := graph.KindInfo{Kind: o.Kind, Scoped: o.Scope != ""}
		if i := slices.IndexFunc(infos, func(x graph.KindInfo) bool { return x.Kind == info.Kind }); i >= 0 {
			infos[i] = info
		} else {
			infos = append(infos, info)
		}
	}
	r.serveAll(infos)
	r.observe(tenants...)
	r.observe(all...)
	return r
}

// mark makes the watch report that an object is being deleted.
func (r *rig) mark(o *graph.Object) {
	o.Deleting, o.Version = true, o.Version+"0"
	r.observe(*o)
}

// wave walks, proves, and returns the decisions for the objects by index, and for the
// tenants.
func (r *rig) wave(tenants, all []graph.Object) (out []policy.Decision, end policy.Decision) {
	for _, h := range tenants {
		r.judge(h.Key)
	}
	r.walk()
	for _, o := range all { // requests the proofs
		r.judge(o.Key)
	}
	r.pass()
	for _, o := range all {
		out = append(out, r.judge(o.Key))
	}
	for _, h := range tenants[1:] {
		r.judge(h.Key)
	}
	return out, r.judge(tenants[0].Key)
}

// TestSweepExact: a sweep deletes exactly the members of the deleted one of two tenants,
// for all names. While the other tenant lives, it spares the objects that may be the
// other's. These objects then hold the sweep.
func TestSweepExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, d := hostileSweep(t)
		holders, all := hostileWorld(t, d)
		tenants := holders[:]
		if holders[0].Name == holders[1].Name { // a store refuses the second one
			tenants, holders[1].Name = holders[:1], "stranger"
		}
		r := hostileRig(t, s, tenants, all)
		r.mark(&tenants[0])
		members := slices.DeleteFunc(slices.Clone(all), func(o graph.Object) bool { return !belongs(s, holders[0].Name, o) })
		others := func(o graph.Object) bool { return belongs(s, holders[1].Name, o) }
		gone, contested, end := drain(r, tenants, all)
		if err := mustFit(t, s, holders[0]); err != nil {
			if len(gone) > 0 || end.Reason != policy.HolderUnfit {
				t.Fatalf("%v, %v is deleted, and the tenant is decided to %+v", err, gone, end)
			}
			return
		}
		for _, k := range gone {
			if !slices.ContainsFunc(members, func(o graph.Object) bool { return o.Key == k && !others(o) }) {
				t.Fatalf("tenant %q, beside %q: %s is deleted", holders[0].Name, holders[1].Name, k)
			}
		}
		left := len(slices.DeleteFunc(slices.Clone(members), func(o graph.Object) bool { return !others(o) }))
		if held := len(members) - len(gone); held < left || held > left && (left == 0 || s.Phases == nil) { // a phase may wait for contested members
			t.Fatalf("tenant %q, beside %q: of %v only %v are deleted", holders[0].Name, holders[1].Name, members, gone)
		}
		if mustFit(t, s, holders[1]) == nil && len(s.Members) == 1 && left > 0 {
			t.Fatalf("%d objects are of both tenants, whose names both fit", left)
		}
		if released := end.Reason == policy.MembersGone; released != (left == 0) || contested != left {
			t.Fatalf("the tenant is decided to %+v, and %d objects of %d are contested", end, contested, left)
		}
	})
}

// mustFit returns the cause for which a holder is not swept.
func mustFit(t *rapid.T, s guard.Sweep, holder graph.Object) error {
	p, err := plan.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return p.Fit(holder)
}

// drain carries the sweep of the first tenant out until it is done, or held. It returns
// the deleted objects, the number of contested ones, and the tenant's last decision.
func drain(r *rig, tenants, all []graph.Object) (gone []graph.Key, contested int, end policy.Decision) {
	all = slices.Clone(all)
	for range len(all) + 2 {
		decisions, last := r.wave(tenants, all)
		contested, end = 0, last
		before := len(gone)
		for i := len(all) - 1; i >= 0; i-- {
			switch d := decisions[i]; {
			case d.Action == policy.Delete:
				r.leave(all[i], false)
				gone = append(gone, all[i].Key)
				all = slices.Delete(all, i, i+1)
			case d.Reason == policy.Contested:
				contested++
			}
		}
		if len(gone) == before && end.Reason != policy.NeedFence {
			return gone, contested, end
		}
	}
	r.Fatalf("no end: %+v", end)
	return gone, contested, end
}

// TestSweepEnds: from any state a sweep comes to its end. Some objects only become marked,
// and go later by the hand of another client. A phase that waits is never opened before
// its time.
func TestSweepEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, d := hostileSweep(t)
		holders, all := hostileWorld(t, d)
		tenants := holders[:]
		if holders[0].Name == holders[1].Name {
			tenants = holders[:1]
		}
		for i := range all {
			all[i].Deleting = rapid.IntRange(0, 3).Draw(t, "marked") == 0
		}
		r := hostileRig(t, s, tenants, all)
		for i := range tenants {
			r.mark(&tenants[i])
		}
		for range 4*len(all) + 4 {
			decisions, end := r.wave(tenants, all)
			if end.Reason == policy.MembersGone || end.Reason == policy.HolderUnfit {
				return
			}
			left := leftBy(t, s, holders, all)
			for i, d := range decisions {
				if d.Action != policy.Delete {
					continue
				}
				if waits := left(all[i]); waits > 0 {
					t.Fatalf("%s is deleted, and %d are left before it", all[i].Key, waits)
				}
				r.mark(&all[i])
			}
			if i := slices.IndexFunc(all, func(o graph.Object) bool { return o.Deleting }); i >= 0 {
				r.leave(all[i], false)
				all = slices.Delete(all, i, i+1)
			}
		}
		t.Fatalf("no end with %v", all)
	})
}

// leftBy returns the number of pods that are left of the tenants of an object, the fewest of
// one tenant, if the object's phase waits for them.
func leftBy(t *rapid.T, s guard.Sweep, holders [2]graph.Object, all []graph.Object) func(graph.Object) int {
	all = slices.Clone(all)
	return func(o graph.Object) int {
		if s.Phases == nil || o.Kind == "pod" {
			return 0
		}
		fewest := len(all)
		for _, h := range holders {
			if mustFit(t, s, h) != nil || !belongs(s, h.Name, o) {
				continue
			}
			pods := func(x graph.Object) bool { return x.Kind == "pod" && belongs(s, h.Name, x) }
			fewest = min(fewest, len(all)-len(slices.DeleteFunc(slices.Clone(all), pods)))
		}
		return fewest
	}
}
