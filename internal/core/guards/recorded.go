package guards

import "github.com/ownergraph/ownergraph/policy"

// Recorded returns the decision of the guards for a node, as its recorded reason shows it. A
// change of a root or of a protection asks for a decision of its node, so the record is present for
// each node that is not queued. Without such a reason it is the decision d.
func Recorded(why policy.Reason, d policy.Decision) policy.Decision {
	action := policy.Wait
	switch why {
	case policy.RootSeen:
		action = policy.Attach
	case policy.VerdictPassed, policy.VerdictRefused, policy.HoldGone:
		action = policy.Release
	case policy.OrderNeedsForeground:
		action = policy.Delete
	case policy.GuardUnfit:
		action = policy.Keep
	case policy.Protected, policy.ProtectionUnknown, policy.NeedVerdict, policy.JudgementFails, policy.DeletionRefused, policy.GuardMissing:
	default:
		return d
	}
	return policy.Decision{Action: action, Reason: why}
}
