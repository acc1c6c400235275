package evidence

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestServesFast: the fast path replaces a decision that keeps the object or leaves it to a listing,
// and no other one. FastDecision is such a decision.
func TestServesFast(t *testing.T) {
	decision := func(a policy.Action, why policy.Reason) policy.Decision {
		return policy.Decision{Action: a, Reason: why}
	}
	for _, c := range []struct {
		fast, noted policy.Reason
		full        policy.Decision
		want        bool
		reason      string
	}{
		{policy.NeedListing, policy.ReasonUnset, decision(policy.Wait, policy.NeedListing), true, "both leave it to the listing"},
		{policy.NeedListing, policy.ReasonUnset, decision(policy.Keep, policy.NoOwners), false, "the listing would delay a known outcome"},
		{policy.ReasonUnset, policy.NeedListing, decision(policy.Keep, policy.OwnerSolid), true, "it was left to the listing before"},
		{policy.ReasonUnset, policy.NeedListing, decision(policy.Wait, policy.OwnerUnknown), true, "a doubt since then is for the end of the listing"},
		{policy.ReasonUnset, policy.NeedListing, decision(policy.Delete, policy.OwnersGone), false, "no fast path keeps garbage"},
		{policy.ReasonUnset, policy.OwnerSolid, decision(policy.Keep, policy.OwnerSolid), true, "it was kept before"},
		{policy.OwnerSolid, policy.ReasonUnset, decision(policy.Keep, policy.NoOwners), true, "each of the two reasons keeps it"},
		{policy.OwnerSolid, policy.ReasonUnset, decision(policy.Wait, policy.OwnerUnknown), false, "an unknown owner has to be read"},
	} {
		if got := ServesFast(c.fast, c.noted, c.full); got != c.want {
			t.Errorf("%s, noted %s, for %s %s: %t, want %t: %s", c.fast, c.noted, c.full.Action, c.full.Reason, got, c.want, c.reason)
		}
	}
	for _, why := range []policy.Reason{policy.NeedListing, policy.NoOwners, policy.OwnerSolid} {
		if d := FastDecision(why); d.Reason != why || !ServesFast(why, policy.ReasonUnset, d) {
			t.Errorf("the fast decision for %s is %s %s", why, d.Action, d.Reason)
		}
	}
}

// TestReadStateOf: a mark that is withheld counts for no dependent.
func TestReadStateOf(t *testing.T) {
	o := graph.Object{Key: graph.Key{Kind: "a", Name: "o", UID: "1"}, Deleting: true, Finalizers: []string{graph.FinalizerForeground}}
	if waits, withheld := ReadStateOf(&o, false), ReadStateOf(&o, true); waits == withheld || waits != policy.ReadStateOf(true, false) {
		t.Errorf("an owner that waits is %s, and %s with its mark withheld", waits, withheld)
	}
}
