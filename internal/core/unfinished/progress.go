package unfinished

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fanout"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/queue"
)

// Progress has the time since which no object was taken of those that wait for a decision.
// The zero value is that of an engine without a step.
type Progress struct{ moved time.Time }

// Move notes a step that took an object, or looked at a dependent of a changed owner.
func (p *Progress) Move(now time.Time) { p.moved = now }

// Tick notes the time of a step, before the step. While nothing waits, nothing stands still.
func (p *Progress) Tick(q *queue.Queue[graph.NodeID], f *fanout.Machine, now time.Time) {
	if q.Ready()+len(f.Woken())+len(f.Owners()) == 0 {
		p.moved = now
	}
}

// Waiting returns the object that is to be decided next, or an owner whose dependents are, and
// since when none was taken. It reports false if none waits. The object may have left the
// graph.
func (p *Progress) Waiting(q *queue.Queue[graph.NodeID], f *fanout.Machine) (id graph.NodeID, since time.Time, ok bool) {
	switch {
	case q.Ready() > 0:
		for x := range q.Entries() { // a ready one is the first
			return x.Key, p.moved, true
		}
	case len(f.Woken()) > 0:
		return f.Woken()[0], p.moved, true
	case len(f.Owners()) > 0:
		return f.Owners()[0], p.moved, true
	}
	return 0, time.Time{}, false
}

// Stalled returns the object whose time is the longest: the oldest unfinished one, or one that
// waits for a decision while none is made. Without one it reports false.
func (t *Table) Stalled(g *graph.Graph, q *queue.Queue[graph.NodeID], f *fanout.Machine) (id graph.NodeID, since time.Time, ok bool) {
	id, since, ok = t.Oldest()
	next, moved, waits := t.Progress.Waiting(q, f)
	if waits && g.Inside(inside.Key{}).InUse(next) && (!ok || moved.Before(since)) {
		return next, moved, true
	}
	return id, since, ok
}
