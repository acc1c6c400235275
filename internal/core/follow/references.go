package follow

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// references counts those to a root in an orphan deletion. Its dependents stay, so the progress of the
// deletion is the number of references that have gone.
type references struct {
	orphans bool // the first root is in an orphan deletion
	left    int
	dropped int // since Begin, or since a rewind
}

// countReferences takes a change of the root, or of its dependents.
//
//test:by TestReferences
func (f *Follower) countReferences(v *View) {
	now := references{dropped: f.references.dropped}
	if n, ok := v.Graph.Lookup(f.root); ok && n.State() == graph.Observed && n.Orphaning() {
		now.orphans, now.left = true, n.Referring()+n.Inside(inside.Key{}).Elsewhere()
		now.dropped += max(f.references.left-now.left, 0)
	}
	if now != f.references {
		f.references, f.changed = now, true
	}
}

// isAlone reports whether the root is the only member: it leaves its dependents, and is neither a
// holder nor a container.
func (f *Follower) isAlone(v *View) bool {
	n, ok := v.Graph.Lookup(f.root)
	return ok && f.references.orphans && len(f.roots) == 1 && !f.set.holder && n.Inside(inside.Key{}).Content().Name == ""
}

// countAlone counts the root as the only member.
func (f *Follower) countAlone(v *View, c *Counts) {
	n, _ := v.Graph.Lookup(f.root)
	c.Left, c.Held, c.Blocked = 1, 0, 0
	switch classOf(v, n.ID()) {
	case caused:
		c.Held = 1
	case blocked:
		c.Blocked = 1
	}
}
