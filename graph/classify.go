package graph

// Classify returns the class of an owner reference of an object that is not in the graph, as an
// admission check needs it before the object exists. The object has this scope. The answer is
// the one that the graph gives as soon as it has the object. A reference of the object to itself
// is Unknown, since the object is not there yet. Classify changes nothing.
//
//test:by TestClassify
func (g *Graph) Classify(scope string, r Owner) (Class, Doubt) {
	switch {
	case r.Unresolved || r.UID == "":
		return Unknown, UnresolvedScope
	case g.isByUID(&r):
		return Unknown, IgnoredKind
	}
	if d := g.doubtScope(scope, r.Scope); d != DoubtUnset {
		return Unknown, d
	}
	k := g.resolve(scope, r)
	if id := g.lookup(&k); id != 0 {
		return g.classOf(id)
	}
	return g.classOfMissing(&k)
}

// classOfMissing is classOf for coordinates without a node.
func (g *Graph) classOfMissing(k *Key) (Class, Doubt) {
	id := g.kindNamed(k.Kind)
	x := &g.kinds[id]
	switch {
	case x.known && x.info.NoOwner:
		return Unknown, BannedOwner
	case !x.known:
		return Unknown, UnservedKind
	case x.info.Unwatched:
		return Unknown, g.doubtUnwatched(x, k.Scope)
	}
	at := place{kind: id, scope: k.Scope}
	if d := g.livesElsewhere(g.alive(k.UID), &at, []byte(k.Name)); d != DoubtUnset {
		return Unknown, d
	}
	return Unknown, x.doubtUnobserved()
}
