package sweep

import "github.com/ownergraph/ownergraph/policy"

// GoesFirst reports whether the own decision of a member goes before the wait of its sweep. A delete of
// a sweep that has to wait withholds no loss of a reference, because an owner may wait for that write.
//
//test:by ownergraph.TestWithheldMembers
func GoesFirst(own policy.Decision) bool {
	return own.Action == policy.Verify || own.Reason == policy.NeedFence
}
