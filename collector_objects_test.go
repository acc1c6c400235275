package ownergraph_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TestKeys: pages are in the order of keys, leave out owners that only references name, and
// together have each object once.
func TestKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := collect(t, newTap(t, "a/x; a/y; b/s/z -> a/y; c/s/z -> none/s/n@gone; d"), ownergraph.Config{})
		r.idle()
		for _, c := range []struct {
			after  graph.Key
			limit  int
			match  func(graph.Key) bool
			want   string
			reason string
		}{
			{graph.Key{}, 9, nil, "a/x a/y b/s/z c/s/z d/d", "all of them"},
			{graph.Key{}, 2, nil, "a/x a/y", "the first page"},
			{keyOf(t, "a/y"), 2, nil, "b/s/z c/s/z", "the second page"},
			{keyOf(t, "c/s/z"), 2, nil, "d/d", "the last page"},
			{keyOf(t, "d"), 2, nil, "", "nothing comes after the last object"},
			{graph.Key{Kind: "b", Name: "m"}, 9, nil, "b/s/z c/s/z d/d", "the key need not exist"},
			{graph.Key{}, 2, func(k graph.Key) bool { return k.Name == "z" }, "b/s/z c/s/z", "the limit counts the taken ones"},
			{graph.Key{}, 0, nil, "", "none is asked for"},
			{graph.Key{}, -1, nil, "", "a negative limit is none"},
			{graph.Key{}, math.MaxInt, nil, "a/x a/y b/s/z c/s/z d/d", "a limit that has no double"},
		} {
			page, err := r.Keys(t.Context(), c.after, c.limit, c.match)
			var got []string
			for _, k := range page {
				got = append(got, k.PlaceString())
			}
			if strings.Join(got, " ") != c.want || err != nil {
				t.Errorf("got %q (%v), want %q: %s", got, err, c.want, c.reason)
			}
		}
	})
}

// TestKeysErrors: without a context, and after its end, there is no page. After the end of the
// collector there is one.
func TestKeysErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := collect(t, newTap(t, "a"), ownergraph.Config{})
		r.idle()
		if err := r.stop(); err != nil {
			t.Fatal(err)
		}
		if page, err := r.Keys(t.Context(), graph.Key{}, 1, nil); len(page) != 1 || err != nil {
			t.Errorf("after the end: %v, error %v", page, err)
		}
		ended, cancel := context.WithCancelCause(t.Context())
		cancel(errTest)
		for _, c := range []struct {
			ctx    context.Context
			want   error
			reason string
		}{
			{nil, ownergraph.ErrInvalid, "there is no context"},
			{ended, errTest, "the context has ended"},
		} {
			if _, err := r.Keys(c.ctx, graph.Key{}, 1, nil); !errors.Is(err, c.want) || !strings.HasPrefix(fmt.Sprint(err), "list keys: ") {
				t.Errorf("error %v, want %v: %s", err, c.want, c.reason)
			}
		}
	})
}

// TestNearby: owners come at all heights, dependents at all depths, and the other owners of
// dependents without the objects below these owners. The nearest objects come first.
func TestNearby(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := collect(t, newTap(t, "top; other; up -> top; beside -> top; it -> up; d1 -> it, other; d2 -> d1; d3 -> d2, it; under -> other; far; lost -> none/n@gone, far"), ownergraph.Config{})
		r.idle()
		lost := graph.Key{Kind: "none", Name: "n", UID: "gone"}
		for _, c := range []struct {
			key    graph.Key
			limit  int
			want   string
			refs   int
			more   bool
			reason string
		}{
			{keyOf(t, "it"), 99, "it up d3 d1 top d2 other", 2, false, "all that is near"},
			{keyOf(t, "it").Place(), 99, "it up d3 d1 top d2 other", 2, false, "the same without a UID"},
			{graph.Key{UID: keyOf(t, "it").UID}, 99, "it up d3 d1 top d2 other", 2, false, "the same by the UID alone"},
			{keyOf(t, "it"), 7, "it up d3 d1 top d2 other", 2, false, "the limit is exact"},
			{keyOf(t, "it"), 6, "it up d3 d1 top d2", 2, true, "one is left out"},
			{keyOf(t, "it"), 1, "it", 2, true, "the object alone"},
			{keyOf(t, "it"), 0, "", 2, true, "the limit has no room"},
			{keyOf(t, "far"), 9, "far lost", 1, false, "an owner that is not observed is no object"},
			{lost, 9, "lost far", 1, false, "the dependents of an owner that is not observed"},
		} {
			got, err := r.Nearby(t.Context(), c.key, c.limit)
			var names []string
			for _, o := range got.Objects {
				names = append(names, o.Name)
			}
			if strings.Join(names, " ") != c.want || got.References != c.refs || got.More != c.more || err != nil {
				t.Errorf("got %q, %d references, more %t (%v), want %q, %d, %t: %s", names, got.References, got.More, err, c.want, c.refs, c.more, c.reason)
			}
			if got.Key.UID == "" {
				t.Errorf("the key %s has no UID: %s", got.Key, c.reason)
			}
		}
		x, _ := r.Nearby(t.Context(), keyOf(t, "it"), 1)
		if want := []graph.Owner{{Key: keyOf(t, "up")}}; len(x.Objects) != 1 || !slices.Equal(x.Objects[0].Owners, want) {
			t.Errorf("the object is %+v, want the owner up", x.Objects)
		}
	})
}

// TestNearbyErrors: an unknown object and an ended context are errors that name the object.
func TestNearbyErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := collect(t, newTap(t, "a"), ownergraph.Config{})
		r.idle()
		ended, cancel := context.WithCancelCause(t.Context())
		cancel(errTest)
		for _, c := range []struct {
			ctx    context.Context
			key    graph.Key
			want   error
			text   string
			reason string
		}{
			{t.Context(), graph.Key{Kind: "a", Name: "b"}, ownergraph.ErrNotFound, "look around a/b: not found", "no object has the name"},
			{t.Context(), graph.Key{Kind: "a", Name: "a", UID: "x"}, ownergraph.ErrNotFound, "look around a@x: not found", "no object has the UID"},
			{t.Context(), graph.Key{UID: "x"}, ownergraph.ErrNotFound, `look around ""@x: not found`, "no object has the UID alone"},
			{t.Context(), graph.Key{Name: "b"}, ownergraph.ErrInvalid, `look around ""/b: kind: empty: invalid`, "the key has no kind"},
			{ended, keyOf(t, "a"), errTest, "look around a: " + errTest.Error(), "the context has ended"},
			{ended, graph.Key{Kind: "a", Name: "a"}, errTest, "look around a: " + errTest.Error(), "the context has ended before the search"},
			{nil, keyOf(t, "a"), ownergraph.ErrInvalid, "look around a: context: nil: invalid", "there is no context"},
		} {
			if _, err := r.Nearby(c.ctx, c.key, 9); !errors.Is(err, c.want) || fmt.Sprint(err) != c.text {
				t.Errorf("error %q, want %q: %s", err, c.text, c.reason)
			}
		}
	})
}
