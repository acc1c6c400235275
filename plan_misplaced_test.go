package ownergraph_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/plan"
)

// waves lists the objects of a plan that go, by wave.
func waves(p plan.Plan) string {
	byWave := make([][]string, p.Waves+1)
	for _, s := range p.Steps {
		if s.Removes {
			byWave[s.Wave] = append(byWave[s.Wave], s.Key.Name)
		}
	}
	var out []string
	for n, names := range byWave {
		if slices.Sort(names); len(names) > 0 {
			out = append(out, fmt.Sprintf("%d: %s", n, strings.Join(names, " ")))
		}
	}
	return strings.Join(out, "; ")
}

// headline lists the counts of a plan.
func headline(p plan.Plan) string {
	var t plan.Total
	for _, kind := range p.Totals {
		t.Removed += kind.Removed
		t.Orphaned += kind.Orphaned
		t.Trimmed += kind.Trimmed
		t.Kept += kind.Kept
		t.Held += kind.Held
		t.Possible += kind.Possible
	}
	text := fmt.Sprintf("%d removed, %d orphaned, %d trimmed, %d kept, %d held, %d possible", t.Removed, t.Orphaned, t.Trimmed, t.Kept, t.Held, t.Possible)
	list := slices.DeleteFunc(strings.Split(text, ", "), func(s string) bool { return strings.HasPrefix(s, "0 ") })
	return strings.Join(list, ", ")
}

// TestPlanByUID: the counts and the waves of a plan have each object that goes with the owner
// that has the UID of its reference. The plan of a dump and of a store agree, and the
// deletion ends as both say.
func TestPlanByUID(t *testing.T) {
	hold, both := ownergraph.Config{}, ownergraph.Config{Scope: graph.ScopeAbsent, OwnerName: graph.NameAbsent}
	for _, c := range []struct {
		start       string
		propagation graph.Propagation
		cfg         ownergraph.Config
		headline    string
		waves, end  string
		reason      string
	}{
		{start: "cm/a/root@r; cm/b/x -> cm/b/root@r; cm/a/y -> cm/a/old@r", propagation: graph.Background, cfg: hold,
			headline: "3 removed", waves: "1: root; 2: x y", reason: "another scope, and another name"},
		{start: "cm/a/root@r; cm/b/x -> cm/b/root@r; cm/a/y -> cm/a/old@r", propagation: graph.Foreground, cfg: hold,
			headline: "3 removed", waves: "2: root; 3: x y", reason: "they go after the root, and do not block it"},
		{start: "cm/a/root@r; cm/b/x -> cm/b/root@r; cm/a/y -> cm/a/old@r", propagation: graph.Orphan, cfg: hold,
			headline: "1 removed, 2 orphaned", waves: "3: root", end: "cm/a/y; cm/b/x", reason: "the orphaning drops the references"},
		{start: "cm/a/root@r; cm/b/x@x -> cm/b/root@r; cm/b/z -> cm/b/x@x; cm/c/w@w -> cm/c/x@x; cm/c/v -> cm/c/old@w", propagation: graph.Background, cfg: hold,
			headline: "5 removed", waves: "1: root; 2: x; 3: w z; 4: v", reason: "each below the one before it"},
		{start: "cm/a/root@r; cm/a/d@d -> cm/a/root@r; cm/b/x -> cm/b/d@d", propagation: graph.Background, cfg: hold,
			headline: "3 removed", waves: "1: root; 2: d; 3: x", reason: "below a dependent"},
		{start: "cm/a/root@r; cm/b/x@x[z] -> cm/b/root@r; cm/c/w -> cm/c/x@x", propagation: graph.Background, cfg: hold,
			headline: "1 removed, 2 held", waves: "1: root", end: "cm/b/x@x~[z] -> cm/b/root@r; cm/c/w -> cm/c/x@x", reason: "the finalizer keeps x, and x keeps w"},
		{start: "cm/a/root@r; cm/b/x -> cm/b/root@r, cm/b/o; cm/b/o", propagation: graph.Background, cfg: hold,
			headline: "1 removed, 1 trimmed", waves: "1: root", end: "cm/b/o; cm/b/x -> cm/b/o", reason: "another owner stays, and the reference to the root goes"},
		{start: "cm/a/root@r; cm/a/y -> cm/a/old@r, cm/a/o; cm/a/o", propagation: graph.Background, cfg: hold,
			headline: "1 removed, 1 trimmed", waves: "1: root", end: "cm/a/o; cm/a/y -> cm/a/o", reason: "the same under another name"},
		{start: "cm/a/root@r; cm/b/x -> cm/b/root@r; cm/a/y -> cm/a/old@r; cm/b/z -> cm/b/old@r", propagation: graph.Background,
			cfg:      ownergraph.Config{Scope: graph.ScopeAbsent},
			headline: "2 removed", waves: "1: root; 2: y", reason: "another scope is absent, so x and z have gone before"},
		{start: "cm/a/root@r; cm/b/x -> cm/b/root@r; cm/a/y -> cm/a/old@r; cm/b/z -> cm/b/old@r", propagation: graph.Background,
			cfg:      ownergraph.Config{OwnerName: graph.NameAbsent},
			headline: "2 removed", waves: "1: root; 2: x", reason: "another name is absent, so y and z have gone before"},
		{start: "cm/a/root@r; cm/b/x -> cm/b/root@r; cm/a/y -> cm/a/old@r", propagation: graph.Background, cfg: both,
			headline: "1 removed", waves: "1: root", reason: "both have gone before"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := collect(t, newTap(t, c.start), c.cfg)
			r.idle()
			req := request(t, "cm/a/root@r", c.propagation)
			p, err := r.Plan(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if got := headline(p); got != c.headline || waves(p) != c.waves {
				t.Errorf("%s %s: %q in waves %q, want %q in %q: %s", c.start, c.propagation, got, waves(p), c.headline, c.waves, c.reason)
			}
			dump, err := ownergraph.PlanDump(t.Context(), ownergraph.Dump{Objects: r.Objects()}, c.cfg, req)
			if a, b := jsonOf(t, p), jsonOf(t, dump); err != nil || !bytes.Equal(a, b) {
				t.Errorf("%s %s: the plan of the dump differs, %v:\n%s\n%s: %s", c.start, c.propagation, err, a, b, c.reason)
			}
			if err := r.DeletePlanned(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			r.idle()
			if unmet := p.Unmet(r.Objects()); len(unmet) > 0 || r.shape() != c.end {
				t.Errorf("%s %s: end %s, %v, want %s: %s", c.start, c.propagation, r.shape(), unmet, c.end, c.reason)
			}
		})
	}
}

func jsonOf(t *testing.T, p plan.Plan) []byte {
	t.Helper()
	out, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestPlanByUIDOfMany: more dependents than one owner wakes at once are in the plan, in as many
// scopes or under as many names. The guard of the owner counts them.
func TestPlanByUIDOfMany(t *testing.T) {
	const n = 1500
	for _, c := range []struct{ each, reason string }{
		{"; cm/b%[1]d/x -> cm/b%[1]d/root@r", "each in a scope of its own"},
		{"; cm/a/x%[1]d -> cm/a/root%[1]d@r", "each under a name of its own"},
		{"; cm/b/x%d -> cm/b/root@r", "all in one scope"},
	} {
		start := "cm/a/root@r"
		for i := range n {
			start += fmt.Sprintf(c.each, i)
		}
		objects, err := graph.Parse(start)
		if err != nil {
			t.Fatal(err)
		}
		limit := n - 1
		cfg := ownergraph.Config{Guards: []guard.Guard{{Names: []string{"root"}, Above: &limit}}}
		p, err := ownergraph.PlanDump(t.Context(), ownergraph.Dump{Objects: objects}, cfg, request(t, "cm/a/root@r", graph.Background))
		if err != nil || p.Totals[0].Removed != n+1 || p.Totals[0].Possible != 0 {
			t.Errorf("%v, %v, want %d removed for sure: %s", p.Totals, err, n+1, c.reason)
		}
		if len(p.Verdicts) != 1 || p.Verdicts[0].Ends != n {
			t.Errorf("verdicts %v, want %d objects: %s", p.Verdicts, n, c.reason)
		}
	}
}
