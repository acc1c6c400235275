package excerpt

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// NewWhole returns an empty copy of everything: all observed objects are members. It is open in
// the graph until Close.
//
//test:by TestWholeMeanwhile
func NewWhole(g *graph.Graph) *Copy {
	c := New(g)
	c.whole, c.scan = true, 1
	return c
}

// stepScan adds the next observed nodes of a whole copy. It returns the cost, and true at the end. A
// loose copy leaves out the nodes that are made later, since they may come without an end.
func (c *Copy) stepScan(v View, budget int) (cost int, done bool) {
	limit := graph.NodeID(v.Graph.Inside(inside.Key{}).Cap())
	if c.loose && c.until == 0 {
		c.until = limit
	}
	if c.loose {
		limit = min(limit, c.until)
	}
	for ; c.scan < limit && cost < budget && len(c.todo) == 0; c.scan++ {
		if cost++; v.InUse(c.scan) && v.Graph.Node(c.scan).State() == graph.Observed {
			c.add(c.scan, true)
		}
	}
	return cost, c.scan >= limit && len(c.todo) == 0
}

// Graph returns the graph of the parts of a whole copy, with the kinds of the graph at the moment of
// the last Step. It does not read the copied graph. The copy is empty afterwards.
//
//test:by TestWholeMeanwhile
func (c *Copy) Graph(cfg graph.Config, kinds []graph.KindState) (*graph.Graph, error) {
	parts := c.parts
	c.parts = map[graph.NodeID]*part{}
	var ended []graph.Key
	for _, p := range parts {
		if p.Ended {
			ended = append(ended, p.Object.Key)
		}
	}
	objects := func(yield func(graph.Object) bool) {
		for id, p := range parts {
			delete(parts, id) // the graph has its own form of the object
			if p.State == Exists && !yield(p.Object) {
				return
			}
		}
	}
	return graph.Inside(inside.Key{}).Rebuild(cfg, kinds, objects, ended)
}
