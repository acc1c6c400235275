package guards

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// Commit takes note of a judgement about an object. It keeps a held root, reports a hold that is
// gone, and asks for the fence, the labels and the verdict that the object waits for.
//
//test:by TestJudgement
func (g *Guards) Commit(v View, id graph.NodeID, o *graph.Object, j *Judgement) {
	g.Roots.commit(v, id, o, j)
	if j.labels {
		g.Labels.WantAll(v, id, g.Roots.Since(id))
	}
	if j.members {
		g.Members.WantAll(v, id, g.Roots.Since(id))
	}
}

func (m *Machine) commit(v View, id graph.NodeID, o *graph.Object, j *Judgement) {
	if j.unheld {
		m.noteReleased(v, id, o.Key, o.Version)
		m.noteUnguarded(v, id, o, j)
	}
	switch j.lacks {
	case lacksNone:
		delete(m.bare, id)
	case lacksNew, lacksHold:
		m.bare[id] = j.lacks == lacksHold
	}
	if !j.held {
		return
	}
	if j.begins {
		m.forget(id)
		j.root.object = o.Clone()
	}
	if j.stamps {
		m.stamp(v, j)
	}
	if m.roots[id] = j.root; j.due {
		m.due = append(m.due, id)
	}
	if j.fences {
		v.Out.WantFence(j.root.since)
		v.Out.AwaitFence(id)
	}
}

// Skip takes note of a judgement about an object of another share, which is reported there.
func (m *Machine) Skip(id graph.NodeID, j *Judgement) {
	m.Withdraw(id)
	if j.unheld {
		m.over[id] = true
	}
}

// Withdraw forgets a root that another engine judges, and reports nothing.
func (m *Machine) Withdraw(id graph.NodeID) {
	delete(m.bare, id)
	m.forget(id)
}

// stamp gives a root the moment since which its mark is observed. The judgement had a moment that
// is later than all others.
func (m *Machine) stamp(v View, j *Judgement) {
	isMark := j.begins && j.root.marked == j.root.since
	if j.root.since = v.Stamps.Stamp(); isMark {
		j.root.marked = j.root.since
	}
}

// noteReleased reports that the hold of a marked root is gone, unless this engine took it off.
func (m *Machine) noteReleased(v View, id graph.NodeID, k graph.Key, version graph.Version) {
	r, ok := m.roots[id]
	if !ok {
		return
	}
	why := policy.HoldRemoved
	switch {
	case r.passing:
		why = policy.ReasonUnset
		m.counts.Passed++
	case r.approved || r.asking > 0:
		why = policy.DeletionApproved
		m.counts.Approved++
	default:
		m.counts.HoldRemoved++
	}
	m.over[id] = true
	v.Out.Exempt(k)
	if why != policy.ReasonUnset {
		v.Out.Report(k, version, policy.Decision{Action: policy.Keep, Reason: why})
	}
	m.forget(id)
}

// noteUnguarded reports a marked root without hold, once, if it was marked before it carried
// hold. A root with new has passed. A root that a listing brings may have passed too, before this
// engine began.
func (m *Machine) noteUnguarded(v View, id graph.NodeID, o *graph.Object, j *Judgement) {
	if m.over[id] || j.bar == policy.ObserveOnly {
		return
	}
	if g, _ := m.Of(o); g == nil {
		return
	}
	m.over[id] = true
	kind := v.Kinds.Of(o.Kind)
	switch bare, had := m.bare[id]; {
	case j.isNew:
		v.Out.Exempt(o.Key)
	case had && bare, !had && kind.Listed && v.State(id).Known > kind.Ended:
		m.reportUnguarded(v, o.Key, o.Version)
	}
}
