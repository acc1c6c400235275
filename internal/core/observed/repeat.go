package observed

import "github.com/ownergraph/ownergraph/graph"

// applyRepeat takes an object that is as it was observed, or so but for a version that
// is a number, and reports whether it was one. That is what most events say, so
// it comes first, and does no more than to compare. What it has found out of any
// other is in found.
func (g *Graph) applyRepeat(o *graph.Object) bool {
	g.seekNext(&o.Key, &g.found.location)
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
		if o.Version == "" || !g.holds(id, g.form(o, g.found.uid)) {
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

// found is what again has found out of an object.
type found struct {
	location
	same bool // its references are those of the node
}

// isUnaltered reports whether an object is as its node says, but for the version.
// Its key and its references are known to be, and neither version is text. What
// is written of nearly all is their name, and with many one small generation
// behind it: nothing needs to be written to compare that.
func (g *Graph) isUnaltered(id NodeID, o *graph.Object) bool {
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
