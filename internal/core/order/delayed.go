package order

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// Delayed returns the decision about an object whose delete or release d has to wait for its
// phase (G7). The wait of a release delays no other decision. An owner that orphans the object
// waits for the loss of its reference, and the order may wait for that owner.
func Delayed(in *policy.Facts, set policy.Settings, s *policy.Scratch, d policy.Decision) policy.Decision {
	if d.Action == policy.Release {
		still := *in
		still.Propagation = graph.Unset
		if x := policy.Decide(&still, set, s); x.Action != policy.Keep {
			return x
		}
	}
	return policy.Decision{Action: policy.Wait, Reason: policy.NeedPhase}
}
