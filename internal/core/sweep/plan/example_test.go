package plan_test

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/sweep/plan"
)

// The objects of a tenant are in two phases. The objects of a neighbour whose name begins
// alike name the neighbour.
func ExamplePlan() {
	p, err := plan.New(guard.Sweep{
		Finalizer: "example.org/tenant", Holder: "tenant",
		Members: []guard.Members{
			{By: guard.ByName, Delimiter: "-", Kinds: []graph.Kind{"volume"}},
			{By: guard.ByName, AfterText: ".", Delimiter: "-", Kinds: []graph.Kind{"definition"}},
		},
		Phases: []guard.Phase{
			{Name: "definitions", Kinds: []graph.Kind{"definition"}},
			{Name: "the rest", After: true, Propagation: graph.Background},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	all, _ := graph.Parse("definition/widgets.111111-shop.org; volume/111111-data; volume/1111112-data")
	for _, o := range all {
		for c := range p.Claims(o) {
			if !c.Shadow {
				fmt.Println(o.Key, "is of", c.Name, "in phase", p.PhaseOf(o))
			}
		}
	}
	fmt.Println("phases that may delete:", p.Open([]int{1, 1, 0}))
	// Output:
	// definition/widgets.111111-shop.org is of 111111 in phase 0
	// volume/111111-data is of 111111 in phase 1
	// volume/1111112-data is of 1111112 in phase 1
	// phases that may delete: 1
}
