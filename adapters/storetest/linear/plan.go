package linear

import (
	"fmt"
	"math/rand/v2"

	"github.com/ownergraph/ownergraph/graph"
)

// verb is the call, and whether it goes through the Store or the Client.
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

// step is one planned call. The plan says how much of the object's last seen state
// the precondition has. The client fills in the state when it makes the call.
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
	yield      int                 // the number of times that other goroutines go first
	with       *step               // a write of another object, in one batch with this one; nil for none
}

// plan has the calls of each client, in order.
type plan [][]step

// The size of a history. More calls find more, but the work of the judge may double
// with every call of unknown outcome.
const (
	clients     = 4
	callsEach   = 12 // of each client
	objectCount = 2  // shared by all clients, of as many kinds as the store serves
)

// drawPlan returns the plan of a seed. For the same kinds it is always the same.
func drawPlan(seed uint64, kinds []graph.KindInfo) plan {
	d := generator{rand.New(rand.NewPCG(seed, 0)), objects(kinds, objectCount)}
	p := make(plan, clients)
	for i := range p {
		for range callsEach {
			p[i] = append(p[i], d.step())
		}
	}
	return p
}

// object is a place, and the references that its objects may carry.
type object struct {
	place  graph.Key
	owners []graph.Owner
}

const scope = "linear" // of all scoped objects

// objects spreads n places over the kinds. Owners are of the object's own kind and
// scope, so that no store has to resolve them. They need not exist.
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
