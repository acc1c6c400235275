package ownergraph_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestManyRootsOneTree: each of 200 marked roots over the same objects comes to a verdict. While
// there are too many of them the guard refuses, and the cause says so. An approval lets one go.
func TestManyRootsOneTree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		many := 1000
		var roots, owners []string
		for i := range 200 {
			roots = append(roots, fmt.Sprintf("k/%d~[%s]", i, guarded))
			owners = append(owners, fmt.Sprintf("k/%d", i))
		}
		tree := "m/m -> " + strings.Join(owners, ", ") + "; c/1 -> m/m; c/2 -> m/m"
		s := newTap(t, strings.Join(roots, "; ")+"; "+tree)
		r := collect(t, s, guarding(finalizer.Guard{Kinds: []graph.Kind{"k"}, Above: &many}))
		r.idle()
		pass(time.Hour)
		refused := 0
		for _, h := range r.Held(1000) {
			if h.Reason != policy.DeletionRefused || !strings.Contains(h.String(), "too many guarded roots are judged with it") {
				t.Errorf("held: %s, want a refusal that names its cause", h)
			}
			refused++
		}
		if refused < 100 || refused == 200 || len(s.Objects()) != refused+3 {
			t.Fatalf("%d of 200 roots are refused, and %d objects are left", refused, len(s.Objects()))
		}
		for _, h := range r.Held(1000) {
			if err := r.Approve(t.Context(), h.Key, ownergraph.Approval{AtMost: &many}); err != nil {
				t.Fatal(err)
			}
		}
		pass(time.Hour)
		s.holds(t, "")
	})
}

// TestTooManyNestedRoots: a root above a chain of too many roots is refused, because its plan does
// not know what goes.
func TestTooManyNestedRoots(t *testing.T) {
	for _, c := range []struct {
		chain  int
		left   int
		reason string
	}{
		{65, 0, "64 others are judged with the first one"},
		{66, 66, "one too many"},
	} {
		synctest.Test(t, func(t *testing.T) {
			list, many := []string{"k/0"}, 1000
			for i := 1; i < c.chain; i++ {
				list = append(list, fmt.Sprintf("k/%d -> k/%d", i, i-1))
			}
			s := newTap(t, strings.Join(list, "; "))
			r := collect(t, s, guarding(finalizer.Guard{Kinds: []graph.Kind{"k"}, Above: &many}))
			r.idle()
			s.delete(t, "k/0", graph.Background)
			held := r.idle()
			if n := len(s.Objects()); n != c.left || c.left > 0 && !strings.Contains(lines(held), "too many guarded roots") {
				t.Errorf("%d objects are left of %d, want %d: %s; held: %s", n, c.chain, c.left, c.reason, lines(held))
			}
		})
	}
}
