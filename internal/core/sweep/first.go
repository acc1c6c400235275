package sweep

import "github.com/ownergraph/ownergraph/policy"

// GoesFirst reports whether the own decision of a member goes before the wait of its sweep. A delete of
// a sweep that has to wait withholds no loss of a reference, because an owner may wait for that write. So
// each reason with which the engine asks for evidence goes first.
//
//test:by ownergraph.TestWithheldMembers
func GoesFirst(own policy.Decision) bool {
	switch own.Reason {
	case policy.NeedFence, policy.FenceHeld, policy.NeedWatch, policy.NeedAcknowledgement:
		return true
	}
	return own.Action == policy.Verify
}
