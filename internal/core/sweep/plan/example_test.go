package plan_test

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/sweep/plan"
)

// A tenant is being deleted. Its own objects go, definitions first. The objects of a
// neighbour whose name begins alike stay.
func ExamplePlan_Next() {
	p, err := plan.New(finalizer.Sweep{
		Finalizer: "example.org/tenant", Holder: "tenant",
		Members: []finalizer.Members{
			{By: finalizer.ByName, Delimiter: "-"},
			{By: finalizer.ByName, AfterText: ".", Delimiter: "-", Kinds: []graph.Kind{"definition"}},
		},
		Phases: []finalizer.Phase{
			{Name: "definitions", Kinds: []graph.Kind{"definition"}},
			{Name: "the rest", After: true, Propagation: graph.Background},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	all, _ := graph.Parse(`tenant/111111~[example.org/tenant]; tenant/1111112;
		definition/widgets.111111-shop.org#1; volume/111111-data#2; volume/1111112-data#3`)
	for step, err := p.Next(all[0], all); ; step, err = p.Next(all[0], all) {
		if err != nil || step.Done {
			fmt.Println("done", err)
			return
		}
		for _, d := range step.Delete {
			fmt.Println("delete", d.Key, "at version", d.Options.Precondition.Version)
			all = slices.DeleteFunc(all, func(o graph.Object) bool { return o.Key == d.Key })
		}
	}
	// Output:
	// delete definition/widgets.111111-shop.org at version 1
	// delete volume/111111-data at version 2
	// done <nil>
}
