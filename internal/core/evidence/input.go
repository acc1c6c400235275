package evidence

import (
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/rules"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// Input returns the evidence for a decision about an observed node. The input is valid
// until the next one with the scratch.
func (v *View) Input(id observed.NodeID, s *Scratch) rules.Input {
	n, m := v.Node(id), v.State(id)
	in := rules.Input{
		Object: v.object(n, s), Known: m.Known, Mark: m.Mark, Flawed: n.Flawed(),
		Referring: n.Referring(), Blocking: n.Blocking(), Fence: v.Fence,
	}
	if n.Orphaning() {
		in.Unacknowledged, in.Overdue = v.unacknowledged(id)
	}
	if r, ok := v.Retries[id]; ok {
		in.Object, in.Retry = r, true
	}
	in.Owners = s.facts[:0]
	for i := range n.Owners() {
		f := rules.OwnerFact{Self: n.SelfOwner(i)}
		f.Class, f.Doubt = n.OwnerClass(i)
		in.Owners = append(in.Owners, f)
	}
	if len(in.Owners) <= maxScratch {
		s.facts = in.Owners
	}
	since := v.Kinds.LostAt()
	if in.Retry { // the evidence is newer than the answer (R1): it may be of a restored store
		since = max(since, m.Known)
	}
	for i, o := range n.OwnerNodes() {
		v.completeFact(&in.Owners[i], &m, o, since)
	}
	if n.Waiting() {
		in.Ring = v.Cycles.Confirmed(v.Nodes, id, max(in.Fence.Passed, in.Fence.Released))
	}
	return in
}

// object returns the object of a node for its decision.
func (v *View) object(n observed.Node, s *Scratch) graph.Object {
	if v.Kept {
		return n.Object()
	}
	o := n.ObjectIn(s.owners)
	if len(o.Owners) <= maxScratch && o.Owners != nil {
		s.owners = o.Owners
	}
	return o
}

// completeFact completes the evidence about the owner o of a reference. Absence from before
// since has to be confirmed.
func (v *View) completeFact(f *rules.OwnerFact, dep *record.State, o observed.Node, since seq.Stamp) {
	if f.Self {
		return
	}
	byUID := o.ByUID()
	if byUID { // orphaning drops it by its UID: a mistake there keeps an object
		live, ok := v.Graph.Alive(o.Key().UID)
		if !ok || !live.Orphaning() || live.SharesUID() {
			return
		}
		o = live
	}
	id := o.ID()
	m, part := v.State(id), v.Kinds.Part(o.Kind())                                               // no fence covers a kind that takes none
	if f.Class == observed.Dangling && !byUID && v.Kinds.Unconfirmed(v.Graph, o.Kind(), since) { // seen gone, and maybe back
		f.Class, f.Doubt = observed.Unknown, graph.Unobserved
	}
	if !byUID && believable(f) && v.absenceServes(dep, o, &m, since) {
		f.Class, f.Doubt = observed.Dangling, graph.DoubtUnset
		f.Unconfirmed = o.State() == observed.Phantom && !m.GoneObserved && part && v.unsettled(dep, o)
	}
	if f.Orphaning = o.Orphaning() && part && !o.SharesUID() && m.Absent <= v.Kinds.Rewound(); f.Orphaning {
		f.Unacknowledged, f.Overdue = v.unacknowledged(id)
	}
	if f.Class == observed.Dangling && !v.Orphaned.Empty() {
		f.Remembered = v.Orphaned.Has(o.Key())
	}
	f.Mark, f.Changed = m.Mark, max(m.Changed, m.Absent)
	f.Read, f.ReadBegan, f.SameVersion = v.readState(id)
}

// unacknowledged reports whether the controller of an orphaning node still has time to
// observe the deletion, and whether that time is over.
func (v *View) unacknowledged(id observed.NodeID) (waits, overdue bool) {
	o := v.Node(id).Object()
	if rules.Acknowledged(o) || !slices.Contains(v.Acknowledge, o.Kind) {
		return false, false
	}
	m := v.State(id)
	waits = v.Now.Before(AcknowledgedBy(&m, v.AcknowledgeWithin))
	return waits, !waits
}

// AcknowledgedBy returns the time by which the controller of an orphaning node has to
// acknowledge the deletion.
func AcknowledgedBy(m *record.State, within time.Duration) time.Time { return m.Marked.Add(within) }
