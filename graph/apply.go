package graph

import "slices"

// Apply takes what the watch said and returns what it changed. It is the only
// way in which a graph changes. Applying the same state twice changes nothing.
//
// An event that no store may send (without kind, name, UID or version, of a
// kind that is not known, in a scope that its kind does not have) is refused
// with an error that wraps ErrInvalid and names object and field; the graph is
// as before. The work is in proportion to the event, never to the number of
// dependents.
func (g *Graph) Apply(e Event) (Delta, error) {
	g.delta = Delta{Owners: g.delta.Owners[:0], Added: g.delta.Added[:0], Freed: g.delta.Freed[:0]}
	if err := g.accept(e); err != nil {
		return Delta{}, err
	}
	if k := e.Of(); k != "" && g.kinds[g.byKind[k]].ignored {
		return g.delta, nil
	}
	err := g.apply(e)
	g.settle()
	return g.delta, err
}

func (g *Graph) apply(e Event) error {
	switch e.Type {
	case KindsKnown:
		return g.applyKinds(e.Kinds)
	case ListBegun, ListEnded:
		return g.applyListing(e)
	case Put:
		g.put(e.Object)
	case Gone:
		g.gone(e.Key)
	case KindSick, KindRecovered:
		g.kinds[g.byKind[e.Kind]].sick = e.Type == KindSick
	case KindVanished:
		g.kinds[g.byKind[e.Kind]].freeze()
	case Rewound:
		g.forget()
	}
	return nil
}

// accept refuses what no store may send.
func (g *Graph) accept(e Event) error {
	switch e.Type {
	case KindsKnown, Rewound:
		return nil
	case Put:
		if e.Object.Version == "" {
			return invalidf("apply put: %s: version: empty", e.Object.Key)
		}
		return g.acceptKey("put", e.Object.Key)
	case Gone:
		return g.acceptKey("gone", e.Key)
	case EventUnset:
		return invalidf("apply event: type: unset")
	}
	if e.Kind == "" && e.Type == FencePassed {
		return nil
	}
	if k, ok := g.Kind(e.Kind); !ok || !k.Known && !k.Ignored {
		return invalidf("apply %s: kind %q: not among the kinds known", e.Type, e.Kind)
	}
	return nil
}

func (g *Graph) acceptKey(verb string, k Key) error {
	info, _ := g.Kind(k.Kind)
	switch {
	case k.Kind == "":
		return invalidf("apply %s: %s: kind: empty", verb, k)
	case k.Name == "":
		return invalidf("apply %s: %s: name: empty", verb, k)
	case k.UID == "":
		return invalidf("apply %s: %s: uid: empty", verb, k)
	case info.Ignored:
		return nil
	case !info.Known:
		return invalidf("apply %s: %s: kind: not among the kinds known", verb, k)
	case info.Scoped != (k.Scope != ""):
		return invalidf("apply %s: %s: scope: the kind is scoped: %t", verb, k, info.Scoped)
	}
	return nil
}

func (g *Graph) put(o Object) {
	id, known := g.byKey[o.Key]
	if !known {
		id = g.addNode(o.Key, Phantom)
	}
	d, x := &g.delta, &g.nodes[id]
	old, was, role := x.obj, x.state, x.role
	d.Node, d.Created, d.Observed, d.Resurrected = id, !known, was != Observed, was == Absent
	x.epoch = g.kinds[x.kind].epoch
	if was == Observed && old.Equal(o) {
		return
	}
	d.Version = was != Observed || old.Version != o.Version
	d.Mark = old.Deleting != o.Deleting || old.Propagation() != o.Propagation()
	d.Class = was != Observed || role != roleOf(o)
	d.Acknowledged = old.ObservedGeneration != o.ObservedGeneration
	if was != Observed {
		x.state = Observed
		g.observed++
		g.enliven(id)
	}
	relink := was != Observed || !slices.Equal(old.Owners, o.Owners)
	if relink {
		g.notice(id)
		g.unlink(id)
	}
	x.obj, x.flaw, x.role = o, flaw(o, g.cfg.Limits) != nil, roleOf(o)
	if relink {
		g.link(id)
		g.notice(id)
	}
}

// enliven notes that the UID of an observed node is alive here.
func (g *Graph) enliven(id NodeID) {
	u := g.nodes[id].obj.UID
	if first, ok := g.alive[u]; !ok {
		g.alive[u] = id
	} else if first != id {
		g.delta.Twin = true
		g.twins[u] = struct{}{}
	}
}

// bury notes that the UID does not live at this node any more. A twin takes
// its place; that is a walk, paid for only where a store broke its promise.
func (g *Graph) bury(id NodeID) {
	u := g.nodes[id].obj.UID
	if g.alive[u] != id {
		return
	}
	delete(g.alive, u)
	if _, ok := g.twins[u]; !ok {
		return
	}
	for i := range g.nodes {
		if x := &g.nodes[i]; x.state == Observed && x.obj.UID == u {
			g.alive[u] = NodeID(i)
			return
		}
	}
	delete(g.twins, u)
}

func (g *Graph) gone(k Key) {
	id, ok := g.byKey[k]
	if !ok {
		return
	}
	d, x := &g.delta, &g.nodes[id]
	d.Node = id
	if x.state == Absent {
		return
	}
	d.Gone, d.Class, d.Version, d.Mark = x.state == Observed, true, true, x.obj.Deleting
	if d.Gone {
		g.observed--
	}
	g.notice(id)
	g.unlink(id)
	x = &g.nodes[id]
	x.obj, x.state, x.flaw, x.role = Object{Key: k}, Absent, false, 0
	g.bury(id)
	g.loose = append(g.loose, id)
}

// forget takes back every absence that was observed: after a rewind an absent
// owner may exist again.
func (g *Graph) forget() {
	for i := range g.nodes {
		if g.nodes[i].state == Absent {
			g.nodes[i].state = Phantom
		}
	}
	for i := range g.kinds {
		g.kinds[i].listed = false
	}
}

// notice lists the marked owners of a node whose references change.
func (g *Graph) notice(dep NodeID) {
	for e := g.nodes[dep].firstOwner; e != 0; e = g.edges[e].nextOwner {
		o := g.edges[e].owner
		if k := g.nodes[o].obj.Key; k.Kind == "" {
			o = g.alive[k.UID]
		}
		if g.nodes[o].state == Observed && g.nodes[o].obj.Deleting {
			g.delta.Owners = append(g.delta.Owners, o)
		}
	}
}
