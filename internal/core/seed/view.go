package seed

import (
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/brake"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/internal/core/guards"
	"github.com/ownergraph/ownergraph/internal/core/orphaned"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/core/sweep"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/queue"
)

// View has the machines that a copy reads. The engine makes one for each step.
type View struct {
	sweep.View
	Sweeps   *sweep.Sweeps
	Guards   *guards.Guards
	Orphaned *orphaned.Memory
	Work     *queue.Queue[graph.NodeID]
	Open     *Open
	Rewinds  uint64 // the number of rewinds until now
}

// Rest has the parts of a seed beside the copy.
type Rest struct {
	Now    time.Time
	Busy   bool
	Pauses []Pause
	Brake  brake.Memory
}

// Seed returns the seed of an ended copy. The caller takes the parts later, with TakeParts, and needs no
// lock for that.
func (c *Copy) Seed(v *View, rest Rest) Seed {
	return Seed{
		Now: rest.Now, Kinds: kindsOf(v.Graph, v.Kinds), Defined: definedKinds(v.Graph), Behind: c.gone, Torn: c.torn, Busy: rest.Busy, Pauses: rest.Pauses,
		Sweeps: v.Sweeps.Memory(), Brake: rest.Brake, Labels: v.Guards.Labels.Clone(), Rewound: v.Kinds.Rewound(), Members: c.shown, Unselected: c.unselected,
	}
}

// TakeParts returns the parts of an ended copy by key, once.
func (c *Copy) TakeParts() []excerpt.Part { return c.parts.Take() }

func (v *View) excerptView() excerpt.View {
	return excerpt.View{Nodes: v.Nodes, Orphaned: v.Orphaned, Rewound: v.Kinds.Rewound()}
}

// shownFor returns the members by labels for the plan of a request: for marked roots that a guard
// holds, as of an instant after each mark. A plan of other objects does not
// know the members by labels. After is a later moment, or 0.
func (v *View) shownFor(req *plan.Request, after seq.Stamp) *guards.Shown {
	switch {
	case v.Guards.Members.Restored() != nil:
		return v.Guards.Members.Restored()
	case !v.Guards.Members.Any():
		return nil
	}
	after = max(after, v.Kinds.Rewound())
	for _, t := range req.Delete {
		at := seq.Stamp(0)
		if n, ok := v.Graph.Lookup(t.Key); ok {
			at = v.Guards.Roots.Marked(n.ID())
		}
		if at == 0 {
			return &guards.Shown{}
		}
		after = max(after, at)
	}
	if len(req.Delete) == 0 {
		return &guards.Shown{}
	}
	return v.Guards.Members.Shown(after)
}

// Open are the copies under way, which follow each change of the graph. The zero value has none.
type Open struct{ list []opened }

// opened is a copy under way.
type opened struct {
	parts *excerpt.Copy
	of    *Copy // nil for a copy of the whole graph
}

// Add adds the parts of a copy, which is nil for the whole graph.
func (o *Open) Add(parts *excerpt.Copy, of *Copy) { o.list = append(o.list, opened{parts, of}) }

// Close ends a copy: the engine and its graph forget it. It may be called again.
func (o *Open) Close(g *graph.Graph, c *excerpt.Copy) {
	c.Close(g)
	o.list = slices.DeleteFunc(o.list, func(x opened) bool { return x.parts == c })
}

// Any reports whether a copy is under way.
func (o *Open) Any() bool { return len(o.list) > 0 }

// Observe takes a change of the graph.
func (o *Open) Observe(v *View, d *graph.Delta) {
	if d.Node == 0 && len(d.Freed) == 0 {
		return
	}
	ev := v.excerptView()
	member := d.Node != 0 && v.Sweeps.Any() && v.InUse(d.Node) && v.Node(d.Node).State() == graph.Observed
	for _, x := range o.list {
		x.parts.Observe(ev, d)
		if !member || x.parts.IsLoose() {
			continue
		}
		addMember(v.Sweeps, v.View, x.parts, d.Node)
		if x.of != nil && x.of.phase == copyMembers {
			x.of.noteUnselected(v.Sweeps, x.of.sweepView(v), d.Node)
		}
	}
}

// addMember adds an object to a copy if its holder is a member, and the holders of an object that
// is a member.
func addMember(sw *sweep.Sweeps, v sweep.View, c *excerpt.Copy, id graph.NodeID) {
	holders := sw.HoldersOf(v, id)
	if !c.Has(id) && !slices.ContainsFunc(holders, c.Has) {
		return
	}
	c.Add(id)
	for _, h := range holders {
		c.AddOwner(h)
	}
}
