package owners_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/owners"
)

func TestAdopt(t *testing.T) {
	const world = "set/s; set/t; set/u~[x.io/z]; pod/p; pod/q -> set/t^; pod/r -> set/t; pod/x~[x.io/z]; pod/y -> set/u; pod/z -> set/s; spot/one/p; site/two/s"
	for _, tc := range []struct {
		owner, key string
		controller bool
		want       error
		shows      string
		reason     string
	}{
		{"set/s", "pod/p", true, nil, "pod/p -> set/s^", "it has no owner"},
		{"set/s", "pod/p", false, nil, "pod/p -> set/s", "the same, without a controller"},
		{"set/s", "pod/z", true, nil, "pod/z -> set/s", "it has the reference"},
		{"set/s", "pod/r", true, nil, "pod/r -> set/t, set/s^", "it has no controller"},
		{"set/s", "pod/r", false, owners.ErrOwned, "pod/r -> set/t", "it has an owner"},
		{"set/s", "pod/q", true, owners.ErrOwned, "pod/q -> set/t^", "another one manages it"},
		{"set/u", "pod/p", true, graph.ErrRefused, "pod/p", "the owner is being deleted"},
		{"set/s", "pod/x", true, graph.ErrRefused, "pod/x~[x.io/z]", "it is being deleted itself"},
		{"set/s", "pod/y", true, graph.ErrRefused, "pod/y -> set/u", "its owner is being deleted, and lets it go or not"},
		{"set/s@old", "pod/p", true, graph.ErrNotFound, "pod/p", "that one is gone"},
		{"set/s", "pod/p@old", true, graph.ErrNotFound, "pod/p", "so is this one"},
		{"set/s", "pod/none", true, graph.ErrNotFound, "", "there is none"},
		{"pod/p", "pod/p", true, graph.ErrRefused, "pod/p", "it cannot own itself"},
		{"site/two/s", "spot/one/p", true, graph.ErrRefused, "spot/one/p", "the owner is in another scope"},
		{"set/s", "spot/one/p", true, nil, "spot/one/p -> set/s^", "it is global"},
		{`set/s@""`, "pod/p", true, graph.ErrInvalid, "pod/p", "it names no incarnation"},
	} {
		s := newTap(t, world)
		err := owners.Adopt(t.Context(), s, ownerOf(t, tc.owner, tc.controller), keyOf(t, tc.key))
		if !errors.Is(err, tc.want) || tc.want == nil && err != nil {
			t.Errorf("adopt %s for %s: %v, want %v: %s", tc.key, tc.owner, err, tc.want, tc.reason)
		}
		if tc.shows != "" && !strings.Contains("; "+s.shape()+";", "; "+tc.shows+";") {
			t.Errorf("adopt %s for %s: %s, want %s: %s", tc.key, tc.owner, s.shape(), tc.shows, tc.reason)
		}
	}
}

// TestAdoptRaces: Adopt notices a change between its reads and its write. The version shows
// a change of the object. The owner is read last.
func TestAdoptRaces(t *testing.T) {
	for _, tc := range []struct {
		name   string
		before string // the call before which something happens
		do     func(t *testing.T, s *tap)
		want   error
		reason string
	}{
		{"owner marked", "get set", func(t *testing.T, s *tap) { s.delete(t, "set/s", graph.Orphan) }, graph.ErrRefused,
			"an owner that orphans adopts nothing again"},
		{"object changed", "patch pod", func(t *testing.T, s *tap) {
			_ = s.Store.Patch(t.Context(), keyOf(t, "pod/p"), graph.Precondition{}, graph.Change{AddOwner: &graph.Owner{Key: keyOf(t, "set/t"), Controller: true}})
		}, graph.ErrConflict, "another one was faster"},
		{"object recreated", "patch pod", func(t *testing.T, s *tap) {
			s.delete(t, "pod/p", graph.Background)
			s.create(t, "pod/p")
		}, graph.ErrConflict, "it is another object"},
	} {
		s := newTap(t, "set/s[x.io/z]; set/t; pod/p")
		s.call = func(_ context.Context, verb string, key graph.Key, do func() error) error {
			if verb+" "+string(key.Kind) == tc.before {
				tc.do(t, s)
			}
			return do()
		}
		if err := owners.Adopt(t.Context(), s, ownerOf(t, "set/s", true), keyOf(t, "pod/p")); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v: %s", tc.name, err, tc.want, tc.reason)
		}
		if strings.Contains(s.shape(), "set/s^") {
			t.Errorf("%s: %s: %s", tc.name, s.shape(), tc.reason)
		}
	}
}

func TestRemove(t *testing.T) {
	s := newTap(t, "set/s; pod/p -> set/s^, set/t; set/t; pod/q")
	for _, key := range []string{"pod/p", "pod/p", "pod/q"} { // the second time there is nothing to do
		if err := owners.Remove(t.Context(), s, keyOf(t, "set/s"), keyOf(t, key)); err != nil {
			t.Error(err)
		}
	}
	s.contains(t, "pod/p -> set/t; pod/q; set/s; set/t")
	if n := s.patches; n != 1 {
		t.Errorf("%d patches, want 1", n)
	}
	s.call = func(_ context.Context, verb string, _ graph.Key, do func() error) error {
		if verb == "patch" {
			s.delete(t, "pod/p", graph.Background)
			s.create(t, "pod/p -> set/t")
		}
		return do()
	}
	if err := owners.Remove(t.Context(), s, keyOf(t, "set/t"), graph.Key{Kind: "pod", Name: "p"}); !errors.Is(err, graph.ErrConflict) {
		t.Errorf("remove an owner of a pod that was created anew: %v, want a conflict", err)
	}
	if err := owners.Remove(t.Context(), s, keyOf(t, "set/s"), keyOf(t, "pod/none")); !errors.Is(err, graph.ErrNotFound) {
		t.Errorf("remove an owner of an absent pod: %v, want not found", err)
	}
}

// TestReplace: an object changes owners in one write, also away from an owner that is
// being deleted.
func TestReplace(t *testing.T) {
	s := newTap(t, "set/s~[x.io/z]; set/t; set/u~[x.io/z]; pod/p -> set/s^; pod/q; pod/r -> set/t^")
	for _, tc := range []struct {
		to, key string
		want    error
		reason  string
	}{
		{"set/t", "pod/p", nil, "its owner goes, and it stays"},
		{"set/t", "pod/p", nil, "it has moved already"},
		{"set/t", "pod/q", owners.ErrOwned, "the former never had it"},
		{"set/u", "pod/p", owners.ErrOwned, "the former no longer has it"},
	} {
		if err := owners.Replace(t.Context(), s, keyOf(t, "set/s"), ownerOf(t, tc.to, true), keyOf(t, tc.key)); !errors.Is(err, tc.want) || tc.want == nil && err != nil {
			t.Errorf("replace the owner of %s by %s: %v, want %v: %s", tc.key, tc.to, err, tc.want, tc.reason)
		}
	}
	if err := owners.Replace(t.Context(), s, keyOf(t, "set/t"), ownerOf(t, "set/u", true), keyOf(t, "pod/r")); !errors.Is(err, graph.ErrRefused) {
		t.Errorf("replace by an owner that is being deleted: %v", err)
	}
	s.contains(t, "pod/p -> set/t^; pod/q; pod/r -> set/t^; set/s~[x.io/z]; set/t; set/u~[x.io/z]")
	if n := s.patches; n != 1 {
		t.Errorf("%d patches, want 1", n)
	}
}

// TestReplaceByOneThatHasIt: an object has the old owner and the new one. Replace drops the
// old reference only if the new owner keeps the object.
func TestReplaceByOneThatHasIt(t *testing.T) {
	for _, tc := range []struct {
		world, to string
		want      error
		after     string
		reason    string
	}{
		{"set/s; set/u; pod/p -> set/s, set/u", "set/u", nil, "pod/p -> set/u; set/s; set/u", "there is nothing to add"},
		{"set/s; set/u~[x.io/z]; pod/p -> set/s, set/u", "set/u", graph.ErrRefused, "pod/p -> set/s, set/u; set/s; set/u~[x.io/z]", "it would go with the latter"},
		{"set/s; pod/p -> set/s, set/u@gone", "set/u@gone", graph.ErrNotFound, "pod/p -> set/s, set/u@gone; set/s", "it would be left to the garbage collector"},
	} {
		s := newTap(t, tc.world)
		err := owners.Replace(t.Context(), s, keyOf(t, "set/s"), ownerOf(t, tc.to, false), keyOf(t, "pod/p"))
		if !errors.Is(err, tc.want) || tc.want == nil && err != nil {
			t.Errorf("%s: %v, want %v: %s", tc.world, err, tc.want, tc.reason)
		}
		s.contains(t, tc.after)
	}
}
