package graph

// applyRepeat applies an object that repeats its observed state, or that brings a new
// version number alone. It reports false for another object. Most events are such
// repeats, so this comes first and only compares. Its results for another object are in
// found.
func (g *Graph) applyRepeat(o *Object) bool {
	if !g.found.takes(&o.Key) {
		g.locateNext(&o.Key, &g.found.location)
	}
	g.found.same = false
	id := g.found.id
	if id == 0 {
		return false
	}
	x := g.at(id)
	at := &g.places[x.place]
	k := &g.kinds[at.kind]
	if x.state() != Observed || !k.known || k.info.Scoped == (at.scope == "") || !g.refers(id, o) {
		return false
	}
	g.found.same = true
	n, number := parseVersion(o.Version)
	switch {
	case !number || x.is(textVersion):
		if o.Version == "" || !g.hasForm(id, g.form(o, g.found.uid)) {
			return false
		}
	case !g.isUnaltered(id, o):
		return false
	case n != x.version:
		if g.cfg.Limits.Text < maxDigits {
			return false // the number may be a flaw
		}
		x.version, g.delta.Version, g.delta.Alike = n, true, true
	}
	x.epoch, g.delta.Node = k.epoch, id
	return true
}

// found has the results of applyRepeat for an object.
type found struct {
	location
	of   Key  // the location is that of this key, by Find
	same bool // the object has the references of its node
}

// Find returns the node with the coordinates of an object. If the object comes with the
// next event, ApplyEvent looks nothing up again.
//
//test:by TestFind
func (g inner) Find(o *Object) (Node, bool) {
	g.locateNext(&o.Key, &g.found.location)
	g.found.of = o.Key
	return Node{g.Graph, g.found.id}, g.found.id != 0
}

// takes reports whether Find has found the key, and forgets that.
func (f *found) takes(k *Key) bool {
	if f.of.UID == "" {
		return false
	}
	same := f.of == *k
	f.of = Key{}
	return same
}

// isUnaltered reports whether an object equals its node in all but the version. The key
// and the references are known to be equal, and neither version is text. The text of
// nearly every node is its name, and for many one small generation follows. The
// comparison then writes no text.
func (g *Graph) isUnaltered(id NodeID, o *Object) bool {
	x := g.at(id)
	switch {
	case x.is(deletingMark) != o.Deleting:
		return false
	case !x.is(moreText):
		return !hasMore(o)
	case !x.is(textUID|longText) && isShort(o):
		b := g.page(id).textOf(x)
		return b[len(b)-1] == byte(o.Generation)
	}
	f := g.form(o, g.found.uid)
	return x.marks&formMarks == f.marks && string(g.content(id)) == string(f.text)
}
