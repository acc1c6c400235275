package graph_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestRestrictedError: the error names the first dependents, counts the others, and is a refusal.
func TestRestrictedError(t *testing.T) {
	key := func(name string) graph.Key { return graph.Key{Kind: "k", Scope: "s", Name: name, UID: graph.UID(name)} }
	var ten []graph.Key
	for i := range 10 {
		ten = append(ten, key(fmt.Sprint("d", 9-i)))
	}
	for _, tc := range []struct {
		dependents []graph.Key
		more       int
		text       string
		reason     string
	}{
		{[]graph.Key{key("b"), key("a")}, 0, "delete k/s/o: owners[].onDelete of k/s/a, k/s/b: restricted: refused", "they are sorted"},
		{[]graph.Key{key("a"), key("a")}, 0, "delete k/s/o: owners[].onDelete of k/s/a: restricted: refused", "an object counts once"},
		{ten, 2, "delete k/s/o: owners[].onDelete of k/s/d0, k/s/d1, k/s/d2, k/s/d3, k/s/d4, k/s/d5, k/s/d6, k/s/d7, 2 more: restricted: refused", "a store may have a million"},
	} {
		before := slices.Clone(tc.dependents)
		err := graph.NewRestrictedError(key("o"), tc.dependents)
		if err.Error() != tc.text || err.More != tc.more {
			t.Errorf("%q and %d more, want %q and %d: %s", err, err.More, tc.text, tc.more, tc.reason)
		}
		if !errors.Is(err, graph.ErrRestricted) || !errors.Is(err, graph.ErrRefused) {
			t.Errorf("%q is no refusal: %s", err, tc.reason)
		}
		if !slices.Equal(before, tc.dependents) {
			t.Errorf("the list of the caller is %v, was %v: %s", tc.dependents, before, tc.reason)
		}
	}
}
