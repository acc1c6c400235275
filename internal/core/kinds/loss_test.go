package kinds

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestLoss: after a sign that history may have gone backwards, each kind needs newer
// evidence (R5).
func TestLoss(t *testing.T) {
	const lost = "progress a 5; list b 5; lose; "
	behind := func(name graph.Kind, want bool) func(r *rig) bool {
		return func(r *rig) bool {
			at := r.t.LostAt()
			return r.t.Behind(name, at) == want && r.t.Confirmed(name) == !want && r.t.Unconfirmed(r.g, name, at) == want
		}
	}
	try(t, []rule{
		{"without a sign every kind counts", "", func(r *rig) bool { return r.t.Confirmed("a") && !r.t.Unanswered() && !r.t.Unconfirmed(r.g, "a", 0) }},
		{"after a sign none does", lost, behind("a", true)},
		{"a listing from before is no evidence", lost, behind("b", true)},
		{"a new listing is", lost + "list b 6", behind("b", false)},
		{"an unfinished listing is not", lost + "begin b; end b 6", behind("b", true)},
		{"a passed fence is", lost + "open; pass a", behind("a", false)},
		{"a read at the watermark is", lost + "read a 5", behind("a", false)},
		{"a read below the watermark is not", lost + "read a 4", behind("a", true)},
		{"a read without a watermark is not", "lose; read a 5", behind("a", true)},
		{"a second sign needs newer evidence", lost + "read a 5; lose", behind("a", true)},
		{"the store has to answer", lost, func(r *rig) bool { return r.t.Unanswered() }},
		{"an answer of a later call counts", lost + "answer", func(r *rig) bool { return !r.t.Unanswered() }},
		{"an answer of an earlier call does not", "answer; lose", func(r *rig) bool { return r.t.Unanswered() }},
		{"the signs stay open until all kinds are confirmed", lost + "answer; read a 5; confirm", func(r *rig) bool { return r.t.LossOpen() }},
		{"the last kind ends them", lost + "answer; read a 5; list b 6; confirm", func(r *rig) bool { return !r.t.LossOpen() && r.t.LostAt() != 0 }},
		{"without an answer they stay open", lost + "read a 5; list b 6; confirm", func(r *rig) bool { return r.t.LossOpen() }},
		{"a vanished kind needs a set of kinds", lost + "vanish a", func(r *rig) bool { return r.t.Unconfirmed(r.g, "a", r.t.LostAt()) }},
		{"the reported set confirms it", lost + "vanish a; set", func(r *rig) bool { return !r.t.Unconfirmed(r.g, "a", r.t.LostAt()) && r.t.SetReportedSince() }},
		{"an ignored kind is no evidence", "kinds a ignored; lose", func(r *rig) bool { return !r.t.Unconfirmed(r.g, "ignored", r.t.LostAt()) }},
	})
}

// TestLosing: writes to a kind with an unanswered write wait for the other kinds, for at
// most MaxLossWait (R8).
func TestLosing(t *testing.T) {
	r := newRig(t, "progress a 5; progress b 5; lose")
	r.t.LoseWrite("a")
	for _, c := range []struct {
		reason  string
		kind    graph.Kind
		after   time.Duration
		blocked bool
		want    bool
	}{
		{"a write got no answer", "a", 0, false, true},
		{"no write to this kind was lost", "b", 0, false, false},
		{"the wait is bounded", "a", MaxLossWait, false, false},
		{"a blocked fence confirms no other kind", "a", 0, true, false},
	} {
		if got := r.t.Losing(c.kind, start.Add(c.after), c.blocked); got != c.want {
			t.Errorf("%s: writes wait: %t, want %t", c.reason, got, c.want)
		}
	}
	r.run("answer; read a 5; read b 5; confirm; lose")
	if r.t.Losing("a", start, false) {
		t.Error("a lost write from before the last confirmation no longer counts")
	}
}

// TestLossWithoutFences: without fences a sign wants new listings, and the set of kinds
// where a kind is not served.
func TestLossWithoutFences(t *testing.T) {
	r := newRig(t, "list a 5; list b 5; vanish b")
	r.t.Lose(start, &r.stamps, false, r.g)
	if got := r.t.lists.wanted; len(got) != 1 || got[0] != "a" || !r.t.lists.set {
		t.Errorf("wants listings of %q, and of the set: %t", got, r.t.lists.set)
	}
	if err := r.t.Check(); err != nil {
		t.Error(err)
	}
	if !r.t.EndSet(r.g, nil) {
		t.Error("a set that a loss wanted lets the waiting reads go on")
	}
}

// TestCheck: each broken invariant is an error.
func TestCheck(t *testing.T) {
	for reason, ruin := range map[string]func(x *Table){
		"the counts are not the kinds'":    func(x *Table) { x.counts.part++ },
		"the names are not the kinds'":     func(x *Table) { x.names = x.names[:1] },
		"a kind that takes no part wanted": func(x *Table) { x.lists.wanted = []graph.Kind{"x"} },
	} {
		r := newRig(t, "")
		if ruin(&r.t); r.t.Check() == nil {
			t.Errorf("%s: Check finds nothing", reason)
		}
	}
}
