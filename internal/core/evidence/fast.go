package evidence

import "github.com/ownergraph/ownergraph/policy"

// FastDecision returns the decision that the fast path replaces.
func FastDecision(why policy.Reason) policy.Decision {
	if why == policy.NeedListing {
		return policy.Decision{Action: policy.Wait, Reason: why, Owners: []int{0}}
	}
	return policy.Decision{Action: policy.Keep, Reason: why}
}

// ServesFast reports whether the fast path, with its reason, may replace a decision. The
// node may have been kept earlier, and the reason is unset then. A node that was left to a
// listing may have got a doubt since, and the end of the listing decides it.
//
//test:by TestServesFast
func ServesFast(reason, noted policy.Reason, d policy.Decision) bool {
	switch {
	case reason == policy.NeedListing:
		return d.Action == policy.Wait && d.Reason == policy.NeedListing
	case reason == policy.ReasonUnset && noted == policy.NeedListing:
		return d.Action == policy.Keep || d.Action == policy.Wait
	}
	return d.Action == policy.Keep && (d.Reason == policy.NoOwners || d.Reason == policy.OwnerSolid)
}
