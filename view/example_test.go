package view_test

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/view"
)

// A user asks for the objects above and below a site.
func ExampleTree() {
	objects, _ := graph.Parse(`site/front -> tenant/blue; page/home -> site/front^!; image/logo~[example.com/archive] -> page/home, theme/dark; tenant/blue`)
	p := view.Tree(objects, objects[0].Key, 0)
	fmt.Print(p.Text())
	fmt.Println(p.Below(), "below")
	// Output:
	// tenant/blue
	// └── site/front
	//     └── page/home
	//         └── image/logo  (also owned by theme/dark; being deleted; finalizer example.com/archive)
	// 1 owner above it
	// 2 objects below it
	// 2 below
}

// A document shows all objects of a small store, in Mermaid.
func ExampleAll() {
	objects, _ := graph.Parse(`site/front; page/home -> site/front^!; page/news -> site/front!`)
	fmt.Print(view.All(objects, 0).Mermaid())
	// Output:
	// flowchart TB
	//   n0("page<br/>home<br/>live"):::live
	//   n1("page<br/>news<br/>live"):::live
	//   n2("site<br/>front<br/>live"):::live
	//   n2 ==x n0
	//   n2 --x n1
	//   summary["3 objects"]:::summary
	//   classDef summary fill:none,stroke:none
	//   classDef live fill:#eaf4ea,stroke:#2e7d32,color:#1b1b1b
}

// A plan as a drawing for a web page. Graphviz takes its DOT.
func ExamplePlan() {
	front, home := graph.Key{Kind: "site", Name: "front", UID: "f"}, graph.Key{Kind: "page", Name: "home", UID: "h"}
	p := view.Plan(plan.Plan{
		Request: plan.Request{Delete: []plan.Target{{Key: front}}},
		Objects: []plan.Object{
			{Key: home, Outcome: plan.Held, Reason: policy.NeedFinalizers, Causes: []string{"example.com/archive"}, Wave: 2, Parent: front},
			{Key: front, Outcome: plan.Removed, Root: true, Wave: 1},
		},
		Waves: 2,
	}, nil, 0)
	fmt.Print(p.Text())
	svg, dot := p.SVG(), p.DOT()
	fmt.Println(strings.HasPrefix(svg, "<svg "), strings.HasPrefix(dot, "digraph "))
	// Output:
	// site/front  (goes in wave 1; deleted by the user)
	// └── page/home  (held; wave 2; finalizers hold it: example.com/archive)
	// 2 objects, 2 waves, 0 writes, at most 0 reads and 0 fences
	// true true
}

// A user asks why a site does not go.
func ExampleExplanation() {
	front, home := graph.Key{Kind: "site", Name: "front", UID: "f"}, graph.Key{Kind: "page", Name: "home", UID: "h"}
	p := view.Explanation(explain.Explanation{
		Key: front, State: explain.Exists, Deleting: true,
		Decision: explain.Decision{Action: policy.Wait, Reason: policy.NeedDependents},
		Wait:     []explain.Condition{{Key: home, Reason: policy.NeedFinalizers, End: explain.Controller, Actor: "example.com/archive"}},
	}, 0)
	fmt.Print(p.Text())
	// Output:
	// site/front  (being deleted, waits for its dependents; dependents hold it)
	// └── page/home  (waited for; held; finalizers hold it)
	//     └── controller example.com/archive  (next actor)
	// site/front is being deleted and waits for its dependents: page/home. Who has to act: the controller of the finalizer example.com/archive, for page/home.
}
