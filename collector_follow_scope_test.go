package ownergraph_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
)

// TestFollowScopes: an object in a scope owns nothing in another scope, and a global object may own
// in each. So a wait for an object leaves out the objects that it cannot own, although the
// collector has not seen the end of their owners.
func TestFollowScopes(t *testing.T) {
	const unrelated = "; p/two/z[x.io/f] -> q/two/never@n; r/global[x.io/f] -> s/never@m"
	absent := ownergraph.Config{Scope: graph.ScopeAbsent, OwnerName: graph.NameAbsent}
	for _, c := range []struct {
		objects, root string
		byName        bool
		cfg           ownergraph.Config
		ends          []string // their finalizer goes
		last, reason  string
	}{
		{"p/one/a~[x.io/f] -> q/one/o@o" + unrelated, "p/one/a", false, ownergraph.Config{}, []string{"p/one/a"},
			"1 known, 1 gone, 0 left, 0 held, done true", "it is marked, and its owner is gone"},
		{"p/one/a[x.io/f] -> q/one/o@o" + unrelated, "p/one/a", false, ownergraph.Config{}, []string{"p/one/a"},
			"1 known, 1 gone, 0 left, 0 held, done true", "the collector marks it, because its owner is gone"},
		{"p/one/a~[x.io/f] -> s/o@o" + unrelated, "p/one/a", false, ownergraph.Config{}, []string{"p/one/a"},
			"1 known, 1 gone, 0 left, 0 held, done true", "its owner was global"},
		{"p/one/a~[x.io/f] -> q/one/o; q/one/o" + unrelated, "p/one/a", false, ownergraph.Config{}, []string{"p/one/a"},
			"1 known, 1 gone, 0 left, 0 held, done true", "it is no garbage, so it is its own root"},
		{"p/one/a~[x.io/f] -> q/one/o@o; p/one/y[x.io/f] -> q/one/o@o" + unrelated, "p/one/a", false, ownergraph.Config{}, []string{"p/one/a"},
			"1 known, 1 gone, 0 left, 0 held, done true", "another dependent of its owner"},
		{"p/one/a~[x.io/f] -> q/one/o; q/one/o; p/one/y[x.io/f] -> q/one/never@l" + unrelated, "p/one/a", false, ownergraph.Config{}, []string{"p/one/a"},
			"1 known, 1 gone, 0 left, 0 held, done true", "garbage of its scope, beside one that is no garbage"},
		{"p/one/b[x.io/f] -> q/one/o@o" + unrelated, "q/one/o@o", false, ownergraph.Config{}, []string{"p/one/b"},
			"2 known, 2 gone, 0 left, 0 held, done true", "the collector has never seen the root, which a reference names"},
		{"p/one/b[x.io/f] -> q/one/o@o" + unrelated, "q/one/o", true, ownergraph.Config{}, []string{"p/one/b"},
			"2 known, 2 gone, 0 left, 0 held, done true", "the same by the name alone"},
		{"p/one/b[x.io/f] -> q/one/o@o; p/two/b[x.io/f] -> q/two/o@o2" + unrelated, "q/one/o", true, ownergraph.Config{}, []string{"p/one/b"},
			"2 known, 2 gone, 0 left, 0 held, done true", "another scope has an owner of that name"},
		{"p/one/b[x.io/f] -> q/one/o@o; p/one/c[x.io/f] -> p/one/m@m" + unrelated, "q/one/o", true, ownergraph.Config{}, []string{"p/one/b", "p/one/c"},
			"3 known, 3 gone, 0 left, 0 held, done true", "an object between may have gone with the root"},
		{"p/one/b[x.io/f] -> s/o@o; p/two/c[x.io/f] -> p/two/m@m", "s/o@o", false, ownergraph.Config{}, []string{"p/one/b", "p/two/c"},
			"3 known, 3 gone, 0 left, 0 held, done true", "a global root owns in each scope"},
		{"q/one/o~[x.io/f]; p/two/b -> q/one/o" + unrelated, "q/one/o", false, ownergraph.Config{}, []string{"q/one/o"},
			"1 known, 1 gone, 0 left, 0 held, done true", "a reference from another scope"},
		{"q/one/o~[x.io/f]; p/two/b[x.io/f] -> q/one/o" + unrelated, "q/one/o", false, absent, []string{"q/one/o"},
			"1 known, 1 gone, 0 left, 0 held, done true", "the same, where such an owner counts as absent"},
		{"q/one/o~[x.io/f]; p/two/b -> q/one/o?" + unrelated, "q/one/o", false, ownergraph.Config{}, []string{"q/one/o"},
			"1 known, 1 gone, 0 left, 0 held, done true", "a claim on its UID from another scope"},
		{"q/one/o~[x.io/f]; r/b -> q/one/o" + unrelated, "q/one/o", false, ownergraph.Config{}, []string{"q/one/o"},
			"1 known, 1 gone, 0 left, 0 held, done true", "a reference of a global object"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := scopedTap(t, c.objects)
			r := collect(t, s, c.cfg)
			r.idle()
			key := keyOf(t, c.root)
			if c.byName {
				key.UID = ""
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			waited := make(chan error, 1)
			go func() { waited <- r.Await(ctx, key) }()
			outcome := r.follows(key)
			pass(time.Second)
			for _, name := range c.ends {
				s.finish(t, name, "x.io/f")
			}
			outcome().want(t, c.last, c.reason)
			if err := <-waited; err != nil {
				t.Errorf("%v: %s", err, c.reason)
			}
		})
	}
}

// scopedTap returns a store with the kinds p and q in scopes, and the global kinds r and s.
func scopedTap(t *testing.T, objects string) *tap {
	t.Helper()
	list, err := graph.Parse(objects)
	if err != nil {
		t.Fatal(err)
	}
	kinds := []ownergraph.KindInfo{{Kind: "p", Scoped: true}, {Kind: "q", Scoped: true}, {Kind: "r"}, {Kind: "s"}}
	s, err := memory.New(memory.Config{Kinds: kinds, Objects: list, UIDPrefix: "new-"})
	if err != nil {
		t.Fatal(err)
	}
	return &tap{Store: s}
}
