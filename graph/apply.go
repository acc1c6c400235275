package graph

import "slices"

// Apply takes what the watch said and returns what it changed. It is the only
// way in which a graph changes. Applying the same state twice changes nothing
// (held by TestIdempotence). In whichever order events of different kinds come,
// the graph ends as the same, but for an absence that nobody needed yet, which
// is told in Freed (held by TestOrderIndependence).
//
// An event that no store may send (see accept) is refused with an error that
// wraps ErrInvalid and names object and field; the graph is as before, and the
// Delta is empty. Held by TestRefused. Events about a kind that is ignored are
// not looked at.
//
// The work is in proportion to the event, never to the number of dependents
// (held by TestApplyChangesLittle). Only KindsKnown walks all kinds, and
// Rewound all nodes.
func (g *Graph) Apply(e Event) (Delta, error) {
	g.delta = Delta{Owners: g.delta.Owners[:0], Added: g.delta.Added[:0], Freed: g.delta.Freed[:0]}
	if g.ignores(e.Of()) {
		return g.delta, nil
	}
	if err := g.accept(e); err != nil {
		return Delta{}, err
	}
	g.apply(e)
	g.settle()
	return g.delta, nil
}

func (g *Graph) apply(e Event) {
	switch e.Type {
	case KindsKnown:
		g.applyKinds(e.Kinds)
	case ListBegun:
		g.kinds[g.byKind[e.Kind]].beginList()
	case ListEnded:
		g.kinds[g.byKind[e.Kind]].endList()
	case Put:
		g.put(e.Object)
	case Gone:
		g.gone(e.Key)
	case KindSick, KindRecovered:
		g.kinds[g.byKind[e.Kind]].sick = e.Type == KindSick
	case KindVanished:
		g.vanish(g.byKind[e.Kind])
	case Rewound:
		g.forget()
	}
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
	d.Version = true
	d.Mark = old.Deleting != o.Deleting || old.Propagation() != o.Propagation()
	d.Class = was != Observed || role != roleOf(o)
	d.Acknowledged = old.ObservedGeneration != o.ObservedGeneration
	if was != Observed {
		x.state = Observed
		g.observed++
		g.enliven(id)
	}
	relink := !slices.Equal(old.Owners, o.Owners)
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

// gone takes the end of an object. Of one that nobody has observed or refers
// to it leaves no node, but what it proves is told as of any other: in Freed.
func (g *Graph) gone(k Key) {
	id, ok := g.byKey[k]
	if !ok {
		id = g.addNode(k, Phantom)
	}
	d, x := &g.delta, &g.nodes[id]
	d.Node, d.Created = id, !ok
	if x.state == Absent {
		return
	}
	d.Gone, d.Class, d.Version, d.Mark = x.state == Observed, true, true, x.obj.Deleting
	if d.Gone {
		g.observed--
		g.notice(id)
		g.unlink(id)
		g.bury(id)
	}
	x.obj, x.state, x.flaw, x.role = Object{Key: k}, Absent, false, plain
	g.loose = append(g.loose, id)
}

// forget takes back every absence that was observed: after a rewind an absent
// owner may exist again. A listing that began before proves nothing any more.
func (g *Graph) forget() {
	for i := range g.nodes {
		if g.nodes[i].state == Absent {
			g.nodes[i].state = Phantom
		}
	}
	for i := range g.kinds {
		k := &g.kinds[i]
		k.listed, k.sweeps, k.sweep, k.void = false, false, 0, k.listing
	}
}

// notice lists the marked owners of a node whose references change. A node is
// no owner of itself.
func (g *Graph) notice(dep NodeID) {
	for e := g.nodes[dep].firstOwner; e != 0; e = g.edges[e].nextOwner {
		o := g.edges[e].owner
		k := g.nodes[o].obj.Key
		if k != claimOn(k.UID) {
			g.noticeOne(dep, o)
			continue
		}
		for o, n := g.alive[k.UID], 0; o != 0 && n < mostTwins; o, n = g.twins[o].next, n+1 {
			g.noticeOne(dep, o)
		}
	}
}

func (g *Graph) noticeOne(dep, owner NodeID) {
	if o := &g.nodes[owner]; owner != dep && o.state == Observed && o.obj.Deleting {
		g.delta.Owners = append(g.delta.Owners, owner)
	}
}
