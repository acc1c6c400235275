package ownergraph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

func ownerOf(t *testing.T, line string, controller bool) ownergraph.Owner {
	t.Helper()
	return ownergraph.Owner{Key: keyOf(t, line), Controller: controller}
}

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
		{"set/s", "pod/r", false, ownergraph.ErrOwned, "pod/r -> set/t", "it has an owner"},
		{"set/s", "pod/q", true, ownergraph.ErrOwned, "pod/q -> set/t^", "another one manages it"},
		{"set/u", "pod/p", true, ownergraph.ErrRefused, "pod/p", "the owner is being deleted"},
		{"set/s", "pod/x", true, ownergraph.ErrRefused, "pod/x~[x.io/z]", "it is being deleted itself"},
		{"set/s", "pod/y", true, ownergraph.ErrRefused, "pod/y -> set/u", "its owner is being deleted, and lets it go or not"},
		{"set/s@old", "pod/p", true, ownergraph.ErrNotFound, "pod/p", "that one is gone"},
		{"set/s", "pod/p@old", true, ownergraph.ErrNotFound, "pod/p", "so is this one"},
		{"set/s", "pod/none", true, ownergraph.ErrNotFound, "", "there is none"},
		{"pod/p", "pod/p", true, ownergraph.ErrRefused, "pod/p", "it cannot own itself"},
		{"site/two/s", "spot/one/p", true, ownergraph.ErrRefused, "spot/one/p", "the owner is in another scope"},
		{"set/s", "spot/one/p", true, nil, "spot/one/p -> set/s^", "it is global"},
		{`set/s@""`, "pod/p", true, ownergraph.ErrInvalid, "pod/p", "it names no incarnation"},
	} {
		s := newTap(t, world)
		err := ownergraph.Adopt(t.Context(), s, ownerOf(t, tc.owner, tc.controller), keyOf(t, tc.key))
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
		{"owner marked", "get set", func(t *testing.T, s *tap) { s.delete(t, "set/s", ownergraph.Orphan) }, ownergraph.ErrRefused,
			"an owner that orphans adopts nothing again"},
		{"object changed", "patch pod", func(t *testing.T, s *tap) {
			_ = s.Store.Patch(t.Context(), keyOf(t, "pod/p"), ownergraph.Precondition{}, ownergraph.Change{AddOwner: &ownergraph.Owner{Key: keyOf(t, "set/t"), Controller: true}})
		}, ownergraph.ErrConflict, "another one was faster"},
		{"object recreated", "patch pod", func(t *testing.T, s *tap) {
			s.delete(t, "pod/p", ownergraph.Background)
			s.create(t, "pod/p")
		}, ownergraph.ErrConflict, "it is another object"},
	} {
		s := newTap(t, "set/s[x.io/z]; set/t; pod/p")
		s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
			if verb+" "+string(key.Kind) == tc.before {
				tc.do(t, s)
			}
			return do()
		}
		if err := ownergraph.Adopt(t.Context(), s, ownerOf(t, "set/s", true), keyOf(t, "pod/p")); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v: %s", tc.name, err, tc.want, tc.reason)
		}
		if strings.Contains(s.shape(), "set/s^") {
			t.Errorf("%s: %s: %s", tc.name, s.shape(), tc.reason)
		}
	}
}

func TestRelease(t *testing.T) {
	s := newTap(t, "set/s; pod/p -> set/s^, set/t; set/t; pod/q")
	for _, key := range []string{"pod/p", "pod/p", "pod/q"} { // the second time there is nothing to do
		if err := ownergraph.RemoveOwner(t.Context(), s, keyOf(t, "set/s"), keyOf(t, key)); err != nil {
			t.Error(err)
		}
	}
	s.holds(t, "pod/p -> set/t; pod/q; set/s; set/t")
	if n := s.count("patch"); n != 1 {
		t.Errorf("%d patches, want 1", n)
	}
	s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
		if verb == "patch" {
			s.delete(t, "pod/p", ownergraph.Background)
			s.create(t, "pod/p -> set/t")
		}
		return do()
	}
	if err := ownergraph.RemoveOwner(t.Context(), s, keyOf(t, "set/t"), ownergraph.Key{Kind: "pod", Name: "p"}); !errors.Is(err, ownergraph.ErrConflict) {
		t.Errorf("release a pod that was created anew: %v, want a conflict", err)
	}
	if err := ownergraph.RemoveOwner(t.Context(), s, keyOf(t, "set/s"), keyOf(t, "pod/none")); !errors.Is(err, ownergraph.ErrNotFound) {
		t.Errorf("release an absent pod: %v, want not found", err)
	}
}

// TestMove: an object changes owners in one write, also away from an owner that is
// being deleted.
func TestMove(t *testing.T) {
	s := newTap(t, "set/s~[x.io/z]; set/t; set/u~[x.io/z]; pod/p -> set/s^; pod/q; pod/r -> set/t^")
	for _, tc := range []struct {
		to, key string
		want    error
		reason  string
	}{
		{"set/t", "pod/p", nil, "its owner goes, and it stays"},
		{"set/t", "pod/p", nil, "it has moved already"},
		{"set/t", "pod/q", ownergraph.ErrOwned, "the former never had it"},
		{"set/u", "pod/p", ownergraph.ErrOwned, "the former has it no more"},
	} {
		if err := ownergraph.ReplaceOwner(t.Context(), s, keyOf(t, "set/s"), ownerOf(t, tc.to, true), keyOf(t, tc.key)); !errors.Is(err, tc.want) || tc.want == nil && err != nil {
			t.Errorf("move %s to %s: %v, want %v: %s", tc.key, tc.to, err, tc.want, tc.reason)
		}
	}
	if err := ownergraph.ReplaceOwner(t.Context(), s, keyOf(t, "set/t"), ownerOf(t, "set/u", true), keyOf(t, "pod/r")); !errors.Is(err, ownergraph.ErrRefused) {
		t.Errorf("move to an owner that is being deleted: %v", err)
	}
	s.holds(t, "pod/p -> set/t^; pod/q; pod/r -> set/t^; set/s~[x.io/z]; set/t; set/u~[x.io/z]")
	if n := s.count("patch"); n != 1 {
		t.Errorf("%d patches, want 1", n)
	}
}

// TestMoveToWhomItHas: an object has the old owner and the new one. ReplaceOwner drops the
// old reference only if the new owner keeps the object.
func TestMoveToWhomItHas(t *testing.T) {
	for _, tc := range []struct {
		world, to string
		want      error
		after     string
		reason    string
	}{
		{"set/s; set/u; pod/p -> set/s, set/u", "set/u", nil, "pod/p -> set/u; set/s; set/u", "there is nothing to add"},
		{"set/s; set/u~[x.io/z]; pod/p -> set/s, set/u", "set/u", ownergraph.ErrRefused, "pod/p -> set/s, set/u; set/s; set/u~[x.io/z]", "it would go with the latter"},
		{"set/s; pod/p -> set/s, set/u@gone", "set/u@gone", ownergraph.ErrNotFound, "pod/p -> set/s, set/u@gone; set/s", "it would be left to the garbage collector"},
	} {
		s := newTap(t, tc.world)
		err := ownergraph.ReplaceOwner(t.Context(), s, keyOf(t, "set/s"), ownerOf(t, tc.to, false), keyOf(t, "pod/p"))
		if !errors.Is(err, tc.want) || tc.want == nil && err != nil {
			t.Errorf("%s: %v, want %v: %s", tc.world, err, tc.want, tc.reason)
		}
		s.holds(t, tc.after)
	}
}

// upgrade names the owner of each pod: the set of its first letter.
func upgrade(o ownergraph.Object) (ownergraph.Owner, bool) {
	name := o.Name[:1]
	return ownergraph.Owner{Key: ownergraph.Key{Kind: "set", Name: name, UID: graph.UID("set/" + name)}, Controller: true}, o.Kind == "pod"
}

// TestAdoptAll: one pass brings a store under ownership, and reports the result of each
// object.
func TestAdoptAll(t *testing.T) {
	s := newTap(t, "set/a; set/b~[x.io/z]; pod/a1; pod/a2; pod/a3 -> set/a^; pod/a4 -> set/b^; pod/b1; pod/c1; secret/a1")
	r, err := ownergraph.AdoptAll(t.Context(), s, upgrade)
	if err != nil || r.Adopted != 2 || r.Already != 1 || r.Left != 3 || len(r.Errors) != 3 || len(r.Unlisted) > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	for i, want := range []error{ownergraph.ErrOwned, ownergraph.ErrRefused, ownergraph.ErrNotFound} {
		if !errors.Is(r.Errors[i], want) {
			t.Errorf("%v, want %v", r.Errors[i], want)
		}
	}
	s.holds(t, "pod/a1 -> set/a^; pod/a2 -> set/a^; pod/a3 -> set/a^; pod/a4 -> set/b^; pod/b1; pod/c1; secret/a1; set/a; set/b~[x.io/z]")
}

// TestAdoptAllResumes: a pass that is broken off reports its progress. The next pass does
// the rest, and nothing twice. The report names a sick kind as unlisted.
func TestAdoptAllResumes(t *testing.T) {
	s := newTap(t, "set/a; pod/a1; pod/a2; pod/a3; secret/s")
	if err := s.Inside(inside.Key{}).Sicken("secret", "down"); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
		if verb == "patch" && key.Name == "a2" {
			stop()
		}
		return do()
	}
	r, err := ownergraph.AdoptAll(ctx, s, upgrade)
	if !errors.Is(err, context.Canceled) || r.Adopted != 1 || r.Left != 1 || fmt.Sprint(r.Unlisted) != "[secret]" {
		t.Errorf("%+v, %v", r, err)
	}
	s.call = nil
	r, err = ownergraph.AdoptAll(t.Context(), s, upgrade)
	if err != nil || r.Adopted+r.Already != 3 || r.Left != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if n := s.count("patch"); n > 4 {
		t.Errorf("%d patches for 3 objects and one broken off", n)
	}
	s.holds(t, "pod/a1 -> set/a^; pod/a2 -> set/a^; pod/a3 -> set/a^; secret/s; set/a")
}

// TestAdoptAllHearsTwice: for an object that changes or goes during the listing of its kind,
// the last event counts.
func TestAdoptAllHearsTwice(t *testing.T) {
	s := newTap(t, "set/a; pod/a1; pod/a2; pod/a3")
	s.watch = func(ctx context.Context, sink sinkFunc, do watchFunc) error {
		return do(ctx, func(ev ownergraph.Event) error {
			again := ev
			switch {
			case ev.Type != graph.Put:
			case ev.Object.Name == "a3":
				again = ownergraph.Event{Type: graph.Gone, Key: ev.Object.Key}
			default:
				again.Object = ev.Object.Clone()
			}
			if err := sink(ev); err != nil || ev.Type != graph.Put {
				return err
			}
			return sink(again)
		})
	}
	r, err := ownergraph.AdoptAll(t.Context(), s, upgrade)
	if err != nil || r.Adopted != 2 || r.Already != 0 || r.Left != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if n := s.count("patch"); n != 2 {
		t.Errorf("%d patches for 2 objects", n)
	}
}

// TestAdoptAllBesideUnwatched: a kind that can be read and not watched is never listed,
// and is not waited for.
func TestAdoptAllBesideUnwatched(t *testing.T) {
	s := newTap(t, "a; b")
	s.watch = func(ctx context.Context, sink sinkFunc, do watchFunc) error {
		return do(ctx, func(ev ownergraph.Event) error {
			if ev.Type == graph.KindsKnown {
				ev.Kinds = append(ev.Kinds, ownergraph.KindInfo{Kind: "u", Unwatched: true})
			}
			return sink(ev)
		})
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	seen := 0
	report, err := ownergraph.AdoptAll(ctx, s, func(ownergraph.Object) (ownergraph.Owner, bool) { seen++; return ownergraph.Owner{}, false })
	if err != nil || seen != 2 {
		t.Errorf("%+v, %v, %d objects seen, want 2", report, err, seen)
	}
}
