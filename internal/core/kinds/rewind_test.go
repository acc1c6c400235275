package kinds

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestRewind: after a rewind no kind counts before its new listing (R5).
func TestRewind(t *testing.T) {
	const listed = "list a 5; list b 5; rewind; "
	try(t, []rule{
		{"a rewound kind is stale", listed, func(r *rig) bool { return r.t.Relisting() && r.t.Stale("a") && !r.t.Of("a").Listed && r.t.Listing() }},
		{"its watermark no longer counts", listed, func(r *rig) bool { return r.t.Of("a").High == "" && r.t.Of("a").Max == "" }},
		{"every kind is wanted for a listing", listed, func(r *rig) bool { return slices.Equal(r.t.lists.wanted, []graph.Kind{"a", "b"}) }},
		{"one listed kind does not end it", listed + "list a 1", func(r *rig) bool { return !r.t.EndRewind() && !r.t.Stale("a") && r.t.Stale("b") }},
		{"the last one does", listed + "list a 1; list b 1", func(r *rig) bool { return r.t.EndRewind() && !r.t.Relisting() && !r.t.EndRewind() }},
		{"a kind that left does not delay it", listed + "list a 1; vanish b", func(r *rig) bool { return r.t.EndRewind() }},
		{"a listing from before proves nothing", "begin a; rewind; end a 5; prune a", func(r *rig) bool { return r.t.Stale("a") && !r.t.Of("a").Listed }},
		{"the passed fence no longer counts", "open; pass a; rewind", func(r *rig) bool { return r.t.Of("a").Passed == 0 }},
	})
}

// TestEpochs: each epoch announces one rewind, and only so many are remembered.
func TestEpochs(t *testing.T) {
	r := newRig(t, "")
	if !r.t.TakeEpoch("1") || r.t.TakeEpoch("1") {
		t.Error("an epoch has to be new once")
	}
	if first, second := r.t.TakeEpoch(""), r.t.TakeEpoch(""); !first || !second {
		t.Error("a rewind without an epoch has to be new each time")
	}
	for i := range maxEpochs {
		r.t.TakeEpoch(strconv.Itoa(i + 2))
	}
	if len(r.t.epochs) != maxEpochs || !r.t.TakeEpoch("1") {
		t.Errorf("%d epochs are remembered, want the newest %d", len(r.t.epochs), maxEpochs)
	}
}

// TestOpenFence: a fence covers the kinds that take part, and the set of kinds (R7).
func TestOpenFence(t *testing.T) {
	count := func(all, well int) func(r *rig) bool {
		return func(r *rig) bool {
			a, w := r.t.OpenCount()
			return a == all && w == well && len(r.t.OpenKinds()) == all
		}
	}
	try(t, []rule{
		{"nothing is open without a fence", "", count(0, 0)},
		{"all kinds and the set are open", "open", count(3, 3)},
		{"a sick kind is open, and not well", "sick a; open", count(3, 2)},
		{"a lost set is open, and not well", "refuse-set; open", count(3, 2)},
		{"a kind passes", "open; pass a", count(2, 2)},
		{"a kind passes once", "open; pass a; pass a", count(2, 2)},
		{"the set passes", "open; pass", count(2, 2)},
		{"a lost set does not", "open; refuse-set; pass", count(3, 2)},
		{"a kind with a refused event does not", "open; refuse a; pass a", count(3, 2)},
		{"a kind passes after its pruning", "begin a; end a 5; open; pass a", func(r *rig) bool {
			return r.t.Of("a").Open && r.t.SetListed("a") == 1 && r.t.Of("a").Pending == 0
		}},
		{"by an early report a kind that is being listed passes at the end", "open; begin a", func(r *rig) bool {
			return !r.t.PassEarly("a", 7, 9) && r.t.Of("a").Open && r.t.Of("a").Pending == 7
		}},
		{"by an early report other kinds and the set pass at once", "open; begin a", func(r *rig) bool {
			return r.t.PassEarly("b", 7, 9) && r.t.PassEarly("", 7, 9) && !r.t.PassEarly("b", 7, 9)
		}},
		{"an early report of a kind that has passed counts for nothing", "open; pass a; begin a", func(r *rig) bool {
			return !r.t.PassEarly("a", 7, 9) && r.t.Of("a").Pending == 0
		}},
		{"open kinds and the set can pass", "open; pass a", func(r *rig) bool {
			return !r.t.CanPass("a") && r.t.CanPass("b") && r.t.CanPass("") && !r.t.CanPass("x")
		}},
		{"a refused event bars its kind, or the set", "open; refuse a; refuse-set", func(r *rig) bool {
			return !r.t.CanPass("a") && r.t.CanPass("b") && !r.t.CanPass("")
		}},
		{"a kind that left is not open", "open; vanish a", count(2, 2)},
		{"a kind that joined is not covered", "open; kinds a b c", count(3, 3)},
	})
	r := newRig(t, "open; pass a")
	if r.t.CloseFence(); len(r.t.OpenKinds()) != 0 {
		t.Error("a closed fence is open for a kind")
	}
}

// TestLists: the kinds take turns, and the pauses grow.
func TestLists(t *testing.T) {
	r := newRig(t, "want a; want b; want x")
	for i, want := range []graph.Kind{"a", "b", "a", "b"} {
		at, _ := r.t.ListAt()
		if _, early := r.t.NextList(at.Add(-time.Nanosecond)); i > 0 && early {
			t.Errorf("request %d comes before its time", i)
		}
		got, ok := r.t.NextList(later(at))
		if !ok || got != want {
			t.Errorf("request %d is for %q, %t, want %q: the kinds take turns", i, got, ok, want)
		}
	}
	at, _ := r.t.ListAt()
	r.t.ReturnList("b", start)
	if now, _ := r.t.ListAt(); !now.Equal(start) || !at.After(now) || r.t.lists.tries != 3 {
		t.Errorf("a returned request waits until %v, with %d tries", now, r.t.lists.tries)
	}
	r.run("begin a; begin b; end b 5")
	if !r.t.NoLists() || r.t.lists.tries != 0 {
		t.Error("begun listings are not wanted, and the end of the last one ends the backoff")
	}
}

func later(at time.Time) time.Time {
	if at.IsZero() {
		return start
	}
	return at
}

// TestListsOfSickKinds: a listing of a kind that is reported sick waits for its recovery,
// except for a refused event.
func TestListsOfSickKinds(t *testing.T) {
	due := func(want graph.Kind, is bool) func(r *rig) bool {
		return func(r *rig) bool {
			got, ok := r.t.NextList(start)
			return got == want && ok == is
		}
	}
	try(t, []rule{
		{"a well kind is due", "want a", due("a", true)},
		{"a sick kind is not", "want a; sick a", due("", false)},
		{"another kind is due instead", "want a; want b; sick a", due("b", true)},
		{"a refused event is worth a request", "refuse a; sick a", due("a", true)},
		{"a kind that left is not due", "want a; vanish a", due("", false)},
		{"a lost set is due when no kind was requested before", "refuse-set", due("", true)},
	})
}
