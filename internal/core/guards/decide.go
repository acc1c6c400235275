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

// Judgement is the decision of the guards about an object, with what its commit does. It is a value
// that is valid until the next step of the engine.
type Judgement struct {
	Decision policy.Decision
	lacks    lack
	unheld   bool // marked, without hold
	isNew    bool // with new
	bar      policy.Reason
	held     bool // root is that of a marked object with hold
	begins   bool // root is kept anew
	stamps   bool // root.since is the next stamp
	root     root
	due      bool // its judgement is due
	fences   bool // it waits for a fence
	labels   bool // a verdict lacks the labels of protections
	members  bool // and those that make members
}

// lack says which finalizer an unmarked root lacks, for Machine.bare.
type lack uint8

const (
	_ lack = iota // unset
	// lacksNone: it lacks none, or the object is no such root.
	lacksNone
	// lacksNew: it has hold alone.
	lacksNew
	// lacksHold: it may have neither.
	lacksHold
)

// Judge returns the decision of the guards for an object, where the rules alone decide d. A
// mark that counts for no dependent ends nothing: its propagation finalizer stays.
func (m *Machine) Judge(v View, id graph.NodeID, o *graph.Object, d policy.Decision, f Facts) (j Judgement) {
	j.Decision = d
	if !o.Deleting {
		if m.Any() {
			m.guard(v, o, &j)
		}
		return j
	}
	if d.Action == policy.Orphan || d.Action == policy.Trim { // its own references go all the same
		return j
	}
	m.judgeMarked(v, id, o, f, &j)
	if !j.Decision.Action.Writes() && (d.Action == policy.Verify || len(d.Owners) > 0) { // as above: they wait for evidence
		j.Decision = d
	}
	return j
}

// judgeMarked is Judge for a marked object whose own references stay.
func (m *Machine) judgeMarked(v View, id graph.NodeID, o *graph.Object, f Facts, j *Judgement) {
	hold, isNew := o.HasFinalizer(graph.FinalizerHold), o.HasFinalizer(graph.FinalizerNew)
	j.lacks, j.unheld, j.isNew, j.bar = lacksNone, !hold, isNew, f.Bar
	switch {
	case !hold && isNew:
		j.Decision = policy.Decision{Action: policy.Release, Reason: policy.HoldGone, Finalizer: graph.FinalizerNew}
		return
	case !hold && f.Protected != policy.ReasonUnset:
		j.Decision = wait(f.Protected)
		return
	case !hold:
		return
	}
	m.follow(v, id, o, j)
	g, _ := m.Of(o)
	switch {
	case !isNew:
		j.Decision = wait(policy.DeletionRefused)
	case g == nil:
		j.Decision = wait(policy.GuardMissing)
	case f.Bar != policy.ReasonUnset: // its own wait ends it
		j.Decision = wait(f.Bar)
	default:
		j.Decision = judgeRoot(v, o, f, m.again(g, o), j)
	}
}

// follow finds the knowledge of a marked root with hold. Its mark counts as observed anew if the
// content of the root has changed since, or the history went backwards.
func (m *Machine) follow(v View, id graph.NodeID, o *graph.Object, j *Judgement) {
	r, ok := m.roots[id]
	j.held, j.root = true, r
	if ok && r.object.EqualContent(*o) && r.since > v.Kinds.Rewound() {
		return
	}
	j.begins, j.stamps = true, true
	j.root = root{since: v.Stamps.Last() + 1, asking: r.asking, approved: r.approved, members: r.members}
	if j.root.marked = r.marked; r.marked <= v.Kinds.Rewound() { // 0 for a new root
		j.root.marked = j.root.since
	}
	if !o.HasFinalizer(graph.FinalizerNew) { // the refusal took new off
		j.root.verdict = r.verdict
	}
}

func wait(why policy.Reason) policy.Decision {
	return policy.Decision{Action: policy.Wait, Reason: why}
}

// guard puts the two finalizers on an unmarked root, hold first. A root that is about to be
// deleted by the engine itself gets them before.
func (m *Machine) guard(v View, o *graph.Object, j *Judgement) {
	g, _ := m.Of(o)
	hold := o.HasFinalizer(graph.FinalizerHold)
	if j.lacks = lacksNone; g == nil || hold && o.HasFinalizer(graph.FinalizerNew) {
		return
	}
	d := &j.Decision
	if k, known := v.Graph.Kind(o.Kind); known && k.NoOwner {
		if d.Action == policy.Keep {
			*d = policy.Decision{Action: policy.Keep, Reason: policy.GuardUnfit}
		}
		return
	}
	if j.lacks = lacksNew; !hold {
		j.lacks = lacksHold
	}
	switch {
	case d.Action.Writes() && d.Action != policy.Delete:
	case !hold:
		*d = policy.Decision{Action: policy.Attach, Reason: policy.RootSeen, Finalizer: graph.FinalizerHold}
	default:
		*d = policy.Decision{Action: policy.Attach, Reason: policy.RootSeen, Finalizer: graph.FinalizerNew}
	}
}

// verdictFor bounds the time from a verdict that passes to its write. The store may refuse the
// write for hours, or a pause may bar it, and objects come below the root meanwhile.
const verdictFor = 10 * time.Second

// judgeRoot returns the decision about a marked root with both finalizers, by its verdict. The
// judgement begins behind a fence that began after the mark was observed (G2). A store without
// fences never passes a root. A verdict that passes counts for the mark that it judged: a restore
// may have ended that mark, and a conflict is the first sign of it.
func judgeRoot(v View, o *graph.Object, f Facts, again policy.Decision, j *Judgement) policy.Decision {
	r := &j.root
	// The end of the grace period is a change, and the root is judged anew. Until then an old verdict
	// does no harm, and a newer one is of no use.
	if r.judged && !r.verdict.Refused && again.Action == policy.Wait {
		return again
	}
	if r.judged && !r.verdict.Refused && (f.Reread || v.Now.After(r.until)) {
		if r.judged = false; f.Reread {
			r.since, j.stamps = v.Stamps.Last()+1, true
		}
	}
	switch {
	case r.judged && r.verdict.Refused:
		return policy.Decision{Action: policy.Release, Reason: policy.VerdictRefused, Finalizer: graph.FinalizerNew}
	case r.judged && again.Action == policy.Delete:
		return again
	case r.judged:
		r.passing = true
		return policy.Decision{Action: policy.Release, Reason: policy.VerdictPassed, Finalizer: graph.FinalizerHold}
	case r.asked, !v.Fence.Exact():
	case f.Selected <= r.since: // its commit asks for the selections
	case v.Fence.Passed() > r.since:
		r.asked, j.due = true, true
	default:
		j.fences = true
	}
	if r.asked && r.err != "" { // only the outside can help
		return wait(policy.JudgementFails)
	}
	return wait(policy.NeedVerdict)
}
