package graph

import (
	"github.com/ownergraph/ownergraph/internal/core/swar"
)

// isPlainText reports whether a text is printable ASCII within the limit. Such text is no
// flaw. Other text may be one.
func (g *Graph) isPlainText(s string) bool { return swar.IsPlain(s) && len(s) <= g.cfg.Limits.Text }

// isSound reports whether the known state already shows that an object has no flaw. That
// is so for most objects. They share kind and scope with others, UID and version are no
// text, and the one owner is sound. Only the name needs a look.
func (g *Graph) isSound(id NodeID, o *Object) bool {
	x := g.at(id)
	if x.is(textUID|textVersion|ownersMark) || len(o.Owners) > 1 || len(o.Finalizers) > 0 || g.cfg.Limits.Text < uuidLen {
		return false
	}
	return g.places[x.place].sound && g.isPlainText(o.Name) &&
		(x.owner == 0 || g.isSoundOwner(x.owner, &o.Owners[0]))
}

// isSoundOwner is isSound for a plain reference to the node.
func (g *Graph) isSoundOwner(id NodeID, r *Owner) bool {
	x := g.at(id)
	if x.state() == Observed {
		return !x.is(flawedMark)
	}
	return !x.is(textUID) && g.places[x.place].sound && r.Name != "" && g.isPlainText(r.Name)
}
