package ownergraph_test

import (
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// TestExplainEnds checks X2: the chain of each object that waits leads to an actor outside,
// to a period, or to this engine's own work.
func TestExplainEnds(t *testing.T) {
	tenants := sweeping(guard.Sweep{Finalizer: "x.io/tenant", Holder: "tenant", Members: []guard.Members{named("volume", "disk")}},
		guard.Sweep{Finalizer: "x.io/rival", Holder: "rival", Members: []guard.Members{named("volume")}})
	plain, sweepers := []graph.Kind{"a", "b"}, []graph.Kind{"tenant", "rival", "volume", "disk"}
	const contested = "tenant/1#2~[x.io/tenant,x.io/z]; rival/1#1[x.io/rival]; volume/1-a#1; disk/1-b#1"
	deleted := func(err error) func(s *stepped) {
		return func(s *stepped) {
			s.put("a#1; b#1 -> a")
			s.see(gone("a"))
			s.done(s.wants(engine.CallDelete, "the owner is gone"), err)
		}
	}
	for _, c := range []struct {
		name   string
		kinds  []graph.Kind
		cfg    ownergraph.Config
		do     func(s *stepped)
		key    string
		want   string
		reason string
	}{
		{"grace period", plain, ownergraph.Config{}, func(s *stepped) { s.put("a#1~30"); s.run(nil) }, "a",
			"exists keep NeedGrace; a: NeedGrace time [the grace period]; moving", "the period runs"},
		{"grace period over", plain, ownergraph.Config{}, func(s *stepped) { s.put("a#1~"); s.run(nil) }, "a",
			"exists keep NeedGrace; a: NeedGrace work [the watch to show the object's end]; moving", "only the store can remove it"},
		{"deleted", plain, ownergraph.Config{}, deleted(nil), "b", "exists delete OwnersGone; a dangling watch-saw-go; b: OwnersGone work [the watch to show the write]; moving", "the watch has to show the end"},
		{"no answer", plain, ownergraph.Config{}, deleted(errNoAnswer), "b", "exists verify NeedOwner; a unknown listed; b: NeedOwner work [the next try]; moving", "the outcome is unknown"},
		{"conflict", plain, ownergraph.Config{}, deleted(ownergraph.ErrConflict), "b", "exists delete OwnersGone; a dangling watch-saw-go; b: OwnersGone work [a read of the object]; moving", "another writer was first"},
		{"vanished", plain, ownergraph.Config{}, deleted(ownergraph.ErrNotFound), "b", "exists delete OwnersGone; a dangling watch-saw-go; b: OwnersGone work [the watch to show the object's end]; moving", "the watch has to show the end"},
		{"kind not served", plain, ownergraph.Config{}, func(s *stepped) {
			s.put("a#1; b#1 -> a")
			s.see(gone("a"))
			s.serve("a")
			s.run(nil)
		}, "b", "exists delete OwnersGone; a dangling watch-saw-go; b: KindUnserved kind [b] [the store does not serve it]; stuck", "no call can reach it"},
		{"orphaned", plain, ownergraph.Config{}, func(s *stepped) {
			s.put("a#1~[orphan]; b#1 -> a")
			s.run(nil)
		}, "a", "exists wait NeedDependents; b: OwnerOrphans work [the answer to a call (patch)]; moving", "the chain leads to the dependent that loses its reference"},
		{"claim", plain, ownergraph.Config{}, func(s *stepped) { s.put("b#1 -> c@1?"); s.run(nil) }, "b",
			"exists keep OwnerUnknown UnresolvedScope; c unknown unset; c: OwnerUnknown user; stuck", "the reference has a UID alone"},
		{"flawed", plain, ownergraph.Config{}, func(s *stepped) { s.put("b#1 -> a^, c^"); s.run(nil) }, "b",
			"exists keep ObjectFlawed; a unknown listed; c unknown unset; b: ObjectFlawed user [validate b: owners: 2 controllers: invalid]; stuck", "it has two controllers"},
		{"member contested", sweepers, tenants, func(s *stepped) { s.put(contested); s.run(nil) }, "volume/1-a", "exists wait Contested; 1-a: Contested user [rival/1]; stuck", "another holder claims it"},
		{"holder of a contested member", sweepers, tenants, func(s *stepped) { s.put(contested); s.run(nil) }, "tenant/1", "exists wait NeedMembers; 1-a: Contested user [rival/1]; stuck", "the chain leads to the member"},
		{"rewound", plain, ownergraph.Config{}, func(s *stepped) { s.put("a#1; b#1 -> a"); s.see(gone("a")); s.see(rewound()); s.run(nil) }, "b",
			"exists wait NeedListing; a unknown listed; b: NeedListing work [the listing of a]; b: NeedListing work [the listing of b]; moving", "every kind has to be listed again"},
		{"unfit holder", sweepers, sweeping(guard.Sweep{Finalizer: "x.io/tenant", Holder: "tenant", Members: []guard.Members{{By: guard.ByName, Delimiter: "-", Kinds: []graph.Kind{"nowhere"}}}}),
			func(s *stepped) { s.put("tenant/1#2~[x.io/tenant]"); s.run(nil) }, "tenant/1", "exists wait SweepUnserved; 1: SweepUnserved kind [nowhere]; stuck", "the sweep names a kind that is not served"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStepped(t, c.cfg, c.kinds...)
			c.do(&s)
			if got := s.explains(c.key); got != c.want {
				t.Errorf("got\n%s\nwant\n%s\n%s", got, c.want, c.reason)
			}
		})
	}
}
