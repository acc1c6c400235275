package graph

// link makes the edges of a node's owner references, in their order. A
// reference without a UID has none: its object is flawed and held.
func (g *Graph) link(dep NodeID) {
	last := edgeID(0)
	for i, r := range g.nodes[dep].obj.Owners {
		if r.UID == "" {
			continue
		}
		owner := g.ownerNode(g.resolve(g.nodes[dep].obj.Key, r))
		e := g.addEdge(edge{dep: dep, owner: owner, slot: int32(i), block: r.Block})
		if last == 0 {
			g.nodes[dep].firstOwner = e
		} else {
			g.edges[last].nextOwner = e
		}
		last = e
	}
}

func (g *Graph) ownerNode(k Key) NodeID {
	if id, ok := g.byKey[k]; ok {
		return id
	}
	id := g.addNode(k, Phantom)
	g.delta.Added = append(g.delta.Added, id)
	return id
}

func (g *Graph) addEdge(e edge) edgeID {
	var id edgeID
	if n := len(g.freeEdges); n > 0 {
		id, g.freeEdges = g.freeEdges[n-1], g.freeEdges[:n-1]
	} else {
		id = edgeID(len(g.edges))
		g.edges = append(g.edges, edge{})
	}
	o := &g.nodes[e.owner]
	if e.next = o.firstDep; e.next != 0 {
		g.edges[e.next].prev = id
	}
	o.firstDep = id
	g.edges[id] = e
	g.count(e, 1)
	return id
}

// count keeps the owner's counters. A self-reference never counts, neither
// directly nor through the claim on one's own UID.
func (g *Graph) count(e edge, d int32) {
	o := &g.nodes[e.owner]
	if leadsBack(g.nodes[e.dep].obj.Key, o.obj.Key) {
		return
	}
	o.refs += d
	if e.block {
		o.blocks += d
	}
}

// unlink removes the edges of a node's owner references.
func (g *Graph) unlink(dep NodeID) {
	for id := g.nodes[dep].firstOwner; id != 0; {
		e := g.edges[id]
		o := &g.nodes[e.owner]
		if o.fan == id {
			o.fan = e.next
		}
		if e.prev == 0 {
			o.firstDep = e.next
		} else {
			g.edges[e.prev].next = e.next
		}
		if e.next != 0 {
			g.edges[e.next].prev = e.prev
		}
		g.count(e, -1)
		g.loose = append(g.loose, e.owner)
		g.edges[id] = edge{}
		g.freeEdges = append(g.freeEdges, id)
		id = e.nextOwner
	}
	g.nodes[dep].firstOwner = 0
}

// Fan puts the cursor of the node's fan-out on its first dependent. Unresolved
// references to its UID have a fan-out of their own: see Claim. References that
// are made later are not visited: their own events are the notice.
func (g *Graph) Fan(id NodeID) { g.nodes[id].fan = g.nodes[id].firstDep }

// FanNext returns the next dependent of a fan-out and moves its cursor, or
// false at its end. Each reference is visited once, a self-reference included;
// one that leaves the list meanwhile is not. Held by TestFanVisits.
func (g *Graph) FanNext(id NodeID) (NodeID, bool) {
	x := &g.nodes[id]
	if x.fan == 0 {
		return 0, false
	}
	e := g.edges[x.fan]
	x.fan = e.next
	return e.dep, true
}
