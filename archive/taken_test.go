package archive

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestTakenError: the text counts one name and many, and lists the first ones in order.
func TestTakenError(t *testing.T) {
	for _, tc := range []struct {
		n      int
		want   string
		reason string
	}{
		{1, `restore: 1 name is taken: k/a0@u0`, "one"},
		{2, `restore: 2 names are taken: k/a0@u0, k/a1@u1`, "two"},
		{9, `restore: 9 names are taken: k/a0@u0, k/a1@u1, k/a2@u2, k/a3@u3, k/a4@u4, k/a5@u5, k/a6@u6, k/a7@u7 and 1 more`, "more than the text lists"},
	} {
		e := &TakenError{Taken: map[graph.UID]graph.Key{}}
		for i := range tc.n {
			e.Taken[graph.UID(fmt.Sprintf("entry-%d", i))] = graph.Key{Kind: "k", Name: fmt.Sprintf("a%d", i), UID: graph.UID(fmt.Sprintf("u%d", i))}
		}
		if e.Error() != tc.want || !errors.Is(e, graph.ErrConflict) {
			t.Errorf("%s: %s\nwant %s", tc.reason, e, tc.want)
		}
	}
}

// TestRefusedError: the text has the first root with its reason once, and the number of the others.
func TestRefusedError(t *testing.T) {
	root := func(why Why) Left {
		e := &Entry{Object: graph.Object{Key: graph.Key{Kind: "k", Name: "r", UID: "u"}}, Unreadable: "the column x is gone"}
		return Left{Entry: e, Why: why}
	}
	missing := root(CascadeMissing)
	missing.Owner.Key = graph.Key{Kind: "k", Name: "o", UID: "v"}
	for _, tc := range []struct {
		list   []Left
		want   string
		reason string
	}{
		{[]Left{root(PayloadUnreadable)}, `restore k/r@u: its payload cannot be read (the column x is gone)`, "the cause once"},
		{[]Left{missing, root(Purged)}, `restore k/r@u: a cascade owner is missing (k/o@v), and 1 more root is refused`, "one more"},
		{[]Left{root(RingTooLarge), root(Purged), root(Purged)}, `restore k/r@u: its ring is too large, and 2 more roots are refused`, "two more"},
	} {
		e := &RefusedError{Refused: tc.list}
		if e.Error() != tc.want || !errors.Is(e, graph.ErrRefused) {
			t.Errorf("%s: %s\nwant %s", tc.reason, e, tc.want)
		}
	}
}
