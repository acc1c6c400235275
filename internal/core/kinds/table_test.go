package kinds

import (
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// rule is one case: after the script, the check is true.
type rule struct {
	reason, script string
	check          func(r *rig) bool
}

func try(t *testing.T, rules []rule) {
	t.Helper()
	for _, c := range rules {
		if r := newRig(t, c.script); !c.check(r) {
			t.Errorf("%s: %q does not lead to it; the kind a is %+v", c.reason, c.script, r.t.Of("a"))
		}
	}
}

// TestSetOfKinds: the set of kinds decides which kinds take part.
func TestSetOfKinds(t *testing.T) {
	try(t, []rule{
		{"a kind of the set takes part", "", func(r *rig) bool { return r.t.Part("a") && r.t.SetKnown() && r.joined }},
		{"a set without a change has no kind join", "kinds a b", func(r *rig) bool { return !r.joined && r.left == nil }},
		{"a kind outside of the set has left", "kinds b", func(r *rig) bool { return !r.t.Part("a") && slices.Equal(r.left, []graph.Kind{"a"}) }},
		{"a left kind without objects is forgotten", "kinds b", func(r *rig) bool { return !r.t.Has("a") && r.t.Len() == 1 }},
		{"a kind comes back unlisted", "list a 5; kinds b; kinds a b", func(r *rig) bool { return r.joined && !r.t.Of("a").Listed }},
		{"an ignored kind takes no part", "kinds a ignored", func(r *rig) bool { return !r.t.Part("ignored") && r.t.Ignored("ignored") }},
		{"a vanished kind takes no part", "vanish a", func(r *rig) bool { return !r.t.Part("a") && r.change.Left && r.change.Health }},
		{"a refused set may have had more kinds", "list a 5; list b 5; refuse-set", func(r *rig) bool {
			return r.t.SetLost() && r.t.AnySick() && r.t.Unseen() && !r.t.Synced()
		}},
		{"another set makes up for a refused one", "refuse-set; kinds a b", func(r *rig) bool { return !r.t.SetLost() }},
		{"an unknown kind has the zero state", "", func(r *rig) bool {
			change := r.t.Apply(&graph.Event{Type: graph.KindSick, Kind: "x"}, &r.stamps, compare)
			return change == Change{} && r.t.Of("x") == State{} && !r.t.Has("x")
		}},
	})
}

// TestHealth: a sick kind is well again after its recovery, and after a refused event only
// a complete listing makes it well (R8).
func TestHealth(t *testing.T) {
	try(t, []rule{
		{"a reason is kept", "sick a down", func(r *rig) bool { return r.t.Sick("a") == "down" && r.t.AnySick() && r.change.Health }},
		{"a kind is sick without a reason", "sick a", func(r *rig) bool { return r.t.Sick("a") == "sick" }},
		{"a recovered kind is well", "sick a down; well a", func(r *rig) bool { return r.t.Sick("a") == "" && r.change.Recovered }},
		{"a refused event makes its kind sick, and wants a listing", "refuse a", func(r *rig) bool { return r.t.Sick("a") == "refused" && r.t.ListsWanted() }},
		{"a recovery brings no refused event back", "refuse a; sick a down; well a", func(r *rig) bool { return r.t.Sick("a") != "" }},
		{"a complete listing brings it", "refuse a; list a 5", func(r *rig) bool { return r.t.Sick("a") == "" && r.t.NoLists() }},
		{"a listing does not end a reported sickness", "sick a down; refuse a; list a 5", func(r *rig) bool { return r.t.Sick("a") != "" }},
		{"the listing of a refused event proves nothing", "begin a; refuse a", func(r *rig) bool { return r.t.Of("a").ListingInvalid }},
		{"the next listing is valid", "begin a; refuse a; begin a", func(r *rig) bool { return !r.t.Of("a").ListingInvalid }},
		{"an event of a kind that takes no part is not refused", "vanish a; refuse a", func(r *rig) bool { return r.t.NoLists() }},
	})
}

// TestListing: a kind is listed when its listing is complete and pruned.
func TestListing(t *testing.T) {
	try(t, []rule{
		{"a begun listing is under way", "begin a", func(r *rig) bool { return r.t.Listing() && !r.t.Of("a").Listed }},
		{"an ended listing is to be pruned", "begin a; end a 5", func(r *rig) bool {
			return r.t.NextPruned() == "a" && !r.t.IsPruned() && r.t.Of("a").Pruning && !r.t.Relisted("a", 1)
		}},
		{"a pruned listing is complete", "begin a; end a 5; prune a", func(r *rig) bool { return r.t.Of("a").Listed && r.t.IsPruned() && r.t.NextPruned() == "" }},
		{"prunings go in the order of the ends", "begin a; begin b; end b; end a", func(r *rig) bool { return r.t.NextPruned() == "b" }},
		{"a relisting began after the moment", "begin b; list a 5", func(r *rig) bool {
			begun := r.t.Of("a").Begun
			return r.t.Relisted("a", begun-1) && !r.t.Relisted("a", begun) && !r.t.Relisted("a", 0)
		}},
		{"all kinds are listed", "list a 5; list b 5", func(r *rig) bool { return r.t.Synced() && !r.t.Unseen() && r.t.SeeAll() && !r.t.SeeAll() }},
		{"a kind without a listing is unseen", "list a 5", func(r *rig) bool { return r.t.Unseen() && !r.t.SeeAll() }},
		{"a listed kind that is sick is listed", "list a 5; list b 5; sick a", func(r *rig) bool { return r.t.AllListed() && !r.t.Synced() }},
		{"one kind is not listed", "list a 5; sick b", func(r *rig) bool { return !r.t.AllListed() && r.t.ListedWell() }},
		{"no kinds are unseen too", "vanish a; vanish b", func(r *rig) bool { return r.t.Unseen() }},
	})
}

// TestWatermark: the watermark is the newest version observed, and a listing that ends below
// its floor shows a rewind (R5).
func TestWatermark(t *testing.T) {
	below := func(r *rig, v graph.Version) bool {
		_, is := r.t.IsBelowFloor(&graph.Event{Type: graph.ListEnded, Kind: "a", Version: v}, compare)
		return is
	}
	put := func(r *rig, v graph.Version) bool {
		o := graph.Object{Key: graph.Key{Kind: "a"}, Version: v}
		newest := r.t.IsNewest(&o, compare)
		r.t.Advance(&o, newest, compare)
		return newest
	}
	try(t, []rule{
		{"progress advances it", "progress a 9", func(r *rig) bool { return r.t.Of("a").High == "9" }},
		{"an older version does not", "progress a 9; progress a 8", func(r *rig) bool { return r.t.Of("a").High == "9" }},
		{"a listing starts at it", "progress a 9; begin a; progress a 10", func(r *rig) bool { return r.t.Of("a").Floor == "9" }},
		{"an end below the start is a rewind", "progress a 9; begin a", func(r *rig) bool { return below(r, "8") && !below(r, "9") && !below(r, "") }},
		{"without a start there is none", "begin a", func(r *rig) bool { return !below(r, "1") }},
		{"an object advances it", "progress a 8", func(r *rig) bool { return !put(r, "9") && r.t.Of("a").High == "9" && put(r, "10") && !put(r, "9") }},
		{"an object behind progress does not", "progress a 9", func(r *rig) bool { put(r, "8"); return r.t.Of("a").High == "9" && r.t.Of("a").Max == "8" }},
	})
}
