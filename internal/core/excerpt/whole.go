package excerpt

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// NewWhole returns an empty copy of everything: all observed objects are members. It is open in
// the graph until Close.
//
// Held by TestWholeMeanwhile.
func NewWhole(g *graph.Graph) *Copy {
	c := New(g)
	c.whole, c.scan = true, 1
	return c
}

// stepScan adds the next observed nodes of a whole copy. It returns the cost, and true at the end.
func (c *Copy) stepScan(v View, budget int) (cost int, done bool) {
	limit := graph.NodeID(v.Graph.Inside(inside.Key{}).Cap())
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
// A listing under way is one in the result, too. The objects count as brought by it.
//
// Held by TestWholeMeanwhile.
func (c *Copy) Graph(cfg graph.Config, kinds []graph.KindState) (*graph.Graph, error) {
	g := graph.New(cfg)
	all, served := make([]graph.KindInfo, len(kinds)), make([]graph.KindInfo, 0, len(kinds))
	for i, k := range kinds {
		if all[i] = k.KindInfo; k.Known {
			served = append(served, k.KindInfo)
		}
	}
	if err := applyAll(g, append([]graph.Event{{Type: graph.KindsKnown, Kinds: all}}, listings(kinds)...)); err != nil {
		return nil, err
	}
	for _, k := range served {
		g.EndListing(k.Kind)
	}
	if err := applyAll(g, states(kinds)); err != nil {
		return nil, err
	}
	if err := c.put(g); err != nil {
		return nil, err
	}
	return g, applyAll(g, []graph.Event{{Type: graph.KindsKnown, Kinds: served}})
}

// listings returns the complete listings of an empty store.
func listings(kinds []graph.KindState) (out []graph.Event) {
	for _, k := range kinds {
		if k.Known && k.Listed {
			out = append(out, graph.Event{Type: graph.ListBegun, Kind: k.Kind}, graph.Event{Type: graph.ListEnded, Kind: k.Kind})
		}
	}
	return out
}

// states returns the listings under way, and the kinds that are sick.
func states(kinds []graph.KindState) (out []graph.Event) {
	for _, k := range kinds {
		if k.Known && k.Listing {
			out = append(out, graph.Event{Type: graph.ListBegun, Kind: k.Kind})
		}
		if k.Known && k.Sick {
			out = append(out, graph.Event{Type: graph.KindSick, Kind: k.Kind})
		}
	}
	return out
}

// put puts the existing objects, and then the ends that the watch has shown. An end without a
// reference to its object leaves the graph at once.
func (c *Copy) put(g *graph.Graph) error {
	var ends []graph.Event
	for id, p := range c.parts {
		switch {
		case p.State == Exists:
			if err := applyAll(g, []graph.Event{{Type: graph.Put, Object: p.Object}}); err != nil {
				return err
			}
		case p.Ended:
			ends = append(ends, graph.Event{Type: graph.Gone, Key: p.Object.Key})
		}
		delete(c.parts, id)
	}
	return applyAll(g, ends)
}

func applyAll(g *graph.Graph, events []graph.Event) error {
	for i := range events {
		if _, err := g.Inside(inside.Key{}).ApplyEvent(&events[i]); err != nil {
			return err
		}
	}
	return nil
}
