package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
)

// of is the request for the deletion of objects.
func of(keys ...string) (r plan.Request) {
	for _, k := range keys {
		r.Delete = append(r.Delete, plan.Target{Key: key(k)})
	}
	return r
}

// TestSum: the sum counts all objects of all kinds, each in the right number of grammar.
func TestSum(t *testing.T) {
	for _, c := range []struct {
		totals       []plan.Total
		want, reason string
	}{
		{nil, "0 objects go; 0 are held", "nothing goes"},
		{[]plan.Total{{Removed: 1}}, "1 object goes; 0 are held", "one"},
		{[]plan.Total{{Removed: 2}, {Removed: 3, Held: 1}}, "5 objects go; 1 is held", "of two kinds"},
		{[]plan.Total{{Removed: 1, Orphaned: 1}}, "1 object goes; 1 stays and loses an owner; 0 are held", "an orphan"},
		{[]plan.Total{{Removed: 1, Orphaned: 1, Trimmed: 2}}, "1 object goes; 3 stay and lose an owner; 0 are held", "orphaned or trimmed is one to a reader"},
		{[]plan.Total{{Kept: 1}}, "0 objects go; 1 other stays; 0 are held", "one is context"},
		{[]plan.Total{{Removed: 1, Kept: 2, Held: 2}}, "1 object goes; 2 others stay; 2 are held", "several"},
		{[]plan.Total{{Removed: 2, Possible: 1}}, "2 objects go; 0 are held; 1 of these ends is not certain", "one end"},
		{[]plan.Total{{Removed: 2, Possible: 2}}, "2 objects go; 0 are held; 2 of these ends are not certain", "two ends"},
	} {
		if got := (plan.Plan{Request: of("a"), Totals: c.totals}).Sum(); got != c.want {
			t.Errorf("got %q, want %q: %s", got, c.want, c.reason)
		}
	}
}

// TestSumScopes: the sum names the scopes in which a reader does not expect objects to go, and the
// scope of many objects.
func TestSumScopes(t *testing.T) {
	for _, c := range []struct {
		request      plan.Request
		scopes       string
		want, reason string
	}{
		{of("a/shop/x"), "shop 5", "5 objects go", "the scope of the deleted object"},
		{of("a/shop/x"), "payments 1, shop 4", "5 objects go, 1 of them in another scope (payments)", "another scope"},
		{of("a/shop/x"), "p 1, q 2, shop 4", "7 objects go, 3 of them in 2 other scopes (2 in q)", "other scopes"},
		{of("a/shop/x"), "payments 3", "3 objects go, all of them in another scope (payments)", "the object itself is held"},
		{of("a/shop/x"), "payments 1", "1 object goes in another scope (payments)", "one alone"},
		{of("a/shop/x"), "- 1, shop 1", "2 objects go, 1 of them in another scope (the global scope)", "a global object"},
		{of("a/shop/x"), "shop 501", "501 objects go, all of them in shop", "many objects"},
		{of("a/shop/x", "a/batch/y"), "batch 3, shop 4", "7 objects go", "both scopes are those of the request"},
		{of("a/shop/x", "a/batch/y"), "batch 30, shop 40", "70 objects go, all of them in 2 scopes (40 in shop)", "many objects"},
		{of("ns/prod"), "- 1, prod 500", "501 objects go, 500 of them in prod", "the members of a container"},
		{of("tenant/t"), "- 1, a 5, b 5", "11 objects go, 10 of them in 2 scopes (5 in a)", "the first of the largest"},
		{of("tenant/t"), "- 50", "50 objects go", "no scopes at all"},
		{of(), "batch 1", "without a deletion 1 object goes in batch", "work that is due"},
		{of(), "- 3", "without a deletion 3 objects go", "work that is due"},
		{of("tenant/t"), "\x1b[2J 2", "2 objects go, all of them in \"\\x1b[2J\"", "a scope controls no terminal"},
	} {
		p := plan.Plan{Request: c.request}
		for _, text := range strings.Split(c.scopes, ", ") {
			var s plan.ScopeTotal
			if _, err := fmt.Sscan(text, &s.Scope, &s.Removed); err != nil {
				t.Fatal(err)
			}
			s.Scope = strings.TrimPrefix(s.Scope, "-")
			p.Scopes = append(p.Scopes, s)
			p.Totals = append(p.Totals, plan.Total{Kind: graph.Kind(text), Removed: s.Removed})
		}
		if got := p.Sum(); got != c.want+"; 0 are held" || !strings.Contains(got, fmt.Sprint(p.Goes(), " object")) {
			t.Errorf("%s: got %q, want %q, of %d: %s", c.scopes, got, c.want, p.Goes(), c.reason)
		}
	}
}
