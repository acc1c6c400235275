package fence

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
)

// TestReport: a report counts for the token of the fence under way alone. Reports from
// before the call has returned the token count when it returns.
func TestReport(t *testing.T) {
	const other, token = 7, 8
	for _, c := range []struct {
		reason string
		before func(r *rig) // the call returns
		after  func(r *rig)
		want   bool
	}{
		{"all reports come after the call", nil, func(r *rig) { r.report(token, "a", "b", "") }, true},
		{"all reports come before the call returns", func(r *rig) { r.report(token, "a", "b", "") }, nil, true},
		{"some come before, and some after", func(r *rig) { r.report(token, "b") }, func(r *rig) { r.report(token, "a", "") }, true},
		{"each comes twice", func(r *rig) { r.report(token, "b", "b", "a") }, func(r *rig) { r.report(token, "b", "a", "", "") }, true},
		{"one is missing", func(r *rig) { r.report(token, "a", "") }, nil, false},
		{"the set of kinds is missing", func(r *rig) { r.report(token, "a", "b") }, nil, false},
		{"a foreign token came before", func(r *rig) { r.report(other, "a", "b", "") }, nil, false},
		{"a foreign token comes after", nil, func(r *rig) { r.report(other, "a", "b", "") }, false},
		{"the kinds of two tokens do not add up", func(r *rig) { r.report(other, "a", ""); r.report(token, "b") }, nil, false},
		{"foreign reports hide none", func(r *rig) { r.report(other, "a", "b", ""); r.report(token, "a", "b", "") }, nil, true},
		{"0 is no token", func(r *rig) { r.report(0, "a", "b", "") }, func(r *rig) { r.report(0, "a", "b", "") }, false},
		{"an unknown kind counts for nothing", func(r *rig) { r.report(token, "x", "a", "") }, nil, false},
		{"a kind reported while an event of it was refused", func(r *rig) {
			r.k.Refuse(&graph.Event{Type: graph.Progress, Kind: "a"}, "refused")
			r.report(token, "a", "b", "")
		}, nil, false},
		{"an event of the kind is refused after the report", func(r *rig) {
			r.report(token, "a", "b", "")
			r.k.Refuse(&graph.Event{Type: graph.Progress, Kind: "a"}, "refused")
		}, nil, false},
		{"a set of kinds was refused", func(r *rig) {
			r.k.Refuse(&graph.Event{Type: graph.KindsKnown}, "refused")
			r.report(token, "a", "b", "")
		}, nil, false},
		{"the passed fences are taken back", func(r *rig) { r.report(token, "a", "b", ""); r.f.TakeBack() }, nil, false},
	} {
		r := newRig(t, true, 0)
		at := r.want()
		id := r.begin()
		if c.before != nil {
			c.before(r)
		}
		if r.f.Passed() != 0 || !r.f.Under() || r.f.counts.Lost != 0 {
			t.Errorf("%s: a report counts before the call has returned", c.reason)
		}
		r.named(id, token)
		if c.after != nil {
			c.after(r)
		}
		if got := r.f.Passed() > at; got != c.want || r.f.Under() == got || len(r.f.early) > 0 {
			t.Errorf("%s: passed %t, want %t; early %v", c.reason, got, c.want, r.f.early)
		}
	}
}

// TestEarlyVoid: what voids the fence under way voids its early reports. Neither they nor
// the late token pass the next fence.
func TestEarlyVoid(t *testing.T) {
	for _, c := range []struct {
		reason string
		void   func(r *rig, id uint64)
	}{
		{"another set of kinds", func(r *rig, _ uint64) { r.f.Void(&r.k) }},
		{"a rewind", func(r *rig, _ uint64) { r.f.Rewind(r.now, &r.k) }},
		{"the call failed", func(r *rig, id uint64) { r.f.Fail(id, r.now, errTest, 0, &r.k, &r.out) }},
		{"the call takes too long", func(*rig, uint64) {}},
	} {
		r := newRig(t, true, 0)
		r.want()
		first := r.begin()
		r.report(8, "a", "b", "")
		c.void(r, first)
		r.now = r.now.Add(timeout)
		second := r.begin()
		if len(r.f.early) > 0 || second == first {
			t.Errorf("%s: the next fence begins with the reports %v", c.reason, r.f.early)
		}
		if r.f.SetToken(first, 8, &r.k, &r.out).Any() || r.f.token != 0 {
			t.Errorf("%s: the late token names the next fence", c.reason)
		}
		r.report(8, "a", "b", "")
		if r.named(second, 9) || !r.f.Under() {
			t.Errorf("%s: the reports of the former fence pass the next one", c.reason)
		}
		if !r.report(9, "a", "b", "") {
			t.Errorf("%s: the next fence does not pass by its own reports", c.reason)
		}
	}
}

// TestEarlyBound: past the bound of foreign tokens the fence is lost, and never passed. The
// next one waits for a pause.
func TestEarlyBound(t *testing.T) {
	r := newRig(t, true, 0)
	r.want()
	id := r.begin()
	r.report(1, "a", "b", "")
	for token := range uint64(maxEarly - 1) {
		r.report(100+token, "a")
	}
	if !r.f.Under() || r.f.counts.Lost != 0 || len(r.f.early) != maxEarly {
		t.Fatalf("%d tokens lose the fence, within the bound", len(r.f.early))
	}
	r.out.Reset()
	if r.report(1000, "x"); !r.f.Under() {
		t.Error("a report of an unknown kind counts towards the bound")
	}
	r.report(1000, "b")
	if n, _ := r.f.Lost(); r.f.Under() || n != 1 || r.f.counts.Lost != 1 || len(r.f.early) > 0 {
		t.Errorf("past the bound: under way %t, lost %d", r.f.Under(), n)
	}
	if !r.has(effect.WakeFence) || !r.has(effect.Log) || !r.f.Wanted() {
		t.Error("the loss is not reported, or no other fence is wanted")
	}
	if r.f.SetToken(id, 1, &r.k, &r.out).Any() || r.f.Passed() != 0 {
		t.Error("the lost fence passes by its early reports")
	}
	if r.begins() {
		t.Error("the next fence begins without a pause")
	}
	if r.now = r.now.Add(time.Second); !r.begins() {
		t.Error("the next fence does not begin after the pause")
	}
}

// TestEarlyInListing: a kind passes at the end of the listing that is under way when the
// token comes.
func TestEarlyInListing(t *testing.T) {
	r := newRig(t, true, 0)
	r.want()
	id := r.begin()
	r.report(8, "a", "b", "")
	r.k.Apply(&graph.Event{Type: graph.ListBegun, Kind: "a"}, &r.stamps, nil)
	if r.named(id, 8) || len(r.k.OpenKinds()) != 1 {
		t.Errorf("open are %q, want the listed kind alone", r.k.OpenKinds())
	}
	r.k.Apply(&graph.Event{Type: graph.ListEnded, Kind: "a"}, &r.stamps, nil)
	r.k.EndPruning()
	if !r.f.Pass("a", r.k.SetListed("a"), &r.k, &r.out).Last {
		t.Error("the listed kind does not pass")
	}
}

// TestRefuses: 0, and the token that came last, name no fence. Reports of that token do not
// take a place among the early ones.
func TestRefuses(t *testing.T) {
	r := newRig(t, true, 0)
	r.want()
	r.named(r.begin(), 8)
	r.report(8, "a", "b", "")
	r.want()
	r.begin()
	r.report(8, "a", "b", "")
	if len(r.f.early) > 0 {
		t.Errorf("the former token's reports are kept: %v", r.f.early)
	}
	for _, token := range []uint64{0, 8} {
		if r.f.Refuses(token) == "" {
			t.Errorf("the token %d is taken", token)
		}
	}
	if why := r.f.Refuses(9); why != "" {
		t.Errorf("a new token is refused: %s", why)
	}
}
