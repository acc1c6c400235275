package graph

import (
	"errors"
	"fmt"
)

// Check verifies the invariants that stand on Graph and returns an error that
// names the first one broken. It walks everything: it is for tests and audits.
// Each invariant is broken by hand in TestCheckNamesTheInvariant.
func (g *Graph) Check() error {
	for _, check := range []func() error{
		g.checkKeys, g.checkTwins, g.checkOwners, g.checkDependents, g.checkKinds, g.checkFree,
	} {
		if err := check(); err != nil {
			return fmt.Errorf("graph invariant %w", err)
		}
	}
	return nil
}

func (g *Graph) checkKeys() error {
	used, observed := 0, 0
	for id := range g.nodes {
		x := &g.nodes[id]
		switch x.state {
		case StateUnset:
			continue
		case Observed:
			observed++
		default:
			if x.firstDep == 0 {
				return fmt.Errorf("I5: %s %s has no dependent", x.state, x.obj.Key)
			}
		}
		if used++; g.byKey[x.obj.Key] != NodeID(id) {
			return fmt.Errorf("I1: %s is not found under its key", x.obj.Key)
		}
	}
	if used != len(g.byKey) || observed != g.observed {
		return fmt.Errorf("I1: %d nodes, %d keys; %d observed, counted as %d", used, len(g.byKey), observed, g.observed)
	}
	return nil
}

func (g *Graph) checkTwins() error {
	found, linked := 0, 0
	for u, first := range g.alive {
		prev := NodeID(0)
		for id := first; id != 0; id = g.twins[id].next {
			x, t := &g.nodes[id], g.twins[id]
			if x.state != Observed || x.obj.UID != u || t.prev != prev {
				return fmt.Errorf("I2: %s %s is in the list of UID %q", x.state, x.obj.Key, u)
			}
			if prev = id; t != (twin{}) {
				linked++
			}
			found++
		}
	}
	if found != g.observed || linked != len(g.twins) {
		return fmt.Errorf("I2: %d observed, %d found under their UIDs; %d twins, %d in lists", g.observed, found, len(g.twins), linked)
	}
	return nil
}

// checkOwners walks the references of each node, and checkDependents those to
// each: every edge in use is found once from either side.
func (g *Graph) checkOwners() error {
	found := 0
	for id := range g.nodes {
		x := &g.nodes[id]
		e := x.firstOwner
		for i, r := range x.obj.Owners {
			if r.UID == "" {
				continue
			}
			d := g.edges[e]
			if e == 0 || int(d.slot) != i || d.dep != NodeID(id) || d.block != r.Block ||
				g.nodes[d.owner].obj.Key != g.resolve(x.obj.Key, r) {
				return fmt.Errorf("I3: %s: reference %d has no edge, or another's", x.obj.Key, i)
			}
			e = d.nextOwner
			found++
		}
		if e != 0 {
			return fmt.Errorf("I3: %s: more edges than references", x.obj.Key)
		}
	}
	if used := len(g.edges) - 1 - len(g.freeEdges); found != used {
		return fmt.Errorf("I3: %d edges in use, %d in lists of owners", used, found)
	}
	return nil
}

func (g *Graph) checkDependents() error {
	found := 0
	for id := range g.nodes {
		x := &g.nodes[id]
		refs, blocks, fan, prev := int32(0), int32(0), x.fan == 0, edgeID(0)
		for e := x.firstDep; e != 0; e = g.edges[e].next {
			d := g.edges[e]
			if d.owner != NodeID(id) || d.prev != prev {
				return fmt.Errorf("I3: %s: its list of dependents is broken", x.obj.Key)
			}
			fan, prev = fan || e == x.fan, e
			if found++; leadsBack(g.nodes[d.dep].obj.Key, x.obj.Key) {
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
	if used := len(g.edges) - 1 - len(g.freeEdges); found != used {
		return fmt.Errorf("I3: %d edges in use, %d in lists of dependents", used, found)
	}
	return nil
}

func (g *Graph) checkKinds() error {
	listed, known := 0, 0
	for i := range g.kinds {
		k := &g.kinds[i]
		sweep, prev := k.sweep == 0, NodeID(0)
		for id := k.first; id != 0; id = g.nodes[id].nextKind {
			x := &g.nodes[id]
			if x.kind != kindID(i) || x.prevKind != prev || x.obj.Kind != k.info.Kind {
				return fmt.Errorf("I6: %s stands in the list of kind %q", x.obj.Key, k.info.Kind)
			}
			sweep, prev = sweep || id == k.sweep, id
			listed++
		}
		if !sweep || k.sweep != 0 && !k.sweeps {
			return fmt.Errorf("I8: kind %q: its sweep stands elsewhere", k.info.Kind)
		}
		if k.info.Kind == "" {
			continue
		}
		if known++; g.byKind[k.info.Kind] != kindID(i) || !k.known && k.first == 0 {
			return fmt.Errorf("I6: kind %q is not found, or held for nothing", k.info.Kind)
		}
	}
	if listed != len(g.byKey) || known != len(g.byKind) {
		return fmt.Errorf("I6: %d nodes, %d in lists of kinds; %d kinds, %d found", len(g.byKey), listed, known, len(g.byKind))
	}
	return nil
}

// checkFree also looks at the records that stand for none: whatever is written
// there would be read as if it were of all.
func (g *Graph) checkFree() error {
	if x := g.nodes[0]; x.state != StateUnset || x.role != plain || x.refs != 0 || x.firstOwner != 0 || x.firstDep != 0 ||
		x.nextKind != 0 || x.prevKind != 0 || g.edges[0] != (edge{}) {
		return errors.New("I7: the record of no node or edge is in use")
	}
	for _, err := range []error{
		freeList("node", g.freeNodes, len(g.nodes)-1-len(g.byKey), func(id NodeID) bool { return g.nodes[id].state == StateUnset }),
		freeList("edge", g.freeEdges, len(g.freeEdges), func(id edgeID) bool { return g.edges[id] == edge{} }),
		freeList("kind", g.freeKinds, len(g.kinds)-1-len(g.byKind), func(id kindID) bool { return g.kinds[id] == kind{} }),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// freeList holds a list of free ids against how many there have to be.
func freeList[ID ~uint32](what string, free []ID, want int, unused func(ID) bool) error {
	seen := map[ID]bool{0: true}
	for _, id := range free {
		if seen[id] || !unused(id) {
			return fmt.Errorf("I7: %s %d is free and in use, or free twice", what, id)
		}
		seen[id] = true
	}
	if len(free) != want {
		return fmt.Errorf("I7: %d %ss are unused, %d are free", want, what, len(free))
	}
	return nil
}
