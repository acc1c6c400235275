package graph

import "fmt"

// Check verifies the invariants that stand on Graph and returns an error that
// names the first one broken. It walks everything: it is for tests and audits.
func (g *Graph) Check() error {
	for _, check := range []func() error{g.checkIndex, g.checkEdges, g.checkCounts, g.checkKinds, g.checkFree} {
		if err := check(); err != nil {
			return fmt.Errorf("graph invariant %w", err)
		}
	}
	return nil
}

func (g *Graph) checkIndex() error {
	used := 0
	for id := 1; id < len(g.nodes); id++ {
		x := &g.nodes[id]
		if x.state == StateUnset {
			continue
		}
		used++
		if g.byKey[x.obj.Key] != NodeID(id) {
			return fmt.Errorf("I1: %s is not found under its key", x.obj.Key)
		}
		if x.state == Observed {
			if a, ok := g.alive[x.obj.UID]; !ok || g.nodes[a].state != Observed || g.nodes[a].obj.UID != x.obj.UID {
				return fmt.Errorf("I2: %s is not found under its UID", x.obj.Key)
			}
		} else if x.firstDep == 0 {
			return fmt.Errorf("I5: %s %s has no dependent", x.state, x.obj.Key)
		}
	}
	if used != len(g.byKey) {
		return fmt.Errorf("I1: %d nodes, %d keys", used, len(g.byKey))
	}
	return nil
}

func (g *Graph) checkEdges() error {
	for id := 1; id < len(g.nodes); id++ {
		x := &g.nodes[id]
		want := 0
		for _, r := range x.obj.Owners {
			if r.UID != "" {
				want++
			}
		}
		for e := x.firstOwner; e != 0; e = g.edges[e].nextOwner {
			want--
			d := g.edges[e]
			if d.dep != NodeID(id) || g.nodes[d.owner].obj.Key != g.resolve(x.obj.Key, x.obj.Owners[d.slot]) {
				return fmt.Errorf("I3: %s: reference %d leads elsewhere", x.obj.Key, d.slot)
			}
		}
		if want != 0 {
			return fmt.Errorf("I3: %s: %d references have no edge", x.obj.Key, want)
		}
	}
	return nil
}

func (g *Graph) checkCounts() error {
	for id := 1; id < len(g.nodes); id++ {
		x := &g.nodes[id]
		refs, blocks, fan, prev := int32(0), int32(0), x.fan == 0, edgeID(0)
		for e := x.firstDep; e != 0; e = g.edges[e].next {
			d := g.edges[e]
			if d.owner != NodeID(id) || d.prev != prev {
				return fmt.Errorf("I3: %s: its list of dependents is broken", x.obj.Key)
			}
			fan, prev = fan || e == x.fan, e
			if d.dep == NodeID(id) || x.obj.Key == (Key{UID: g.nodes[d.dep].obj.UID}) {
				continue
			}
			refs++
			if d.block {
				blocks++
			}
		}
		if refs != x.refs || blocks != x.blocks {
			return fmt.Errorf("I4: %s: counts %d/%d, holds %d/%d", x.obj.Key, x.refs, x.blocks, refs, blocks)
		}
		if !fan {
			return fmt.Errorf("I8: %s: its cursor stands elsewhere", x.obj.Key)
		}
	}
	return nil
}

func (g *Graph) checkKinds() error {
	listed := 0
	for i := range g.kinds {
		for id, prev := g.kinds[i].first, NodeID(0); id != 0; id = g.nodes[id].nextKind {
			x := &g.nodes[id]
			if x.kind != kindID(i) || x.prevKind != prev || x.obj.Kind != g.kinds[i].info.Kind {
				return fmt.Errorf("I6: %s stands in the list of kind %q", x.obj.Key, g.kinds[i].info.Kind)
			}
			prev = id
			listed++
		}
	}
	if listed != len(g.byKey) {
		return fmt.Errorf("I6: %d nodes in the lists of their kinds, %d in all", listed, len(g.byKey))
	}
	return nil
}

func (g *Graph) checkFree() error {
	nodes := map[NodeID]bool{}
	for _, id := range g.freeNodes {
		if nodes[id] || g.nodes[id].state != StateUnset {
			return fmt.Errorf("I7: node %d is free and in use, or free twice", id)
		}
		nodes[id] = true
	}
	edges := map[edgeID]bool{}
	for _, id := range g.freeEdges {
		if edges[id] || g.edges[id] != (edge{}) {
			return fmt.Errorf("I7: edge %d is free and in use, or free twice", id)
		}
		edges[id] = true
	}
	if n := len(g.nodes) - 1 - len(g.byKey); n != len(nodes) {
		return fmt.Errorf("I7: %d nodes are unused, %d are free", n, len(nodes))
	}
	return nil
}
