package ownergraph_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
)

// startPolicies runs a collector on a store with these objects, until the end.
func startPolicies(t *testing.T, objects string, strict bool) (store *memory.Store, c *ownergraph.Collector, end func()) {
	t.Helper()
	parsed, err := graph.Parse(objects)
	if err != nil {
		t.Fatal(err)
	}
	if store, err = memory.New(memory.Config{Objects: parsed, Strict: strict}); err != nil {
		t.Fatal(err)
	}
	if c, err = ownergraph.New(store, ownergraph.Config{Policies: true}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	return store, c, func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// policyWorld runs a collector on a store with these objects, and deletes some of them in order, each
// after the collector is at rest. A deletion is such as "fg a". It returns the objects that are left,
// without versions, and the errors of the deletions.
func policyWorld(t *testing.T, objects string, strict bool, deletions ...string) (left string, refused []error) {
	t.Helper()
	store, c, end := startPolicies(t, objects, strict)
	words := map[string]graph.Propagation{"bg": ownergraph.Background, "fg": ownergraph.Foreground, "orphan": ownergraph.Orphan}
	for _, d := range deletions {
		how, name, _ := strings.Cut(d, " ")
		key, err := graph.ParseKey(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.WaitIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := store.Delete(t.Context(), key, graph.DeleteOptions{Propagation: words[how]}); err != nil {
			refused = append(refused, err)
		}
	}
	if _, err := c.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	end()
	var names []string
	for _, o := range store.Objects() {
		o.Version, o.Generation = "", 0
		names = append(names, o.String())
	}
	return strings.Join(names, "; "), refused
}

// TestPolicies: the ends of cascades over references with policies, at level 2 and at level 3.
func TestPolicies(t *testing.T) {
	for _, tc := range []struct {
		objects, deletions string
		left               string // at level 2
		strict             string // at level 3, if it differs
		refused            int    // at level 3
		reason             string
	}{
		{"R; a -> R", "bg R", "", "", 0, "an unset reference: today's rule"},
		{"R; o; a -> R:cascade, o", "bg R", "o", "", 0, "one cascade owner is enough"},
		{"R; o; a -> R:cascade, o", "bg o", "R", "", 0, "a cascade owner does not keep"},
		{"R; a -> R:release", "bg R", "a", "", 0, "a released object stays"},
		{"R; o; a -> R:release, o", "bg o", "R", "", 0, "a release reference does not keep"},
		{"R; a -> R:release!", "fg R", "a", "", 0, "a release reference goes at the foreground mark, so that R does not wait for ever"},
		{"R; a -> R:cascade; b -> R:release; c -> R", "orphan R", "a; b; c", "", 0, "orphaning frees each reference that deletes"},
		{"R; a -> R:restrict", "bg R", "a -> R:restrict", "R; a -> R:restrict", 1, "the store refuses at level 3, and below it nothing does"},
		{"R; a -> R:restrict", "fg R", "R~[foreground]; a -> R:restrict", "R; a -> R:restrict", 1, "below level 3 the mark counts for no dependent"},
		{"R; b -> R:restrict; a -> R", "fg R", "R~[foreground]; a -> R; b -> R:restrict", "R; a -> R; b -> R:restrict", 1, "so a stays, too"},
		{"R; b -> R:restrict; a -> R", "fg R, bg b", "", "R; a -> R", 1, "the mark takes effect when the restriction ends"},
		{"R; a -> R; b -> a:restrict", "bg R", "a -> R; b -> a:restrict", "", 0, "the cascade stops at a restricted object"},
		{"R; a -> R; b -> a:restrict", "bg R, bg b", "", "", 0, "and goes on when the restriction ends"},
		{"R; a -> R; b -> R, a:restrict", "bg R", "", "", 0, "an object of the cascade restricts until its own mark"},
		{"R; a -> R, b:restrict; b -> R, a:restrict", "bg R", "a -> R, b:restrict; b -> R, a:restrict", "", 0, "a ring of restrict stays"},
		{"R; a -> R, b:restrict; b -> a!", "fg R", "", "", 0, "a mark of the restricting object is enough"},
		{"R; a -> R; b -> R:cascade, a:restrict; c -> b:restrict", "bg R", "a -> R; b -> R:cascade, a:restrict; c -> b:restrict", "", 0, "that b is garbage does not end its restriction"},
		{"R; a -> R:release; b -> R:cascade, a", "fg R", "a", "", 0, "a waiting cascade reference is not trimmed beside a solid owner"},
		{"R; a; b -> R, a:cascade", "bg a, orphan R", "", "", 0, "a cascade owner that is gone deletes"},
	} {
		for _, level := range []struct {
			strict bool
			want   string
		}{{false, tc.left}, {true, tc.strict}} {
			want, refused := level.want, 0
			if level.strict {
				if refused = tc.refused; refused == 0 {
					want = tc.left
				}
			}
			left, errs := policyWorld(t, tc.objects, level.strict, strings.Split(tc.deletions, ", ")...)
			if left != want || len(errs) != refused {
				t.Errorf("%s of %s, strict %v:\n got %s, refused %v\nwant %s, refused %d: %s", tc.deletions, tc.objects, level.strict, left, errs, want, refused, tc.reason)
			}
			for _, err := range errs {
				if r := (*graph.RestrictedError)(nil); !errors.Is(err, ownergraph.ErrRestricted) || !errors.As(err, &r) || len(r.Dependents) == 0 {
					t.Errorf("%s of %s: %v, want ErrRestricted with dependents: %s", tc.deletions, tc.objects, err, tc.reason)
				}
			}
		}
	}
}
