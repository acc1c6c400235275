package observed

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/swar"
)

// isPlainText reports whether a text is printable ASCII within the limit, which is no flaw.
// Other text may be a flaw or none.
func (g *Graph) isPlainText(s string) bool { return swar.IsPlain(s) && len(s) <= g.cfg.Limits.Text }

// isSound reports whether what is known already shows that a new object has no
// flaw, which is to say of most: kind and scope are those of others, UID and
// version are no text, and its one owner is sound. So only its name is looked at.
func (g *Graph) isSound(id NodeID, o *graph.Object) bool {
	x := g.at(id)
	if x.is(textUID|textVersion|ownersMark) || len(o.Owners) > 1 || len(o.Finalizers) > 0 || g.cfg.Limits.Text < uuidLen {
		return false
	}
	return g.places[x.place].sound && g.isPlainText(o.Name) &&
		(x.owner == 0 || g.isSoundOwner(x.owner, &o.Owners[0]))
}

// isSoundOwner is that for a plain reference, which leads to the node.
func (g *Graph) isSoundOwner(id NodeID, r *graph.Owner) bool {
	x := g.at(id)
	if x.state() == Observed {
		return !x.is(flawedMark)
	}
	return !x.is(textUID) && g.places[x.place].sound && r.Name != "" && g.isPlainText(r.Name)
}
