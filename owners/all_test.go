package owners_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/owners"
)

// upgrade names the owner of each pod: the set of its first letter.
func upgrade(o graph.Object) (graph.Owner, bool) {
	name := o.Name[:1]
	return graph.Owner{Key: graph.Key{Kind: "set", Name: name, UID: graph.UID("set/" + name)}, Controller: true}, o.Kind == "pod"
}

// TestAdoptAll: one pass brings a store under ownership, and reports the result of each
// object.
func TestAdoptAll(t *testing.T) {
	s := newTap(t, "set/a; set/b~[x.io/z]; pod/a1; pod/a2; pod/a3 -> set/a^; pod/a4 -> set/b^; pod/b1; pod/c1; secret/a1")
	r, err := owners.AdoptAll(t.Context(), s, upgrade)
	if err != nil || r.Adopted != 2 || r.Already != 1 || r.Left != 3 || len(r.Errors) != 3 || len(r.Unlisted) > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	for i, want := range []error{owners.ErrOwned, graph.ErrRefused, graph.ErrNotFound} {
		if !errors.Is(r.Errors[i], want) {
			t.Errorf("%v, want %v", r.Errors[i], want)
		}
	}
	s.contains(t, "pod/a1 -> set/a^; pod/a2 -> set/a^; pod/a3 -> set/a^; pod/a4 -> set/b^; pod/b1; pod/c1; secret/a1; set/a; set/b~[x.io/z]")
}

// TestAdoptAllResumes: a pass that is broken off reports its progress. The next pass does
// the rest, and nothing twice. The report names a sick kind as unlisted.
func TestAdoptAllResumes(t *testing.T) {
	s := newTap(t, "set/a; pod/a1; pod/a2; pod/a3; secret/s")
	if err := s.Inside(inside.Key{}).Sicken("secret", "down"); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	s.call = func(_ context.Context, verb string, key graph.Key, do func() error) error {
		if verb == "patch" && key.Name == "a2" {
			stop()
		}
		return do()
	}
	r, err := owners.AdoptAll(ctx, s, upgrade)
	if !errors.Is(err, context.Canceled) || r.Adopted != 1 || r.Left != 1 || fmt.Sprint(r.Unlisted) != "[secret]" {
		t.Errorf("%+v, %v", r, err)
	}
	s.call = nil
	r, err = owners.AdoptAll(t.Context(), s, upgrade)
	if err != nil || r.Adopted+r.Already != 3 || r.Left != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if n := s.patches; n > 4 {
		t.Errorf("%d patches for 3 objects and one broken off", n)
	}
	s.contains(t, "pod/a1 -> set/a^; pod/a2 -> set/a^; pod/a3 -> set/a^; secret/s; set/a")
}

// TestAdoptAllHearsTwice: for an object that changes or goes during the listing of its kind,
// the last event counts.
func TestAdoptAllHearsTwice(t *testing.T) {
	s := newTap(t, "set/a; pod/a1; pod/a2; pod/a3")
	s.watch = func(ctx context.Context, sink sinkFunc, do watchFunc) error {
		return do(ctx, func(ev graph.Event) error {
			again := ev
			switch {
			case ev.Type != graph.Put:
			case ev.Object.Name == "a3":
				again = graph.Event{Type: graph.Gone, Key: ev.Object.Key}
			default:
				again.Object = ev.Object.Clone()
			}
			if err := sink(ev); err != nil || ev.Type != graph.Put {
				return err
			}
			return sink(again)
		})
	}
	r, err := owners.AdoptAll(t.Context(), s, upgrade)
	if err != nil || r.Adopted != 2 || r.Already != 0 || r.Left != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if n := s.patches; n != 2 {
		t.Errorf("%d patches for 2 objects", n)
	}
}

// TestAdoptAllBesideUnwatched: a kind that can be read and not watched is never listed,
// and is not waited for.
func TestAdoptAllBesideUnwatched(t *testing.T) {
	s := newTap(t, "a; b")
	s.watch = func(ctx context.Context, sink sinkFunc, do watchFunc) error {
		return do(ctx, func(ev graph.Event) error {
			if ev.Type == graph.KindsKnown {
				ev.Kinds = append(ev.Kinds, graph.KindInfo{Kind: "u", Unwatched: true})
			}
			return sink(ev)
		})
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	seen := 0
	report, err := owners.AdoptAll(ctx, s, func(graph.Object) (graph.Owner, bool) { seen++; return graph.Owner{}, false })
	if err != nil || seen != 2 {
		t.Errorf("%+v, %v, %d objects seen, want 2", report, err, seen)
	}
}
