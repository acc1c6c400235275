package engine

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/evidence"
	"github.com/ownergraph/ownergraph/internal/core/order"
	"github.com/ownergraph/ownergraph/internal/core/own"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// OrderStatus is the progress of a cascade whose guard has phases. It is a value, and the
// receiver owns it.
type OrderStatus struct {
	// Root is the root, and Guard the name of its guard.
	Root  graph.Key
	Guard string
	// Phases are the phases in their order. The last one is for the objects that no phase
	// takes.
	Phases []OrderPhase
	// Open is the number of phases that may delete, from the first on. It is 1 while the
	// engine looks at the objects below the root.
	Open int
	// Waves is the sum of the waves of the phases.
	Waves int
	// MovedForward counts the objects that ownership moved to an earlier phase.
	MovedForward int
}

// OrderPhase is the progress of one phase. It is a value.
type OrderPhase struct {
	Name string
	// Left counts the objects that have to go before the next phase begins.
	Left int
	// Waves counts how often objects came back after the phase had none. It rises while
	// clients create such objects again and again.
	Waves int
}

// Orders returns the progress of at most limit of the cascades in phases, by root.
func (e *Engine) Orders(limit int) []OrderStatus {
	found := e.order.Statuses(e.orderView(), limit)
	out := make([]OrderStatus, len(found))
	for i, s := range found {
		out[i] = OrderStatus{Root: s.Root, Guard: s.Guard, Open: s.Open, MovedForward: s.Forward}
		for _, p := range s.Phases {
			out[i].Phases = append(out[i].Phases, OrderPhase(p))
			out[i].Waves += p.Waves
		}
	}
	return out
}

// orderView returns the lower machines for the orders.
func (e *Engine) orderView() order.View {
	v := order.View{
		Nodes: e.view(), Fence: &e.fence, Stamps: &e.seq, Out: &e.effects, Rewound: e.kinds.Rewound(), Stays: reports{e}.staysInOrder,
		Unproven: reports{e}.isUnproven,
	}
	if e.sweeps.Any() {
		v.Holders = func(id graph.NodeID) []graph.NodeID { return e.sweeps.HoldersOf(e.sweepView(), id) }
	}
	return v
}

// staysInOrder reports whether an object stays by its last decision, although its owners go.
func (r reports) staysInOrder(id graph.NodeID) bool {
	e := r.e
	n := e.graph.Node(id)
	return (!n.Deleting() || n.Inside(inside.Key{}).MarkWithheld()) && (order.Keeps(e.state(id).Reason) || e.share.NoteOf(id) == own.Stays)
}

// isUnproven reports whether the last decision about an object of another share lacked evidence.
func (r reports) isUnproven(id graph.NodeID) bool { return r.e.share.NoteOf(id) == own.Unproven }

// observeOrder takes a change of the graph for the orders.
func (e *Engine) observeOrder(ev *graph.Event, d *graph.Delta) {
	if e.order.Any() {
		e.order.Observe(e.orderView(), d, ev.Key)
	}
	if d.Node != 0 && e.graph.Inside(inside.Key{}).InUse(d.Node) {
		e.beginOrder(d.Node)
	}
	e.carryOut()
}

// beginOrder begins the order of a root that has passed: it waits, a guard with phases selects
// it, and it carries no hold. It ends the order of a node that is no longer such a root. The
// observed state alone decides that, so a new engine begins the same orders.
func (e *Engine) beginOrder(id graph.NodeID) {
	n := e.graph.Node(id)
	if !n.Waiting() {
		e.order.End(id)
		return
	}
	o := n.Object()
	if guard := e.order.GuardOf(&o); guard >= 0 && !o.MarkWithheld() {
		e.order.Begin(e.orderView(), id, guard)
	} else {
		e.order.End(id)
	}
}

// judgeOrder makes the delete of an object below an ordered root wait for its phase (G7), and the end
// of an owner for the objects below it.
func (j *judgement) judgeOrder(e *Engine) {
	note := &j.notes.order
	*note = order.Judgement{}
	switch {
	case j.d.Action == policy.Delete:
		h, _ := e.graph.Lookup(j.holder)
		*note = e.order.JudgeDelete(e.orderView(), j.id, h.ID())
	case order.Releases(j.d):
		*note = e.order.JudgeRelease(e.orderView(), j.id)
	case j.d.Action == policy.Keep || j.d.Action == policy.Trim || j.d.Action == policy.Orphan:
		j.notes.spared = true
	default:
		return
	}
	j.notes.passed.order = true
	if note.Wait {
		j.d = evidence.Withhold(j.in, e.set, &j.lists, j.d, order.Delayed(j.in, e.set, &j.lists, j.d))
	}
}

// commitOrder takes note of the judgement of the orders.
func (j *judgement) commitOrder(e *Engine) {
	if j.notes.spared {
		e.order.Spare(e.orderView(), j.id)
	}
	e.order.Commit(e.orderView(), j.id, &j.notes.order)
	e.carryOut()
}

// keepInOrder notes that a held object does not go with an ordered root.
func (e *Engine) keepInOrder(id graph.NodeID) {
	if order.Keeps(e.state(id).Reason) {
		e.order.Keep(e.orderView(), id)
		e.carryOut()
	}
}

// stepOrder goes on with the orders.
func (e *Engine) stepOrder() {
	e.order.Step(e.orderView(), slice, lowWater-e.work.Ready())
	e.carryOut()
}

// phases follows the chain to the objects of an earlier phase.
func (x *explainer) phases(j finding, c explain.Condition) []explain.Condition {
	root, phase, some, ok := x.e.order.Awaited(x.e.orderView(), j.id, maxScanned)
	c.End, c.Actor = explain.Work, "the order of its root"
	switch {
	case !ok:
		return x.one(c)
	case x.e.order.AwaitsFence(j.id):
		if len(x.e.kinds.SickNames()) > 0 {
			c.Reason = policy.FenceHeld
		}
		return x.fences(c)
	}
	if some = slices.DeleteFunc(some, func(id graph.NodeID) bool { return slices.Contains(x.path, id) }); len(some) > 0 {
		return x.visits(some, max(phase.Left, len(some)))
	}
	c.Actor = fmt.Sprintf("the order of %s: %s, %d left, wave %d", root, phase.Name, phase.Left, phase.Waves+1)
	return x.one(c)
}
