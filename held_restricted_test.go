package ownergraph_test

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestHeldRestricted: the report of a restricted object names the objects that restrict it.
func TestHeldRestricted(t *testing.T) {
	for _, tc := range []struct{ objects, delete, held, names, reason string }{
		{"R; a -> R; b -> a:restrict; c -> a:restrict", "R", "a", "b c", "the cascade stops there"},
		{"R[x.io/f]; b -> R:restrict", "R", "R", "b", "its mark counts for no dependent"},
	} {
		store, c, end := startPolicies(t, tc.objects, false)
		if err := store.Delete(t.Context(), graph.Key{Kind: graph.Kind(tc.delete), Name: tc.delete}, graph.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.WaitIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		list := c.Held(10)
		end()
		found := false
		for _, h := range list {
			if h.Key.Name != tc.held {
				continue
			}
			found = true
			got := strings.Join(h.Detail, " ")
			if h.Reason != policy.Restricted || got != tc.names {
				t.Errorf("%s: held %v by %q, want %v by %q: %s", tc.objects, h.Reason, got, policy.Restricted, tc.names, tc.reason)
			}
		}
		if !found {
			t.Errorf("%s: %s is not held: %v", tc.objects, tc.held, list)
		}
	}
}
