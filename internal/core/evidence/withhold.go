package evidence

import "github.com/ownergraph/ownergraph/policy"

// Withhold returns the decision about an object whose delete d has to wait. The object drops its release
// references all the same, and those to owners that orphan, because these owners wait for that. A wait
// with the reason of d is short, and the delete takes the references along. Another decision d waits. So
// does the delete of an object without a policy, since an owner that orphans decides before it.
//
//test:by TestWithhold internal/proof/script.TestScenarios/e3-a-kept-object-releases
func Withhold(in *policy.Facts, set policy.Settings, s *policy.Scratch, d, wait policy.Decision) policy.Decision {
	if d.Action != policy.Delete || d.Reason == policy.HolderDeleted || d.Reason == wait.Reason || !in.HasPolicies() {
		return wait
	}
	still := *in
	still.Protected = true
	if x := policy.Decide(&still, set, s); x.Reason != policy.Protected {
		return x
	}
	return wait
}
