package policy_test

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// The engine deletes a pod of a ReplicaSet that is being deleted in the foreground.
// Before that, a fence or a read must show that the ReplicaSet waits for the pod.
func ExampleDecide() {
	in := policy.Facts{
		Known:      3, // the moment at which the pod's version became known
		References: 1,
		Owners:     []policy.OwnerFacts{{Class: graph.Waiting, Block: true, Mark: 4}},
		Fence:      policy.Fence{Exact: true},
	}
	var scratch policy.Scratch
	show := func() {
		d := policy.Decide(&in, policy.Settings{}, &scratch)
		fmt.Printf("%s %s: %s\n", d.Action, d.Propagation, d.Reason)
	}
	show()

	in.Fence.Passed = 5 // the fence began after both were known
	show()

	in.Owners[0] = policy.OwnerFacts{Class: graph.Solid}
	show()
	// Output:
	// wait unset: a fence has to pass
	// delete background: all owners are gone or wait for it
	// keep unset: an owner exists
}
