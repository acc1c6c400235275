package rules_test

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/rules"
)

// A pod of a ReplicaSet that is being deleted in the foreground goes as soon as
// a fence, or a read, has shown that its owner waits for it.
func ExampleDecide() {
	pod, _ := graph.ParseObject("pod/web -> rs/web!")
	in := rules.Input{
		Object: pod,
		Known:  3, // when the pod's version became known
		Owners: []rules.OwnerFact{{Class: observed.Waiting, Mark: 4}},
		Fence:  rules.Fence{Exact: true},
	}
	show := func() {
		d := rules.Decide(in, rules.Settings{})
		fmt.Printf("%s %s: %s\n", d.Action, d.Propagation, d.Reason)
	}
	show()

	in.Fence.Passed = 5 // it began after both were known
	show()

	in.Owners[0] = rules.OwnerFact{Class: observed.Solid}
	show()
	// Output:
	// wait unset: a fence has to pass
	// delete background: all owners are gone or wait for it
	// keep unset: an owner exists
}
