package excerpt

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// Around is a walk over the objects around one object, nearest first, in small steps while the
// graph changes. The objects are the object itself, the owners above it at all heights, the
// dependents below it at all depths, and the owners of each dependent. Start begins a walk, and
// Close ends it. An Around is not safe for concurrent use.
//
// Between two steps it knows the objects by their keys, since a node may then stand for another
// object.
type Around struct {
	objects []graph.Object
	limit   int
	more    bool
	seen    map[graph.Key]bool // in todo now or before
	todo    []aroundItem
	cursor  graph.Cursor          // on the dependents of the object that was taken last
	sameUID map[graph.NodeID]bool // of the references of one object
}

type aroundItem struct {
	key      graph.Key
	up, down bool // its owners and its dependents come too
}

// Start begins the walk at a node. The walk ends at limit objects.
func (a *Around) Start(g *graph.Graph, n graph.Node, limit int) {
	k := n.Key()
	*a = Around{limit: limit, seen: map[graph.Key]bool{k: true}, todo: []aroundItem{{k, true, true}}, sameUID: map[graph.NodeID]bool{}}
	g.OpenCursor(&a.cursor)
}

// Close ends the walk. The graph then forgets it.
func (a *Around) Close(g *graph.Graph) { g.CloseCursor(&a.cursor) }

// Objects returns the objects so far, and whether the limit has left out others.
func (a *Around) Objects() (objects []graph.Object, more bool) { return a.objects, a.more }

// Step looks at about budget objects and references. It returns true at the end.
//
//test:by TestAround
func (a *Around) Step(g *graph.Graph, budget int) (done bool) {
	for ; budget > 0; budget-- {
		if id, ok := a.cursor.Next(g); ok {
			a.add(g.Node(id), false, true)
			continue
		}
		if len(a.todo) == 0 {
			return true
		}
		item := a.todo[0]
		a.todo = a.todo[1:]
		if n, ok := g.Lookup(item.key); ok {
			budget -= n.Owners()
			a.addNode(g, n, item)
		}
	}
	return false
}

// addNode adds the object of a node to the result, and the objects beside it to the walk.
func (a *Around) addNode(g *graph.Graph, n graph.Node, item aroundItem) {
	if n.State() == graph.Observed {
		if len(a.objects) >= a.limit {
			a.todo, a.more = nil, true
			return
		}
		a.objects = append(a.objects, n.Object())
	}
	clear(a.sameUID)
	for _, owner := range n.OwnerNodes() {
		a.add(owner, item.up, false)
		if owner.Inside(inside.Key{}).ByUID() { // it stands for each object with the UID
			a.addSameUID(g, owner, item.up)
		}
	}
	if item.down && !a.more {
		a.cursor.Start(g, n.ID())
	}
}

// addSameUID adds the objects that an owner stands for. Many references of one object may name one
// UID, and a UID may have many nodes. So only the first of these references looks at them.
//
//test:by TestAroundOneUID
func (a *Around) addSameUID(g *graph.Graph, owner graph.Node, up bool) {
	if a.sameUID[owner.ID()] {
		return
	}
	a.sameUID[owner.ID()] = true
	for _, id := range owner.Inside(inside.Key{}).SameUID() {
		a.add(g.Node(id), up, false)
	}
}

// add adds a node to the walk. More nodes than the limit has room for end the search for others.
func (a *Around) add(n graph.Node, up, down bool) {
	if n.State() != graph.Observed {
		return
	}
	k := n.Key()
	switch {
	case a.seen[k]:
	case len(a.seen) >= max(a.limit, 1):
		a.more = true
		a.cursor = graph.Cursor{}
	default:
		a.seen[k] = true
		a.todo = append(a.todo, aroundItem{k, up, down})
	}
}
