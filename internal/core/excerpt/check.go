package excerpt

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// Check verifies the invariants of Copy after a last Step.
func (c *Copy) Check(v View) error {
	for id, p := range c.parts {
		if !v.InUse(id) {
			return fmt.Errorf("excerpt: node %d is no part of the graph", id)
		}
		n := v.Graph.Node(id)
		if !p.Object.Equal(n.Object()) || p.State != stateOf(v, n) {
			return fmt.Errorf("excerpt: %s is copied as %s, and the graph has %s", n.Key(), p.Object, n.Object())
		}
		if !p.Member || n.State() != graph.Observed {
			continue
		}
		for d := range n.Dependents() {
			if !c.Has(d.ID()) {
				return fmt.Errorf("excerpt: %s is no member, and its owner %s is one", d.Key(), n.Key())
			}
		}
	}
	return c.checkContents(v)
}

// checkContents: the observed content of a container that is a member.
func (c *Copy) checkContents(v View) error {
	for n := range v.Graph.Nodes() {
		if n.State() != graph.Observed || c.Has(n.ID()) {
			continue
		}
		for _, id := range n.Inside(inside.Key{}).Containers() {
			if c.Has(id) {
				return fmt.Errorf("excerpt: %s is no member, and its container %s is one", n.Key(), v.Graph.Node(id).Key())
			}
		}
	}
	return nil
}
