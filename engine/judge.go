package engine

import (
	"cmp"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/brake"
	"github.com/ownergraph/ownergraph/internal/core/evidence"
	"github.com/ownergraph/ownergraph/internal/core/guards"
	"github.com/ownergraph/ownergraph/internal/core/history"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/order"
	"github.com/ownergraph/ownergraph/internal/core/sweep"
	"github.com/ownergraph/ownergraph/policy"
)

// judgement is the decision about one observed node, with the notes of all gates. A decision commits
// the notes, and an explanation drops them. It is memory, too: the next judgement uses it again.
type judgement struct {
	id      graph.NodeID
	subject inflight.Subject
	in      *policy.Facts
	d       policy.Decision // of all gates, before a bar keeps its write back
	bar     policy.Reason   // of the write, or ReasonUnset
	foreign bool            // the object is of another share
	holder  graph.Key       // whose sweep deletes the object
	write   inflight.Write  // of a decision that writes
	notes   notes

	evidence evidence.Scratch
	lists    policy.Scratch
	roots    history.RootCache // of the brake
	fixed    []graph.Key       // the roots that the history has fixed for the decision at hand, nil before
}

// gates are the gates that an object has passed, because they are about it. They are in their order.
type gates struct{ mark, guard, release, sweep, handlers, protection, order, brake bool }

// notes has what the gates have found about one object. The note of a gate counts if the object has
// passed it.
type notes struct {
	passed    gates
	withheld  bool          // its mark counts for no dependent
	mark      policy.Reason // for which a protection withholds the mark
	guard     guards.Judgement
	release   order.Judgement
	sweep     sweep.Judgement
	block     policy.Reason // for which no handler runs
	protected policy.Reason // for which it may not be deleted
	order     order.Judgement
	spared    bool // the decision keeps it
	brake     brakeNote
	answer    brake.Answer // of the brake, if the decision follows it
}

// judge judges an observed node into j: the rules of ownership, then guards, sweeps, handlers,
// protection, order and brake. At last the bars of its kind and of its calls judge a write. It changes nothing.
//
//test:by internal/proof/properties.TestExplainAgrees
func (j *judgement) judge(e *Engine, id graph.NodeID) {
	n := j.judgeOwn(e, id)
	own := j.d
	if e.sweeps.Any() {
		j.judgeSweeps(e, n)
	}
	if j.in.Deleting && e.handlers.Any() && !j.d.Action.Writes() && !j.notes.withheld && !j.in.Unreadable {
		j.judgeHandlers(e, n)
	}
	if j.d.Action == policy.Delete && !j.in.Deleting {
		if j.judgeProtected(e, n); e.guards.Grace.Any() {
			e.guards.Grace.Carry(e.view(), &e.reads, id, j.in, &j.d)
		}
	}
	if j.d.Action != policy.Delete || !j.in.Deleting { // a marked root is marked again: neither order nor brake is about it
		if e.order.Any() {
			j.judgeOrder(e)
		}
		if e.brake.Any() && !j.foreign {
			j.judgeBrake(e)
		}
	}
	if j.d.Action == policy.Wait && j.holder.UID != "" && sweep.GoesFirst(own) {
		j.d, j.holder, j.notes.answer = own, graph.Key{}, brake.AnswerUnset
	}
	switch {
	case j.foreign && (j.d.Action != policy.Keep || j.d.Reason.Held()):
		j.bar = cmp.Or(e.bar(n), policy.OtherShare)
	case j.d.Action.Writes():
		if j.bar = e.bar(n); j.bar == policy.ReasonUnset {
			inflight.WriteOf(&j.write, j.subject, &j.d)
			j.bar = e.undone.Judge(&j.write.Call, e.now)
		}
	}
}

// judgeOwn judges a node by the rules of ownership and by its guard. It changes nothing.
func (j *judgement) judgeOwn(e *Engine, id graph.NodeID) graph.Node {
	n := e.graph.Node(id)
	j.id, j.subject, j.in = id, e.calls.Subject(n), e.input(id, &j.evidence)
	j.foreign, j.holder, j.bar = e.share.IsForeign(n), graph.Key{}, policy.ReasonUnset
	j.notes.passed, j.notes.withheld, j.notes.spared, j.notes.answer = gates{}, false, false, brake.AnswerUnset
	j.notes.mark, j.notes.protected = policy.ReasonUnset, policy.ReasonUnset
	if j.judgeMark(e, n); j.notes.withheld { // it ends no propagation, and its references go as those of others
		j.in.Propagation, j.in.Withheld = graph.Unset, j.notes.mark != policy.Restricted
	}
	j.d = policy.Decide(j.in, e.set, &j.lists)
	j.judgeGuarded(e, n)
	return n
}

// decision returns the decision of a judgement after its bar.
func (j *judgement) decision() policy.Decision {
	if j.bar != policy.ReasonUnset {
		return policy.Decision{Action: policy.Wait, Reason: j.bar}
	}
	return j.d
}

// commit takes note of a judgement: each gate that the object has passed, in order. It carries the
// effects of each gate out before the next one.
func (j *judgement) commit(e *Engine) {
	e.useOrphaned(j.id, j.in)
	if j.foreign {
		j.commitForeign(e)
		return
	}
	e.share.Drop(j.id) // it may have joined
	if j.notes.passed != (gates{}) {
		j.commitGates(e)
	}
	switch {
	case !j.d.Action.Writes():
		e.undone.Rest(j.id, j.d)
	case j.bar == policy.ReasonUnset || j.bar == policy.WriteUndone:
		e.undone.Commit(&j.write.Call, &j.d, e.now, e.work, &e.effects)
		e.carryOut()
	}
}

func (j *judgement) commitGates(e *Engine) {
	n := &j.notes
	if n.mark == policy.ProtectionUnknown || n.protected == policy.ProtectionUnknown { // its labels tell
		o := j.subject.Object()
		e.guards.Labels.Want(e.guardView(), j.id, &o)
	}
	if n.passed.mark {
		e.noteWithheld(j.id, n.withheld)
	}
	if n.passed.guard {
		o := j.subject.Object()
		e.guards.Commit(e.guardView(), j.id, &o, &n.guard)
		e.carryOut()
	}
	if n.passed.release {
		e.order.Commit(e.orderView(), j.id, &n.release)
	}
	if n.passed.sweep {
		e.sweeps.Commit(e.sweepView(), j.id, &n.sweep)
		e.carryOut()
	}
	if n.passed.handlers {
		j.commitHandlers(e)
	}
	if n.passed.order {
		j.commitOrder(e)
	}
	if n.passed.brake {
		j.commitBrake(e)
	}
}
