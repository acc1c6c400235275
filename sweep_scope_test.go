package ownergraph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/plan"
)

// TestSweepInScope: a plan and an explanation say that the sweep of a holder in a scope covers no
// member outside of it. The sweep leaves such a member. A holder without a scope, a holder that
// stays and another object have no such line.
func TestSweepInScope(t *testing.T) {
	byName := guard.Sweep{Finalizer: "x.io/tenant", Holder: "tenant", Members: []guard.Members{{By: guard.ByName, Delimiter: "-"}},
		Holders: func(o graph.Object) bool { return o.Name != "other" }}
	for _, c := range []struct {
		objects, deleted, explained string
		plan, text                  string
		left                        string
		reason                      string
	}{
		{"tenant/s/a[x.io/tenant]; pod/s/a-1; pod/z/a-2", "tenant/s/a", "tenant/s/a", "tenant/s/a", "tenant/s/a (x.io/tenant)",
			"pod/z/a-2", "the holder has a scope"},
		{"tenant/a[x.io/tenant]; pod/s/a-1; pod/z/a-2", "tenant/a", "tenant/a", "", "", "", "the holder has none"},
		{"tenant/s/other; pod/s/other-1", "tenant/s/other", "tenant/s/other", "", "", "pod/s/other-1", "the sweep does not select the holder"},
		{"tenant/s/a[x.io/tenant]; pod/s/a-1", "pod/s/a-1", "pod/s/a-1", "", "", "tenant/s/a[x.io/tenant]", "a member"},
		{"cm/s/o; cm/s/p; tenant/s/a[x.io/tenant] -> cm/s/o, cm/s/p; pod/s/a-1", "cm/s/o", "tenant/s/a", "", "tenant/s/a (x.io/tenant)",
			"cm/s/p; pod/s/a-1; tenant/s/a[x.io/tenant] -> cm/s/p", "another owner keeps the holder"},
		{"cm/s/o; tenant/s/a[x.io/tenant] -> cm/s/o; tenant/s/b[x.io/tenant] -> cm/s/o", "cm/s/o", "cm/s/o", "tenant/s/a, tenant/s/b", "",
			"", "each holder of the plan"},
	} {
		testSweep(t, c.objects, sweeping(byName), func(t *testing.T, r *rig) {
			p, err := r.Plan(t.Context(), request(t, c.deleted, graph.Background))
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, a := range p.Assumptions {
				if a.Type == plan.SweepInScope {
					names = append(names, a.Name)
				}
			}
			if got := strings.Join(names, ", "); got != c.plan {
				t.Errorf("%s: the plan names %q, want %q: %s", c.objects, got, c.plan, c.reason)
			}
			for _, name := range names {
				if line := fmt.Sprintf("assumed: the sweep of %s covers the members in its own scope alone\n", name); !strings.Contains(p.Text(), line) {
					t.Errorf("%s: no line %q in:\n%s", c.objects, line, p.Text())
				}
			}
			x, err := r.Explain(t.Context(), keyOf(t, c.explained))
			if err != nil {
				t.Fatal(err)
			}
			_, got, _ := strings.Cut(x.Text(), "Members outside its scope are not covered by the sweep of ")
			if got, _, _ = strings.Cut(got, ".\n"); got != c.text {
				t.Errorf("%s: the explanation names %q, want %q: %s", c.objects, got, c.text, c.reason)
			}
			if err := r.Store.Delete(t.Context(), keyOf(t, c.deleted), ownergraph.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			r.idle()
			if got := r.shape(); got != c.left {
				t.Errorf("%s: left are %q, want %q: %s", c.objects, got, c.left, c.reason)
			}
		})
	}
}
