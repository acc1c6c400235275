package graph

// put applies an object that is new, or that differs from its observed state.
func (g *Graph) put(o *Object) {
	if g.found.id == 0 {
		g.create(o)
	} else {
		g.alter(o)
	}
}

// create makes the node of an object without references to it.
func (g *Graph) create(o *Object) {
	id := g.addNode(&o.Key, g.form(o, g.found.uid), &g.found.location)
	d, x := &g.delta, g.at(id)
	d.Node, d.Created, d.Observed, d.Version, d.Class = id, true, true, true, true
	d.Mark = o.Deleting || len(o.Finalizers) > 0 && o.Propagation() != Unset
	d.Acknowledged = o.ObservedGeneration != 0
	x.epoch = g.kinds[g.places[x.place].kind].epoch
	x.setState(Observed)
	x.setRole(g.roleAt(id, o))
	g.countObserved(id, 1)
	g.addObserved(id)
	if len(o.Owners) > 0 {
		g.refer(id, o)
		g.notice(id)
	}
	if !g.isSound(id, o) && g.flaw(*o) != nil {
		g.at(id).set(flawedMark, true)
	}
}

// alter applies the changes of an object that has a node.
func (g *Graph) alter(o *Object) {
	id := g.found.id
	d, x, form := &g.delta, g.at(id), g.form(o, g.found.uid)
	was, old := x.state(), g.facts(id)
	d.Node, d.Version, d.Observed, d.Resurrected = id, true, was != Observed, was == Absent
	x.epoch = g.kinds[g.places[x.place].kind].epoch
	same := g.found.same || g.refers(id, o)
	d.Mark = x.is(deletingMark) != o.Deleting || old.propagation() != o.Propagation()
	d.Acknowledged = old.seen != o.ObservedGeneration
	if was != Observed {
		g.moveElsewhere(id, -1)
		x.setState(Observed)
		g.countObserved(id, 1)
		g.addObserved(id)
	}
	role := g.roleAt(id, o)
	d.Class = was != Observed || x.role() != role
	if !same {
		g.notice(id)
		g.unlink(id)
	}
	g.keep(id, form)
	x.setRole(role)
	if !same {
		g.refer(id, o)
		g.notice(id)
	} else if len(g.restrictions.acts) > 0 {
		g.reviewRestrict(id, o)
	}
	g.at(id).set(flawedMark, !g.isSound(id, o) && g.flaw(*o) != nil)
}
