package ownergraph

import (
	"errors"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// TestFollowBreaks: a caller that breaks off leaves no follower behind, and a clone of the
// engine has none.
func TestFollowBreaks(t *testing.T) {
	e, err := engine.New(Level2, Config{})
	if err != nil {
		t.Fatal(err)
	}
	o := Object{Key: Key{Kind: "a", Name: "a", UID: "a"}, Version: "1"}
	for _, ev := range []Event{{Type: graph.KindsKnown, Kinds: []KindInfo{{Kind: "a"}}}, {Type: graph.Put, Object: o}} {
		if err := e.Observe(time.Unix(0, 0), ev); err != nil {
			t.Fatal(err)
		}
	}
	c := drive(e)
	n := 0
	for p, err := range c.Follow(t.Context(), o.Key) {
		n++
		if p.Known != 1 || err != nil || e.Inside(inside.Key{}).Follows() != 1 || len(c.following) != 1 || e.Inside(inside.Key{}).Clone().Inside(inside.Key{}).Follows() != 0 {
			t.Errorf("%+v, %v with %d followers", p, err, e.Inside(inside.Key{}).Follows())
		}
		break
	}
	if n != 1 || e.Inside(inside.Key{}).Follows() != 0 || len(c.following) != 0 {
		t.Errorf("%d reports, and %d followers are left", n, e.Inside(inside.Key{}).Follows())
	}
}

// TestFollowBound: one call takes one follower, for any number of keys. A call beyond the
// bound is an error, and the next one after an end is none.
func TestFollowBound(t *testing.T) {
	e, err := engine.New(Level2, Config{})
	if err != nil {
		t.Fatal(err)
	}
	objects := []Object{{Key: Key{Kind: "a", Name: "a", UID: "a"}, Version: "1"}, {Key: Key{Kind: "a", Name: "b", UID: "b"}, Version: "1"}}
	for _, ev := range []Event{
		{Type: graph.KindsKnown, Kinds: []KindInfo{{Kind: "a"}}}, {Type: graph.Put, Object: objects[0]}, {Type: graph.Put, Object: objects[1]},
	} {
		if err := e.Observe(time.Unix(0, 0), ev); err != nil {
			t.Fatal(err)
		}
	}
	c := drive(e)
	var all []*following
	for range maxFollows {
		x, err := c.beginFollow(t.Context(), objects[0].Key, Key{Kind: "a", Name: "b"}, objects[1].Key)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, x)
	}
	if e.Inside(inside.Key{}).Follows() != maxFollows {
		t.Errorf("%d followers of %d calls", e.Inside(inside.Key{}).Follows(), maxFollows)
	}
	if n := all[0].Counts(c.engine.FollowView()); n.Left != 2 {
		t.Errorf("%+v, want each root once", n)
	}
	if _, err := c.beginFollow(t.Context(), objects[0].Key); !errors.Is(err, ErrInvalid) {
		t.Errorf("%v beyond the bound", err)
	}
	c.endFollow(all[0])
	if _, err := c.beginFollow(t.Context(), objects[0].Key); err != nil {
		t.Errorf("%v after an end", err)
	}
}
