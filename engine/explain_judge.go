package engine

import (
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/brake"
	"github.com/ownergraph/ownergraph/internal/core/evidence"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// explainer makes one explanation. It has memory of its own, so the engine's stays as it is.
type explainer struct {
	e         *Engine
	now       time.Time // not before the engine's own, which is that of its last step
	judgement judgement
	path      []graph.NodeID // from the explained object to the present one
	left      int            // conditions that may follow
	cut       int
}

// finding is the present decision about one observed node, with its facts.
type finding struct {
	id     graph.NodeID
	d      policy.Decision
	barred policy.Reason
	braked brake.Answer // unset for an object that does not wait for the brake
	in     policy.Facts
}

// judge returns the decision that the engine has for a node now: see judgement.judge.
func (x *explainer) judge(id graph.NodeID) finding {
	e, j := x.e, &x.judgement
	f := finding{id: id}
	if why := e.fastKeep(id); why != policy.ReasonUnset {
		f.in, f.d = *e.input(id, &j.evidence), evidence.FastDecision(why)
	} else {
		j.judge(e, id)
		f.in, f.d, f.barred = *j.in, j.d, j.bar
		if j.d.Action == policy.Wait {
			f.braked = j.notes.answer
		}
	}
	f.in.Owners, f.d.Owners = slices.Clone(f.in.Owners), slices.Clone(f.d.Owners) // the next judgement uses the memory again
	return f
}

// explained returns the decision in the words of an explanation.
func (j *finding) explained() explain.Decision {
	return explain.Decision{
		Action: j.d.Action, Reason: j.d.Reason, Doubt: j.d.Doubt, Propagation: j.d.Propagation,
		Finalizer: j.d.Finalizer, BestEffort: j.d.BestEffort, Barred: j.barred,
	}
}

// owners explains the references of an object.
func (x *explainer) owners(j finding) (out []explain.Owner) {
	n := x.e.graph.Node(j.id)
	for i := range min(len(j.in.Owners), maxExplained) {
		f := &j.in.Owners[i]
		o := explain.Owner{Owner: n.OwnerAt(i), Self: f.Self, Class: classIn(f.Class)}
		if f.Class == graph.Solid && f.Orphaning {
			o.Class = explain.Orphaning
		}
		if o.Class == explain.Unknown {
			o.Doubt = f.Doubt
		}
		if owner, ok := n.OwnerNode(i); ok && !f.Self {
			o.Evidence, o.At = x.evidenceOf(&j.in, f, owner)
		}
		if live, ok := x.e.graph.Alive(o.UID); ok && !f.Self && live.Key() != o.Key {
			o.Elsewhere = live.Key()
		}
		out = append(out, o)
	}
	return out
}

// classIn returns a class in the words of an explanation, which has orphaning owners besides.
func classIn(c graph.Class) explain.Class {
	return [...]explain.Class{graph.Solid: explain.Solid, graph.Dangling: explain.Dangling, graph.Waiting: explain.Waiting, graph.Unknown: explain.Unknown}[c]
}

// evidenceOf returns the source of the knowledge about an owner, and its time.
func (x *explainer) evidenceOf(in *policy.Facts, f *policy.OwnerFacts, o graph.Node) (explain.Evidence, time.Time) {
	e, m := x.e, x.e.state(o.ID())
	if o.Inside(inside.Key{}).ByUID() || f.Elsewhere {
		live, ok := e.graph.Alive(o.Key().UID)
		if !ok {
			return explain.EvidenceUnset, time.Time{}
		}
		o, m = live, e.state(live.ID())
	}
	at := e.times.At
	switch {
	case f.Class == graph.Dangling:
		return absenceOf(o, &m, at)
	case f.Class != graph.Unknown && f.Read != policy.ReadUnset && f.ReadBegan > max(in.Known, m.Known):
		return explain.ReadFound, at(f.ReadBegan)
	case f.Class != graph.Unknown && f.Mark != 0 && in.Fence.Passed > max(in.Known, f.Mark):
		return explain.FencePassed, at(in.Fence.Passed)
	case o.State() == graph.Observed:
		return explain.WatchSaw, at(m.Known)
	case f.Read != policy.ReadUnset:
		return explain.ReadFound, at(f.ReadBegan)
	case e.kinds.Of(o.Kind()).Ended != 0:
		return explain.Listed, at(e.kinds.Of(o.Kind()).Ended)
	}
	return explain.EvidenceUnset, time.Time{}
}

// absenceOf returns the source of an owner's absence.
func absenceOf(o graph.Node, m *record.State, at func(seq.Stamp) time.Time) (explain.Evidence, time.Time) {
	switch {
	case m.GoneObserved:
		return explain.WatchSawGo, at(m.Absent)
	case o.State() == graph.Absent:
		return explain.WatchSawGo, at(m.Changed)
	}
	return explain.ReadFoundNothing, at(m.Absent)
}

// referred explains a node that only references name, or that is proven absent. One
// dependent has the evidence.
func (x *explainer) referred(n graph.Node, out *explain.Explanation) {
	m := x.e.state(n.ID())
	if n.State() == graph.Absent || m.Absent > x.e.kinds.Rewound() {
		out.State = explain.Gone
		_, out.Changed = absenceOf(n, &m, x.e.times.At)
		return
	}
	out.State = explain.Referred
	for d := range n.Dependents() {
		if d.State() != graph.Observed {
			continue
		}
		j := x.judge(d.ID())
		for i := range j.in.Owners {
			if o, ok := d.OwnerNode(i); !ok || o.ID() != n.ID() {
				continue
			}
			f := &j.in.Owners[i]
			out.Decision.Reason, out.Decision.Doubt = policy.OwnerUnknown, f.Doubt
			if f.Doubt == graph.DoubtUnset { // a read has found it
				out.Decision.Reason = policy.OwnerSolid
			}
			out.Wait = x.unknown(n, f.Doubt)
			return
		}
	}
}
