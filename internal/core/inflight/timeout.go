package inflight

import (
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/queue"
)

// Meet ends the expectation of a node that has another version now, or is gone. It returns
// the digest of the write behind the expectation, and whether it ended one.
func (t *Expectations) Meet(n graph.Node) (wrote uint32, met bool) {
	if t.Len() == 0 {
		return 0, false
	}
	x := t.at(n.ID())
	if x == nil || n.Inside(inside.Key{}).HasVersion(x.Version) {
		return 0, false
	}
	wrote = x.Wrote
	t.Drop(n.ID())
	return wrote, true
}

// IsPending reports whether a node has to wait: before the deadline for its event, and
// after the deadline for a listing of its kind, if the expectation asks for one.
func (t *Expectations) IsPending(id graph.NodeID, kind graph.Kind, now time.Time, k *kinds.Table) bool {
	x := t.at(id)
	return x != nil && (now.Before(x.Deadline) || x.OnTimeout == TimeoutList && !k.Relisted(kind, x.listed))
}

// Postpone asks for a decision of a pending node at the deadline. If the deadline has passed, it asks
// for a listing of the kind, and the next deadline is after the time wait.
func (t *Expectations) Postpone(id graph.NodeID, kind graph.Kind, now time.Time, wait time.Duration, k *kinds.Table, stamps *seq.Counter, out *effect.List) {
	x := t.at(id)
	if !now.Before(x.Deadline) {
		out.Relist(kind)
		x.listed, x.Deadline, x.Blocked = stamps.Stamp(), now.Add(wait), k.Sick(kind) != ""
	}
	out.LookAt(id, queue.Normal, x.Deadline)
}

// End ends the expectation of a node that waits no longer, and returns it.
func (t *Expectations) End(id graph.NodeID) (x Expectation, ok bool) {
	at := t.at(id)
	if at == nil {
		return x, false
	}
	x = *at
	t.Drop(id)
	return x, true
}

// Rewind forgets all expectations: they belong to a former history. It returns the nodes
// with an expectation, and the nodes that awaited the watch, each by id.
func (t *Expectations) Rewind() (expecting, awaiting []graph.NodeID) {
	expecting, awaiting = t.Nodes(), slices.Sorted(maps.Keys(t.watch))
	*t = Expectations{}
	return expecting, awaiting
}

// AwaitWatch makes a node await an event, because a read contradicts the watch. It returns the
// deadline, which is the time wait from now. Late says that the last one has passed.
func (t *Expectations) AwaitWatch(id graph.NodeID, now time.Time, wait time.Duration) (deadline time.Time, late bool) {
	deadline, ok := t.watch[id]
	late = ok && !now.Before(deadline)
	if !ok || late {
		deadline = now.Add(wait)
	}
	if t.watch == nil {
		t.watch = map[graph.NodeID]time.Time{}
	}
	t.watch[id] = deadline
	return deadline, late
}

// EndWatch notes that a node no longer awaits the watch.
func (t *Expectations) EndWatch(id graph.NodeID) { delete(t.watch, id) }

// WatchLen returns the number of nodes that await the watch.
func (t *Expectations) WatchLen() int { return len(t.watch) }

// AwaitingWatch returns the nodes that await the watch, by id.
func (t *Expectations) AwaitingWatch() []graph.NodeID { return slices.Sorted(maps.Keys(t.watch)) }
