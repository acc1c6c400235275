package graph

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
	d, err := g.Take(&e)
	return *d, err
}

// Take is Apply without a copy of the event, which it does not keep, nor of the
// Delta, which is the graph's own until the next one.
func (g *Graph) Take(e *Event) (*Delta, error) {
	d := &g.delta
	*d = Delta{Owners: d.Owners[:0], Added: d.Added[:0], Freed: d.Freed[:0]}
	if e.Type == Put {
		if d.Node = g.again(&e.Object); d.Node != 0 {
			return d, nil
		}
	}
	if g.ignores(e.Of()) {
		return d, nil
	}
	if err := g.accept(e); err != nil {
		return &Delta{}, err
	}
	g.apply(e)
	g.settle(e)
	return d, nil
}

func (g *Graph) apply(e *Event) {
	switch e.Type {
	case KindsKnown:
		g.applyKinds(e.Kinds)
	case ListBegun:
		g.beginList(&g.kinds[g.kindNamed(e.Kind)])
	case ListEnded:
		g.kinds[g.kindNamed(e.Kind)].endList()
	case Put:
		g.put(&e.Object)
	case Gone:
		g.gone(&e.Key)
	case KindSick, KindRecovered:
		g.kinds[g.kindNamed(e.Kind)].sick = e.Type == KindSick
	case KindVanished:
		g.vanish(g.kindNamed(e.Kind))
	case Rewound:
		g.forget()
	}
}

// again returns the node of an object that is as it was observed, 0 for any
// other. That is what most events of a listing say, so it comes first, and does
// no more than to compare.
func (g *Graph) again(o *Object) NodeID {
	p := g.packUID(o.UID)
	id := g.lookupPacked(&o.Key, p)
	g.found = found{id, p}
	if id == 0 {
		return 0
	}
	x := g.at(id)
	at := &g.places[x.place]
	k := &g.kinds[at.kind]
	if x.state() != Observed || !k.known || k.info.Scoped == (at.scope == "") || !g.refers(id, o) {
		return 0
	}
	if x.is(textVersion|moreText) || len(o.Finalizers) > 0 {
		if !g.holds(id, g.form(o, p)) {
			return 0
		}
	} else if n, ok := parseVersion(o.Version); !ok || n != x.version || !g.isBare(x, o) {
		return 0
	}
	x.epoch = k.epoch
	return id
}

// isBare reports whether an object has nothing but references beyond its key and
// version, and is marked for deletion as the record says. The key is known to be
// the record's.
func (g *Graph) isBare(x *node, o *Object) bool {
	return x.is(deletingMark) == o.Deleting && o.GraceSeconds|o.Generation|o.ObservedGeneration == 0
}

// found is what again has looked up.
type found struct {
	id  NodeID
	uid packed
}

// put takes an object that is new, or not as it was observed.
func (g *Graph) put(o *Object) {
	id, p := g.found.id, g.found.uid
	known, form := id != 0, g.form(o, p)
	if !known {
		id = g.addNode(&o.Key, form, p)
	}
	d, x := &g.delta, g.at(id)
	was := x.state()
	d.Node, d.Created, d.Observed, d.Resurrected = id, !known, was != Observed, was == Absent
	x.epoch = g.kinds[g.places[x.place].kind].epoch
	same, role := g.refers(id, o), roleOf(o)
	deleting, old := x.is(deletingMark), g.facts(id)
	if !known { // it is written as it is now
		deleting, old = false, facts{}
	}
	d.Version = true
	if was == Observed && same && x.marks&formMarks == form.marks && string(g.content(id)) == string(form.text) &&
		limit(g.cfg.Limits.Text) >= maxDigits {
		x.version = form.version // all else is as it was, and a number is no flaw
		return
	}
	d.Mark = deleting != o.Deleting || old.propagation() != o.Propagation()
	d.Class = was != Observed || x.role() != role
	d.Acknowledged = old.seen != o.ObservedGeneration
	if was != Observed {
		x.setState(Observed)
		g.observed++
		g.enliven(id)
	}
	if !same {
		g.notice(id)
		g.unlink(id)
	}
	g.keep(id, form)
	x.set(flawedMark, flaw(o, g.cfg.Limits) != nil)
	x.setRole(role)
	if !same {
		g.refer(id, o)
		g.notice(id)
	}
}

// gone takes the end of an object. Of one that nobody has observed or refers
// to it leaves no node, but what it proves is told as of any other: in Freed.
func (g *Graph) gone(k *Key) {
	id := g.lookup(k)
	known := id != 0
	if !known {
		id = g.addPhantom(k)
	}
	d, x := &g.delta, g.at(id)
	d.Node, d.Created = id, !known
	if x.state() == Absent {
		return
	}
	d.Gone, d.Class, d.Version, d.Mark = x.state() == Observed, true, true, x.is(deletingMark)
	if d.Gone {
		g.observed--
		g.notice(id)
		g.unlink(id)
		g.dropWide(id)
		g.bury(id)
		g.keep(id, g.form(&Object{Key: *k}, g.packUID(k.UID)))
	}
	x.setState(Absent)
	x.set(flawedMark, false)
	x.setRole(plain)
	g.loose = append(g.loose, id)
}

// forget takes back every absence that was observed: after a rewind an absent
// owner may exist again. A listing that began before proves nothing any more.
func (g *Graph) forget() {
	for id := range g.ids() {
		if g.at(id).state() == Absent {
			g.at(id).setState(Phantom)
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
	for id := g.firstEdge(dep); id != 0; {
		e := g.edge(id)
		id = e.nextOwner
		if !g.isClaim(e.owner) {
			g.noticeOne(dep, e.owner)
			continue
		}
		for o, n := g.aliveLike(e.owner), 0; o != 0 && n < mostTwins; o, n = g.twins[o].next, n+1 {
			g.noticeOne(dep, o)
		}
	}
}

func (g *Graph) noticeOne(dep, owner NodeID) {
	if o := g.at(owner); owner != dep && o.state() == Observed && o.is(deletingMark) {
		g.delta.Owners = append(g.delta.Owners, owner)
	}
}
