package follow

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// maxFound bounds the nodes at one place that a search keeps of each kind, beside the
// objects that exist.
const maxFound = 64

// Found has the nodes at one place. One may have left the graph since, or stand in another
// list than its state says. It is a value.
type Found struct {
	// Alive has all objects that exist. Their number is in the hands of the store alone.
	Alive []graph.NodeID
	// Gone has at most 64 objects whose end the watch has shown.
	Gone []graph.NodeID
	// Named has at most 64 other nodes. Any client may write references that name them.
	Named []graph.NodeID
}

// search looks for the nodes at some places, with any UID. It takes each node once, and
// those that come meanwhile from their events.
type search struct {
	next   graph.NodeID
	places map[graph.Key]*Found
	one    graph.Key // the only place, or zero
}

func newSearch(keys []graph.Key) *search {
	s := &search{next: 1, places: map[graph.Key]*Found{}}
	for _, k := range keys {
		if k.UID == "" {
			s.places[k], s.one = &Found{}, k
		}
	}
	if len(s.places) != 1 {
		s.one = graph.Key{}
	}
	return s
}

// step looks at budget nodes, and returns true at the end.
func (s *search) step(v *View, budget int) (done bool) {
	for ; budget > 0 && len(s.places) > 0 && int(s.next) < v.Graph.Inside(inside.Key{}).Cap(); budget-- {
		s.look(v, s.next)
		s.next++
	}
	return len(s.places) == 0 || int(s.next) >= v.Graph.Inside(inside.Key{}).Cap()
}

// at returns the finds at the place of a node, or nil.
func (s *search) at(n graph.Node) *Found {
	if s.one.Kind != "" {
		if !n.Inside(inside.Key{}).IsPlaced(s.one) {
			return nil
		}
		return s.places[s.one]
	}
	k := n.Key()
	k.UID = ""
	return s.places[k]
}

// look keeps a node that stands at a place.
func (s *search) look(v *View, id graph.NodeID) {
	if id == 0 || len(s.places) == 0 || !v.InUse(id) {
		return
	}
	n := v.Graph.Node(id)
	x := s.at(n)
	if x == nil {
		return
	}
	list, limit := &x.Named, maxFound
	switch n.State() {
	case graph.Observed:
		list, limit = &x.Alive, int(^uint(0)>>1)
	case graph.Absent:
		list = &x.Gone
	}
	if len(*list) < limit && !slices.Contains(*list, id) {
		*list = append(*list, id)
	}
}

// StepSearch looks at budget nodes for the places of the roots without a UID, and returns
// true at the end.
//
//test:by TestSearch
func (f *Follower) StepSearch(v View, budget int) (done bool) { return f.search.step(&v, budget) }

// EndSearch forgets the nodes that the search has found: all roots have begun.
func (f *Follower) EndSearch() { f.search = nil }
