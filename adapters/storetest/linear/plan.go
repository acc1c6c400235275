package linear

import (
	"fmt"
	"math/rand/v2"

	"github.com/ownergraph/ownergraph/graph"
)

// verb is which call is made, and through which door.
type verb uint8

const (
	get verb = iota
	create
	update
	patch
	erase      // Store.Delete
	userDelete // Client.Delete
)

var verbNames = [...]string{"get", "create", "update", "patch", "delete", "user delete"}

func (v verb) String() string { return verbNames[v] }

// step is one planned call. What it is conditioned on shows when it is made: the
// plan says how much of what the client saw last of the object.
type step struct {
	verb       verb
	place      graph.Key
	underUID   bool
	underState bool // UID and version
	owners     []graph.Owner
	finalizers []string
	change     graph.Change
	options    graph.DeleteOptions // without precondition
	cancel     bool                // while it runs
	yield      int                 // how often others go first
}

// plan is what each client does, in order.
type plan [][]step

// drawPlan returns the plan of a seed: the same for the same kinds.
func drawPlan(seed uint64, c Config, kinds []graph.KindInfo) plan {
	d := drawer{rand.New(rand.NewPCG(seed, 0)), objects(kinds, c.Objects)}
	p := make(plan, c.Clients)
	for i := range p {
		for range c.Calls {
			p[i] = append(p[i], d.step())
		}
	}
	return p
}

// object is a place to call for, and the references that its objects may carry.
type object struct {
	place  graph.Key
	owners []graph.Owner
}

const scope = "linear" // of everything that has one

// objects spreads n places over the kinds. Owners are of the object's own kind
// and scope, so that no store has to resolve anything; they need not exist.
func objects(kinds []graph.KindInfo, n int) []object {
	var list []object
	for i := range n {
		info := kinds[i%len(kinds)]
		o := object{place: graph.Key{Kind: info.Kind, Name: fmt.Sprintf("n%d", i)}}
		if info.Scoped {
			o.place.Scope = scope
		}
		for j := 0; j < 2 && !info.NoOwner; j++ {
			owner := graph.Owner{Key: o.place, Block: true}
			owner.Name = fmt.Sprintf("o%d", j)
			owner.UID = graph.UID("linear-" + owner.Name)
			o.owners = append(o.owners, owner)
		}
		list = append(list, o)
	}
	return list
}
