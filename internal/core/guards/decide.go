package guards

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/policy"
)

// Facts are the facts about an object that the machine does not have.
type Facts struct {
	Protected policy.Reason // its mark counts for no dependent: Protected or ProtectionUnknown
	Bar       policy.Reason // no write may go out now, for this reason
	Selected  seq.Stamp     // the labels that a verdict needs are known as of this moment
	Reread    bool          // a read returned the object after a conflict, and the watch has not shown it
	// HasMembersByLabel says that objects of the kind have members of a sweep by labels.
	HasMembersByLabel bool
}

// Decide returns the decision of the guards for an object, where the rules alone decide d. A
// mark that counts for no dependent ends nothing: its propagation finalizer stays.
func (m *Machine) Decide(v View, id graph.NodeID, o *graph.Object, d policy.Decision, f Facts) policy.Decision {
	if !o.Deleting {
		if m.Any() {
			d = m.guard(v, id, o, d)
		}
		return d
	}
	if d.Action == policy.Orphan || d.Action == policy.Trim { // its own references go all the same
		return d
	}
	x := m.decideMarked(v, id, o, d, f)
	if !x.Action.Writes() && (d.Action == policy.Verify || len(d.Owners) > 0) { // as above: they wait for evidence
		return d
	}
	return x
}

// decideMarked is Decide for a marked object whose own references stay.
func (m *Machine) decideMarked(v View, id graph.NodeID, o *graph.Object, d policy.Decision, f Facts) policy.Decision {
	hold, isNew := o.HasFinalizer(graph.FinalizerHold), o.HasFinalizer(graph.FinalizerNew)
	if !hold {
		m.noteReleased(v, id, o.Key, o.Version)
		m.noteUnguarded(v, id, o, isNew, f)
	}
	delete(m.bare, id)
	switch {
	case !hold && isNew:
		return policy.Decision{Action: policy.Release, Reason: policy.HoldGone, Finalizer: graph.FinalizerNew}
	case !hold && f.Protected != policy.ReasonUnset:
		return wait(f.Protected)
	case !hold:
		return d
	}
	r := m.follow(v, id, o)
	g, _ := m.Of(o)
	switch {
	case !isNew:
		return wait(policy.DeletionRefused)
	case g == nil:
		return wait(policy.GuardMissing)
	case f.Bar != policy.ReasonUnset: // its own wait ends it
		return wait(f.Bar)
	}
	return m.judge(v, id, o, r, f, len(g.Phases) > 0)
}

// follow keeps a marked root with hold. Its mark counts as observed anew if the content of the
// root has changed since, or the history went backwards.
func (m *Machine) follow(v View, id graph.NodeID, o *graph.Object) root {
	r, ok := m.roots[id]
	if ok && r.object.EqualContent(*o) && r.since > v.Kinds.Rewound() {
		return r
	}
	verdict, asking, approved, marked, members := r.verdict, r.asking, r.approved, r.marked, r.members
	m.forget(id)
	r = root{object: o.Clone(), since: v.Stamps.Stamp(), asking: asking, approved: approved, members: members}
	if r.marked = marked; marked <= v.Kinds.Rewound() { // 0 for a new root
		r.marked = r.since
	}
	if !o.HasFinalizer(graph.FinalizerNew) { // the refusal took new off
		r.verdict = verdict
	}
	m.roots[id] = r
	return r
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
func (m *Machine) noteUnguarded(v View, id graph.NodeID, o *graph.Object, isNew bool, f Facts) {
	if m.over[id] || f.Bar == policy.ObserveOnly {
		return
	}
	if g, _ := m.Of(o); g == nil {
		return
	}
	m.over[id] = true
	kind := v.Kinds.Of(o.Kind)
	switch bare, had := m.bare[id]; {
	case isNew:
		v.Out.Exempt(o.Key)
	case had && bare, !had && kind.Listed && v.State(id).Known > kind.Ended:
		m.reportUnguarded(v, o.Key, o.Version)
	}
}

func wait(why policy.Reason) policy.Decision {
	return policy.Decision{Action: policy.Wait, Reason: why}
}

// guard puts the two finalizers on an unmarked root, hold first. A root that is about to be
// deleted by the engine itself gets them before.
func (m *Machine) guard(v View, id graph.NodeID, o *graph.Object, d policy.Decision) policy.Decision {
	g, _ := m.Of(o)
	hold := o.HasFinalizer(graph.FinalizerHold)
	if delete(m.bare, id); g == nil || hold && o.HasFinalizer(graph.FinalizerNew) {
		return d
	}
	if k, known := v.Graph.Kind(o.Kind); known && k.NoOwner {
		if d.Action == policy.Keep {
			d = policy.Decision{Action: policy.Keep, Reason: policy.GuardUnfit}
		}
		return d
	}
	m.bare[id] = !hold
	switch {
	case d.Action.Writes() && d.Action != policy.Delete:
		return d
	case !hold:
		return policy.Decision{Action: policy.Attach, Reason: policy.RootSeen, Finalizer: graph.FinalizerHold}
	}
	return policy.Decision{Action: policy.Attach, Reason: policy.RootSeen, Finalizer: graph.FinalizerNew}
}

// verdictFor bounds the time from a verdict that passes to its write. The store may refuse the
// write for hours, or a pause may bar it, and objects come below the root meanwhile.
const verdictFor = 10 * time.Second

// judge asks for the verdict of a marked root with both finalizers, and writes it. The
// judgement begins behind a fence that began after the mark was observed (G2). A store without
// fences never passes a root. A verdict that passes counts for the mark that it judged: a restore
// may have ended that mark, and a conflict is the first sign of it.
func (m *Machine) judge(v View, id graph.NodeID, o *graph.Object, r root, f Facts, ordered bool) policy.Decision {
	// The store keeps the propagation until the grace period ends. That end is a change, and the
	// root is judged anew. Until then an old verdict does no harm, and a newer one is of no use.
	if r.judged && !r.verdict.Refused && ordered && o.Propagation() == graph.Unset && o.GraceSeconds > 0 {
		return wait(policy.NeedGrace)
	}
	if r.judged && !r.verdict.Refused && (f.Reread || v.Now.After(r.until)) {
		if r.judged = false; f.Reread {
			r.since = v.Stamps.Stamp()
		}
		m.roots[id] = r
	}
	switch {
	case r.judged && r.verdict.Refused:
		return policy.Decision{Action: policy.Release, Reason: policy.VerdictRefused, Finalizer: graph.FinalizerNew}
	case r.judged && ordered && o.Propagation() == graph.Unset:
		return policy.Decision{Action: policy.Delete, Reason: policy.OrderNeedsForeground, Propagation: graph.Foreground}
	case r.judged:
		r.passing = true
		m.roots[id] = r
		return policy.Decision{Action: policy.Release, Reason: policy.VerdictPassed, Finalizer: graph.FinalizerHold}
	case r.asked, !v.Fence.Exact():
	case f.Selected <= r.since: // the caller asks for the selections
	case v.Fence.Passed() > r.since:
		r.asked = true
		m.roots[id] = r
		m.due = append(m.due, id)
	default:
		v.Out.WantFence(r.since)
		v.Out.AwaitFence(id)
	}
	if r.asked && r.err != "" { // only the outside can help
		return wait(policy.JudgementFails)
	}
	return wait(policy.NeedVerdict)
}
