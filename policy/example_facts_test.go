package policy_test

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// An owner was never observed. The decision asks for a read of it, and the answer proves the owner
// absent. The moments are the caller's own order of events.
func ExampleFactsOf() {
	objects, err := graph.Parse("repo/site#1 -> team/blue")
	if err != nil {
		panic(err)
	}
	g, err := graph.Load(graph.Config{}, []graph.KindInfo{{Kind: "team"}, {Kind: "repo"}}, objects)
	if err != nil {
		panic(err)
	}
	site, _ := g.Lookup(objects[0].Key)
	g.SetNote(site.ID(), 1) // the moment of the event that brought the version

	facts := policy.FactsOf(site)
	facts.AddMoments(site, func(n graph.Node) policy.Moment { return policy.Moment(g.Note(n.ID())) })
	d := policy.Decide(&facts, policy.Settings{}, nil)
	fmt.Printf("%s: %s\n", d.Action, d.Reason)

	for _, i := range d.Owners {
		owner, _ := policy.OwnerOf(site, i)
		fmt.Println("read", owner.Key().PlaceString())
		err := facts.AddRead(site, i, policy.Read{Began: 2, Done: 3, Err: graph.ErrNotFound})
		if err != nil {
			panic(err)
		}
	}
	d = policy.Decide(&facts, policy.Settings{}, nil)
	fmt.Printf("%s: %s\n", d.Action, d.Reason)
	// Output:
	// verify: an owner has to be read
	// read team/blue
	// delete: all owners are gone
}

// The write of a decision is under the UID and the version of the judged object.
func ExampleDecision_Change() {
	o, err := graph.ParseObject("repo/site@u7#12 -> team/blue, team/red")
	if err != nil {
		panic(err)
	}
	trim := policy.Decision{Action: policy.Trim, Owners: []int{1}}
	w, ok := trim.Change(o)
	fmt.Println(ok, w, w.Precondition, w.Change.DropOwners)

	keep := policy.Decision{Action: policy.Keep}
	_, ok = keep.Change(o)
	fmt.Println(ok)
	// Output:
	// true patch repo/site@u7 {u7 12} [team/red]
	// false
}
