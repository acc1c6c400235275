package ownergraph

import (
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/rules"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// input gathers the evidence for a decision about an observed node.
func (e *Engine) input(id observed.NodeID) rules.Input {
	n, m := e.graph.Node(id), e.state(id)
	in := rules.Input{
		Object: e.judged(n), Known: m.Known, Mark: m.Mark, Flawed: n.Flawed(),
		Referring: n.Referring(), Blocking: n.Blocking(),
		Fence: rules.Fence{
			Exact: e.level >= Level2, Passed: e.fence.Passed(), Released: e.released(), Held: e.fenceHeld(),
		},
	}
	if n.Orphaning() {
		in.Unacknowledged, in.Overdue = e.unacknowledged(id)
	}
	if r, ok := e.calls.Retry(id); ok {
		in.Object, in.Retry = r, true
	}
	in.Owners = e.scratch.facts[:0]
	for i := range n.Owners() {
		f := rules.OwnerFact{Self: n.SelfOwner(i)}
		f.Class, f.Doubt = n.OwnerClass(i)
		in.Owners = append(in.Owners, f)
	}
	if len(in.Owners) <= maxScratch {
		e.scratch.facts = in.Owners
	}
	since := e.kinds.LostAt()
	if in.Retry { // the evidence is newer than the answer (R1): it may be of a restored store
		since = max(since, m.Known)
	}
	for i, o := range n.OwnerNodes() {
		e.ownerFact(&in.Owners[i], &m, o, since)
	}
	if n.Waiting() {
		in.Ring = e.cycles.Confirmed(e.view(), id, max(in.Fence.Passed, in.Fence.Released))
	}
	return in
}

// scratch is the memory of the decision at hand. The next decision uses it again.
type scratch struct {
	call   Call
	owners []Owner
	facts  []rules.OwnerFact
}

// maxScratch bounds the references that scratch holds.
const maxScratch = 64

// judged returns the object of a node for its decision. Sweeps and the functions of
// members may keep it.
func (e *Engine) judged(n observed.Node) Object {
	if e.sweeps.Any() {
		return n.Object()
	}
	o := n.ObjectIn(e.scratch.owners)
	if len(o.Owners) <= maxScratch && o.Owners != nil {
		e.scratch.owners = o.Owners
	}
	return o
}

// ownerFact completes the evidence about the owner o of a reference. Absence from before
// since has to be confirmed.
func (e *Engine) ownerFact(f *rules.OwnerFact, dep *record.State, o observed.Node, since seq.Stamp) {
	if f.Self {
		return
	}
	byUID := o.ByUID()
	if byUID { // orphaning drops it by its UID: a mistake there keeps an object
		live, ok := e.graph.Alive(o.Key().UID)
		if !ok || !live.Orphaning() || live.SharesUID() {
			return
		}
		o = live
	}
	id := o.ID()
	m, part := e.state(id), e.kinds.Part(o.Kind())                                               // no fence covers a kind that takes none
	if f.Class == observed.Dangling && !byUID && e.kinds.Unconfirmed(e.graph, o.Kind(), since) { // seen gone, and maybe back
		f.Class, f.Doubt = observed.Unknown, graph.Unobserved
	}
	if !byUID && believable(f) && e.absenceServes(dep, o, &m, since) {
		f.Class, f.Doubt = observed.Dangling, graph.DoubtUnset
		f.Unconfirmed = o.State() == observed.Phantom && !m.GoneObserved && part && e.unsettled(dep, o)
	}
	if f.Orphaning = o.Orphaning() && part && !o.SharesUID() && m.Absent <= e.kinds.Rewound(); f.Orphaning {
		f.Unacknowledged, f.Overdue = e.unacknowledged(id)
	}
	if f.Class == observed.Dangling && !e.orphaned.Empty() {
		f.Remembered = e.orphaned.Has(o.Key())
	}
	f.Mark, f.Changed = m.Mark, max(m.Changed, m.Absent)
	f.Read, f.ReadBegan, f.SameVersion = e.readStateNow(id)
}

// absenceServes reports whether absence beyond the graph is evidence for a dependent. An
// end that the watch showed is absence for all dependents. So is a failed lookup of an
// object that the watch had shown before. A phantom that a read did not find is absent for
// the versions from before the read. The store may have made the owner since, if its UID
// could be foreseen.
//
// Held by TestForgedUID.
func (e *Engine) absenceServes(dep *record.State, o observed.Node, m *record.State, since seq.Stamp) bool {
	return m.Absent > e.kinds.Rewound() && (m.Absent > since || !e.kinds.Unconfirmed(e.graph, o.Kind(), since)) && (m.GoneObserved || o.State() != observed.Phantom || m.Absent > dep.Known)
}

// believable reports whether absence may replace the class of a reference in the graph. It
// may not where the reference itself is in doubt.
func believable(f *rules.OwnerFact) bool {
	return f.Class == observed.Solid || f.Class == observed.Waiting ||
		f.Doubt == graph.Unobserved || f.Doubt == graph.Unlisted
}

// unsettled reports whether an absent owner may still live in another scope or under
// another name. It may until its kind has passed a fence that began after the dependent
// was known. So the outcome does not depend on the order of the two events.
func (e *Engine) unsettled(dep *record.State, o observed.Node) bool {
	kind, _ := e.graph.Kind(o.Kind())
	scopes := (kind.Scoped || o.Scope() != "") && e.cfg.Scope == graph.ScopeHold
	return (scopes || e.cfg.OwnerName != graph.NameAbsent) && e.level >= Level2 &&
		e.kinds.Of(o.Kind()).Passed <= dep.Known
}

// readStateNow returns the result of the last read of a node, as far as it still counts. A
// later event of the watch voids it, except an event that says the same.
func (e *Engine) readStateNow(id observed.NodeID) (s rules.ReadState, began seq.Stamp, same bool) {
	x, ok := e.reads.Result(id)
	if !ok || x.Began <= max(e.kinds.Rewound(), e.kinds.LostAt()) {
		return rules.ReadUnset, 0, false
	}
	n, m := e.graph.Node(id), e.state(id)
	switch n.State() {
	case observed.Phantom:
		if e.kinds.Of(n.Kind()).Ended > x.Began {
			return rules.ReadUnset, 0, false
		}
	case observed.Observed:
		if m.Known > x.Done && (m.Role > x.Done || roleOf(n) != x.State) {
			return rules.ReadUnset, 0, false
		}
		same = n.HasVersion(x.Version) && m.Known < x.Began
	default:
		return rules.ReadUnset, 0, false
	}
	return x.State, x.Began, same
}

// roleOf returns the read state that a read of the observed node would return.
func roleOf(n observed.Node) rules.ReadState {
	switch {
	case n.Waiting():
		return rules.ReadWaiting
	case n.Orphaning():
		return rules.ReadOrphaning
	}
	return rules.ReadSolid
}

func readStateOf(o Object) rules.ReadState {
	switch {
	case o.Waiting():
		return rules.ReadWaiting
	case o.Orphaning():
		return rules.ReadOrphaning
	}
	return rules.ReadSolid
}

// unacknowledged reports whether the controller of an orphaning node still has time to
// observe the deletion, and whether that time is over.
func (e *Engine) unacknowledged(id observed.NodeID) (waits, overdue bool) {
	o := e.graph.Node(id).Object()
	if rules.Acknowledged(o) || !slices.Contains(e.cfg.Acknowledge, o.Kind) {
		return false, false
	}
	waits = e.now.Before(e.acknowledgedBy(id))
	return waits, !waits
}

func (e *Engine) acknowledgedBy(id observed.NodeID) time.Time {
	return e.state(id).Marked.Add(e.cfg.AcknowledgeWithin)
}

// noteAbsent notes that a call which began then has proven a node absent (R2,
// absence).
func (e *Engine) noteAbsent(id observed.NodeID, began seq.Stamp) {
	m := e.edit(id)
	known := m.Absent > e.kinds.Rewound()
	if m.Absent = max(m.Absent, began); known {
		return
	}
	m.GoneObserved = false // that was of a former history
	m.Changed = e.seq.Stamp()
	e.reads.DropResult(e.view(), id)
	e.fanout.Push(e.view(), id)
}

// useOrphaned counts a decision as a use of the remembered owners that it rests on: the
// bounded memory keeps the used ones.
func (e *Engine) useOrphaned(id observed.NodeID, in *rules.Input) {
	for i := range in.Owners {
		if in.Owners[i].Remembered {
			e.orphaned.Use(e.graph.Node(e.ownerID(id, i)).Key())
		}
	}
}
