package plan_test

import (
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

func key(text string) graph.Key {
	o, err := graph.ParseObject(text)
	if err != nil {
		panic(err)
	}
	return o.Key
}

// shop is the plan of a deletion with one pod that a finalizer holds.
func shop() plan.Plan {
	web, set := key("deploy/shop/web@8d12"), key("set/shop/web@9e34")
	return plan.Plan{
		Request: plan.Request{Delete: []plan.Target{{Key: web, Propagation: graph.Background}}},
		Objects: []plan.Object{
			{Key: web, Outcome: plan.Removed, Root: true, Wave: 1},
			{Key: key("pod/shop/a@1"), Outcome: plan.Removed, Reason: policy.OwnersGone, Wave: 3, Parent: set},
			{Key: key("pod/shop/b@2"), Outcome: plan.Held, Reason: policy.NeedFinalizers, Causes: []string{"example.org/x"}, Wave: 3, Parent: set},
			{Key: set, Outcome: plan.Removed, Reason: policy.OwnersGone, Wave: 2, Parent: web},
		},
		Totals:      []plan.Total{{Kind: "deploy", Removed: 1, Affected: 1}, {Kind: "pod", Removed: 1, Held: 1, Affected: 2}, {Kind: "set", Removed: 1, Affected: 1}},
		Scopes:      []plan.ScopeTotal{{Scope: "shop", Removed: 3}},
		Waves:       3,
		Cost:        plan.Cost{Writes: 4, Reads: 2, Fences: 1},
		Assumptions: []plan.Assumption{{Type: plan.FinalizerStays, Name: "example.org/x", Count: 1}},
		Fingerprint: "00",
	}
}

func ExamplePlan_Text() {
	fmt.Print(shop().Text())
	// Output:
	// - deploy/shop/web
	//   - set/shop/web
	//     - pod/shop/a
	//     ! pod/shop/b stays: the finalizer example.org/x holds it
	// assumed: no controller takes the finalizer example.org/x off (1 object)
	// 3 objects go; 1 is held
}

func ExamplePlan_Details() {
	fmt.Print(shop().Details())
	// Output:
	// no steps
	// deploy: 1 goes
	// pod: 1 goes, 1 is held
	// set: 1 goes
	// 3 waves: 4 writes, at most 2 reads and 1 fence
	// fingerprint 00
}

func ExampleCompare() {
	now := shop()
	now.Objects[1].Outcome = plan.Kept
	err := plan.Compare(shop(), now)
	fmt.Println(err)
	var changed *plan.ChangedError
	fmt.Println(errors.Is(err, plan.ErrChanged), errors.As(err, &changed), len(changed.Differences), changed.More)
	// Output:
	// plan changed: pod/shop/a@1 was removed, is kept
	// true true 1 0
}

func ExamplePlan_Unmet() {
	left, _ := graph.Parse("pod/shop/a@1; pod/shop/b@2~[example.org/x]")
	for _, d := range shop().Unmet(left) {
		fmt.Println(d)
	}
	// Output:
	// pod/shop/a@1 was removed, is present
}
