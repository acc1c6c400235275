package policy_test

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// A pod of a ReplicaSet that is being deleted in the foreground goes as soon as
// a fence, or a read, has shown that its owner waits for it.
func ExampleDecide() {
	pod, _ := graph.ParseObject("pod/web -> rs/web!")
	in := policy.Input{
		Object: pod,
		Known:  3, // when the pod's version became known
		Owners: []policy.OwnerFact{{Class: graph.Waiting, Mark: 4}},
		Fence:  policy.Fence{Exact: true},
	}
	show := func() {
		d := policy.Decide(in, policy.Settings{})
		fmt.Printf("%s %s: %s\n", d.Action, d.Propagation, d.Reason)
	}
	show()

	in.Fence.Passed = 5 // it began after both were known
	show()

	in.Owners[0] = policy.OwnerFact{Class: graph.Solid}
	show()
	// Output:
	// wait unset: a fence has to pass
	// delete background: all owners are gone or wait for it
	// keep unset: an owner exists
}
