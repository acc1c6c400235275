package ownergraph_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/share"
)

// TestShareOfLabels: a user changes the labels of a member, and the holder is in another share. The
// engine of the holder learns that the object is no member, and that of the object that it is one
// (RULES, H2).
func TestShareOfLabels(t *testing.T) {
	sweep := labelled("")
	sweep.Members[0].Kinds = []graph.Kind{"volume"}
	for _, c := range []struct {
		own           graph.UID
		before, after bool // it is a member
		want, reason  string
	}{
		{"tenant", true, false, "[patch tenant]", "the holder has no member"},
		{"tenant", true, true, "[]", "the holder waits for the member of another share"},
		{"volume", false, true, "[delete volume]", "it is a member now"},
		{"volume", false, false, "[]", "it is no member"},
	} {
		s := newStepped(t, ownergraph.Config{Sweeps: []guard.Sweep{sweep}, Share: of(c.own)}, "tenant", "volume")
		s.put("tenant@tenant#1[x.io/tenant]; volume@volume#1")
		s.put("tenant@tenant#2~[x.io/tenant]")
		if got := s.selects("1", c.before); len(got) > 0 {
			t.Errorf("writes %v before the labels change: %s", got, c.reason)
		}
		s.put("volume@volume#2")
		if got := fmt.Sprint(s.selects("2", c.after)); got != c.want {
			t.Errorf("writes %s, want %s: %s; held %v", got, c.want, c.reason, s.e.Held(9))
		}
		s.sound()
	}
}

// selects answers selections with the volume at a version, or with nothing. It passes each fence until
// nothing is due for half a minute, and returns the writes, which stay under way.
func (s *stepped) selects(version graph.Version, member bool) (writes []string) {
	s.Helper()
	for looks := 0; looks < 3; looks++ {
		s.now = s.now.Add(10 * time.Second)
		for _, lane := range []engine.Lane{engine.LaneControl, engine.LaneStore} {
			c, _ := s.e.Next(s.now, lane)
			switch c.Type {
			case engine.CallUnset:
				continue
			case engine.CallFence:
				s.done(c, nil)
				s.pass(uint64(c.ID))
			case engine.CallSelect:
				r := engine.Result{}
				if member {
					r.Selected.Objects = []graph.LabelMatch{{Key: graph.Key{Kind: "volume", Name: "volume", UID: "volume"}, Version: version, Value: "tenant"}}
				}
				if err := s.e.Done(s.now, c.ID, r); err != nil {
					s.Fatal(err)
				}
			case engine.CallPatch, engine.CallDelete:
				writes = append(writes, fmt.Sprintf("%s %s", c.Type, c.Key))
			}
			looks = -1
		}
	}
	return writes
}

// TestShareOfContested: an object without owners that is stuck is not counted once it has left the
// share, and is counted again when it is back (RULES, H4).
func TestShareOfContested(t *testing.T) {
	sweep := guard.Sweep{Finalizer: "x.io/tenant", Holder: "tenant", Members: []guard.Members{{By: guard.ByName, Delimiter: "-"}}}
	s := newStepped(t, ownergraph.Config{Sweeps: []guard.Sweep{sweep}}, "tenant", "volume")
	s.put("tenant/1#1[x.io/tenant]; tenant/1-2#1[x.io/tenant]; volume/1-2-a#1")
	s.put("tenant/1#2~[x.io/tenant]")
	for _, set := range []share.Set{share.All(), share.None(), share.All()} {
		s.shares(set)
		want := set.Len() / share.Slots
		if writes := s.run(nil); len(writes) > 0 {
			t.Errorf("writes %v although another tenant may have the volume", writes)
		}
		if got := s.e.Stats().ByStatus.Of(engine.StatusStuck); got != want {
			t.Errorf("share %v: %d objects are stuck, want %d; held %v", set, got, want, s.e.Held(9))
		}
		s.sound()
	}
}

// TestShareOfRefused: the same for an object that waits for its next try after a refused write.
func TestShareOfRefused(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.put("a#1; b#1 -> a")
	s.see(gone("a"))
	c, _ := s.e.Next(s.now, engine.LaneStore)
	for ; c.Type != engine.CallDelete; c, _ = s.e.Next(s.now, engine.LaneStore) {
		if c.Type != engine.CallUnset {
			t.Fatal(c.String())
		}
	}
	s.done(c, graph.ErrRefused)
	for _, set := range []share.Set{share.All(), share.None(), share.All()} {
		s.shares(set)
		if writes := s.run(nil); len(writes) > 0 {
			t.Errorf("writes %v before the time of the next try", writes)
		}
		if got, want := s.e.Stats().ByStatus.Of(engine.StatusStuck), set.Len()/share.Slots; got != want {
			t.Errorf("share %v: %d objects are stuck, want %d; held %v", set, got, want, s.e.Held(9))
		}
		s.sound()
	}
}
