package graph

// Apply applies an event of the watch and returns the change. The graph changes in no
// other way. The same state applied twice changes nothing. The graph ends the same in
// every order of the events of different kinds. An absence without a dependent is the
// exception: Freed reports it.
//
// Apply refuses an event that no store may send: accept.go has all of them. The error
// wraps ErrInvalid and names object and field. The graph is then as before, and the Delta
// is empty. Apply skips the events of an ignored kind.
//
// The work is in proportion to the event, and not to the number of dependents. Only
// KindsKnown walks all kinds, and only Rewound walks all nodes.
//
//test:by TestIdempotence TestOrderIndependence TestRefused TestApplyChangesLittle
func (g *Graph) Apply(e Event) (Delta, error) {
	d, err := g.inner().ApplyEvent(&e)
	return *d, err
}

// ApplyEvent is Apply without a copy of the event and of the Delta. It does not keep the
// event. The graph owns the Delta until the next event.
func (g inner) ApplyEvent(e *Event) (*Delta, error) {
	d := &g.delta
	d.reset()
	if e.Type != Put {
		g.found.of = Key{}
	}
	if e.Type == Put && g.applyRepeat(&e.Object) || len(g.cfg.Ignore) > 0 && g.ignores(e.Of()) {
		return d, nil
	}
	if err := g.accept(e); err != nil {
		return &Delta{}, err
	}
	g.apply(e)
	g.freeUnused(e)
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
		g.rewind()
	}
}

// gone applies the end of an object. An object that was neither observed nor referred to
// leaves no node. Freed reports its absence, as for any other object.
func (g *Graph) gone(k *Key) {
	var s location
	g.locateNext(k, &s)
	id, known := s.id, s.id != 0
	if !known {
		id = g.addPhantom(k, &s)
	}
	d, x := &g.delta, g.at(id)
	d.Node, d.Created = id, !known
	if x.state() == Absent {
		return
	}
	d.Gone, d.Class, d.Version, d.Mark = x.state() == Observed, true, true, x.is(deletingMark)
	d.Unseen, d.SharesUID = g.inner().PendingPrune(id), x.is(groupHeadMark|groupMemberMark)
	if d.Gone {
		g.countObserved(id, -1)
		g.notice(id)
		g.unlink(id)
		g.dropOwners(id)
		g.removeObserved(id)
		if g.ownerRecordOf(id).firstDep != 0 { // without a dependent it leaves the graph at once
			g.keep(id, g.keyForm(k, s.uid))
		}
	}
	wasObserved := x.state() == Observed
	if x.setState(Absent); wasObserved {
		g.moveElsewhere(id, 1)
	}
	x.set(flawedMark, false)
	x.setRole(plain)
	g.unused = append(g.unused, id)
}

// rewind takes back every observed absence, because an absent owner may exist again after
// a rewind. A listing that began before the rewind proves nothing.
func (g *Graph) rewind() {
	for id := range g.ids() {
		if g.at(id).state() == Absent {
			g.at(id).setState(Phantom)
		}
	}
	for i := range g.kinds {
		k := &g.kinds[i]
		k.listed, k.pruning, k.pruneAt, k.void = false, false, 0, k.listing
	}
}

// notice lists the marked owners of a node whose references change. A node is no owner of
// itself.
func (g *Graph) notice(dep NodeID) {
	x := g.at(dep)
	if x.owner == 0 {
		return
	}
	g.noticeOwner(dep, x.owner)
	for id := g.ownerRecordOf(dep).more; id != 0; {
		e := g.edges.at(uint32(id &^ furtherEdge))
		id = e.nextOwner
		g.noticeOwner(dep, e.owner)
	}
}

// noticeOwner: a claim may mean each observed node with its UID. All of these are owners. A
// reference with other coordinates counts for the end of an orphaning by its UID.
func (g *Graph) noticeOwner(dep, owner NodeID) {
	claim := g.isClaim(owner)
	if !claim && g.at(owner).state() == Observed {
		g.noticeOne(dep, owner)
		return
	}
	for o, n := g.aliveWithUIDOf(owner), 0; o != 0 && n < maxDuplicates; o, n = g.duplicates[o].next, n+1 {
		if claim || g.at(o).role() == orphaning && g.shares(owner, o) {
			g.noticeOne(dep, o)
		}
	}
}

func (g *Graph) noticeOne(dep, owner NodeID) {
	if o := g.at(owner); owner != dep && o.state() == Observed && o.is(deletingMark) {
		g.delta.Owners = append(g.delta.Owners, owner)
	}
}
