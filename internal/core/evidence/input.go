package evidence

import (
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// Input returns the evidence for a decision about an observed node. The input is valid
// until the next one with the scratch.
//
//test:by TestInputChangesNothing
func (v *View) Input(id graph.NodeID, s *Scratch) *policy.Facts {
	n, m, in := v.Node(id), v.Peek(id, new(record.State)), &s.input
	*in = policy.Facts{
		Restricted: n.Restricted(), Known: m.Known, Mark: m.Mark, Flawed: n.Inside(inside.Key{}).Flawed(), Unreadable: n.Inside(inside.Key{}).Unreadable(), Referring: n.Referring(), Elsewhere: n.Inside(inside.Key{}).Elsewhere(), Blocking: n.Blocking(),
		Fence: v.Fence, Owners: s.facts[:0],
	}
	if n.Orphaning() {
		in.Unacknowledged, in.Overdue = v.unacknowledged(id)
	}
	answer := v.retry(id)
	since := v.Kinds.LostAt()
	if answer != nil { // the evidence is newer than the answer (R1): it may be of a restored store
		since = max(since, m.Known)
	}
	if n.Owners() == 1 {
		r := n.Reference(0)
		in.Owners = append(in.Owners, v.fact(id, &r, m, since))
	} else {
		for _, r := range n.References() {
			in.Owners = append(in.Owners, v.fact(id, &r, m, since))
		}
	}
	if len(in.Owners) <= maxScratch {
		s.facts = in.Owners
	}
	if answer != nil {
		setRetry(in, answer)
	} else {
		setObject(in, n)
	}
	if n.Waiting() {
		in.Ring = v.Cycles.Confirmed(v.Nodes, id, max(in.Fence.Passed, in.Fence.Released))
	}
	return in
}

// retry returns the answer of a conflict's read, or nil.
func (v *View) retry(id graph.NodeID) *graph.Object {
	if _, ok := v.Retries[id]; !ok {
		return nil
	}
	o := v.Retries[id]
	return &o
}

// fact returns the evidence about the owner of a reference of a node.
func (v *View) fact(id graph.NodeID, r *graph.Reference, m *record.State, since seq.Stamp) policy.OwnerFacts {
	f := policy.OwnerFacts{Self: r.Self, Block: r.Block, Class: r.Class, Doubt: r.Doubt, OnDelete: r.OnDelete}
	if r.Owner != 0 && !r.Self {
		v.completeFact(&f, id, m, v.Node(r.Owner), since)
		// The graph knows it of an absence of its own. This one comes from the engine's memory.
		f.Self = f.Class == graph.Dangling && v.Node(id).Inside(inside.Key{}).HasUIDOf(r.Owner)
	}
	return f
}

// setObject sets the facts of the graph's object.
func setObject(in *policy.Facts, n graph.Node) {
	in.Deleting, in.Finalizers, in.Propagation = n.Deleting(), n.Inside(inside.Key{}).HasFinalizers(), n.Inside(inside.Key{}).Propagation()
	if in.References = n.Owners(); in.References > 1 {
		in.Several = policy.Several(in.Owners, n.OwnerAt)
	}
}

// setRetry sets the facts of the answer of a conflict's read, which is judged in place of
// the graph's object (R1).
func setRetry(in *policy.Facts, o *graph.Object) {
	in.Retry, in.Unreadable = true, o.Unreadable()
	in.Deleting, in.Finalizers, in.Propagation = o.Deleting, len(o.Finalizers) > 0, o.Propagation()
	if in.References = len(o.Owners); in.References != len(in.Owners) {
		return // no decision rests on them
	}
	for i := range in.Owners {
		in.Owners[i].Block = o.Owners[i].Block
	}
	in.Several = policy.Several(in.Owners, func(i int) graph.Owner { return o.Owners[i] })
}

// completeFact completes the evidence about the owner o of a reference, which does not lead
// back to the dependent. Absence from before since has to be confirmed.
func (v *View) completeFact(f *policy.OwnerFacts, id graph.NodeID, dep *record.State, o graph.Node, since seq.Stamp) {
	byUID := o.Inside(inside.Key{}).ByUID()
	if live, ok := v.OrphanedBy(id, o); ok { // it drops the reference by its UID: a mistake there keeps an object
		if f.Elsewhere = !byUID; f.Class == graph.Dangling {
			f.Class, f.Doubt = graph.Unknown, graph.Unobserved
		}
		o, byUID = live, true
	} else if byUID {
		return
	}
	m := v.Peek(o.ID(), new(record.State))
	if f.Class == graph.Dangling && !byUID && v.Kinds.Unconfirmed(v.Graph, o.Kind(), since) { // seen gone, and maybe back
		f.Class, f.Doubt = graph.Unknown, graph.Unobserved
	}
	if !byUID && f.MayBeAbsent() && v.absenceServes(dep, o, m, since) {
		f.Class, f.Doubt = graph.Dangling, graph.DoubtUnset
		f.Unconfirmed = o.State() == graph.Phantom && !m.GoneObserved && v.fences(o) && v.unsettled(dep, o)
	}
	if m.Withheld && f.Class == graph.Waiting { // RULES, G3
		f.Class = graph.Solid
	}
	if f.Orphaning = o.Orphaning() && !m.Withheld && v.fences(o) && !o.Inside(inside.Key{}).SharesUID() && m.Absent <= v.Kinds.Rewound(); f.Orphaning {
		f.Unacknowledged, f.Overdue = v.unacknowledged(o.ID())
	}
	f.Remembered = f.Class == graph.Dangling && v.remembers(v.Node(id), o)
	f.Mark, f.Changed = m.Mark, max(m.Changed, m.Absent)
	f.Read, f.ReadBegan, f.SameVersion = v.readState(o.ID())
	switch f.Restricted = o.Restricted() && (o.State() != graph.Observed || o.Inside(inside.Key{}).MarkWithheld()); {
	case f.Read == policy.ReadUnset:
	case m.Withheld || f.Restricted:
		f.Read = policy.ReadSolid
	case f.ReadBegan <= m.Freed: // it waited for nothing while another object restricted it
		f.Read, f.ReadBegan, f.SameVersion = policy.ReadUnset, 0, false
	}
}

// fences reports whether fences cover the kind of an owner. They cover the kinds that take
// part.
func (v *View) fences(o graph.Node) bool { return v.Kinds.Part(o.Kind()) }

// unacknowledged reports whether the controller of an orphaning node still has time to
// observe the deletion, and whether that time is over.
func (v *View) unacknowledged(id graph.NodeID) (waits, overdue bool) {
	n := v.Node(id)
	if !slices.Contains(v.Acknowledge, n.Kind()) || policy.Acknowledged(n.Inside(inside.Key{}).Generations()) {
		return false, false
	}
	m := v.State(id)
	waits = v.Now.Before(AcknowledgedBy(&m, v.AcknowledgeWithin))
	return waits, !waits
}

// AcknowledgedBy returns the time by which the controller of an orphaning node has to
// acknowledge the deletion.
func AcknowledgedBy(m *record.State, within time.Duration) time.Time { return m.Marked.Add(within) }
