package owners_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/owners"
)

// TestAdoptJudgesWhatItWrites: Adopt writes only to the version that it has judged. An
// object may change while Adopt reads its owner. Adopt does not overwrite that change, and
// the next try judges the object anew.
func TestAdoptJudgesWhatItWrites(t *testing.T) {
	for _, tc := range []struct {
		name, start, after string
		do                 func(s *tap) error
		reason             string
	}{
		{"another controller", "set/s; set/t; pod/p", "pod/p -> set/t^; set/s; set/t", func(s *tap) error {
			return s.Store.Patch(context.Background(), graph.Key{Kind: "pod", Name: "p", UID: "pod/p"}, graph.Precondition{},
				graph.Change{AddOwner: &graph.Owner{Key: graph.Key{Kind: "set", Name: "t", UID: "set/t"}, Controller: true}})
		}, "it has one already"},
		{"marked", "set/s; pod/p[x.io/z]", "pod/p~[x.io/z]; set/s", func(s *tap) error {
			return s.Store.Delete(context.Background(), graph.Key{Kind: "pod", Name: "p", UID: "pod/p"}, graph.DeleteOptions{})
		}, "it is being deleted"},
	} {
		s := newTap(t, tc.start)
		s.call = func(_ context.Context, verb string, key graph.Key, do func() error) error {
			if verb == "get" && key.Kind == "set" {
				if err := tc.do(s); err != nil {
					t.Error(err)
				}
			}
			return do()
		}
		err := owners.Adopt(t.Context(), s, ownerOf(t, "set/s", true), keyOf(t, "pod/p"))
		if !errors.Is(err, graph.ErrConflict) {
			t.Errorf("%s: %v, want a conflict: %s", tc.name, err, tc.reason)
		}
		s.contains(t, tc.after)
	}
}
