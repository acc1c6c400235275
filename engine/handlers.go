package engine

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/handlers"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

// handle asks for the handlers of a marked object, and returns the decision that follows from their
// state.
func (e *Engine) handle(id graph.NodeID, s inflight.Subject, d policy.Decision) policy.Decision {
	finalizers := s.Object().Finalizers
	if !e.handlers.HandlesAny(finalizers) {
		return d
	}
	block := e.bar(e.graph.Node(id)) // for example, the mark may be of a former history
	if block == policy.NeedAnswer {
		e.awaitAnswer(id)
	}
	d = e.handlers.Judge(id, finalizers, d, block, e.now)
	if block == policy.ReasonUnset {
		e.handlers.Commit(id, finalizers, e.now, &e.effects)
		e.carryOut()
	}
	return d
}

// nextHandler makes c the next run of a handler, if one is ready and the bound of its name
// allows it.
func (e *Engine) nextHandler(c *Call) bool {
	for {
		r, ok := e.handlers.Next()
		if !ok {
			return false
		}
		if !e.handles(r) {
			e.handlers.Cancel(r)
			if e.graph.Inside(inside.Key{}).InUse(r.Node) { // the next decision may queue it again
				e.work.Add(r.Node, queue.Normal)
			}
			continue
		}
		n := e.graph.Node(r.Node)
		e.issue(c, inflight.Call{Purpose: inflight.Handle, Node: r.Node, Key: n.Key(), Handler: r.Name})
		c.Finalizer, c.Object, c.Timeout = r.Name, n.Object(), e.cfg.HandlerTimeout
		e.handlers.Start(r, uint64(c.ID), e.now)
		return true
	}
}

// handles reports whether a handler has still to run for a node, and may.
func (e *Engine) handles(r handlers.Run) bool {
	if !e.graph.Inside(inside.Key{}).InUse(r.Node) || e.bar(e.graph.Node(r.Node)) != policy.ReasonUnset {
		return false
	}
	if n := e.graph.Node(r.Node); n.Inside(inside.Key{}).MarkWithheld() || n.Inside(inside.Key{}).Unreadable() {
		return false
	}
	o := e.graph.Node(r.Node).Object()
	return o.Deleting && o.HasFinalizer(r.Name)
}

// handlerDone takes the result of a run. A final failure is of a fork: the run is not tried again.
func (e *Engine) handlerDone(id CallID, x *inflight.Call, err error, final bool) {
	e.handlers.Done(handlers.Outcome{
		Run: handlers.Run{Node: x.Node, Name: x.Handler}, Call: uint64(id), Key: x.Key, Former: x.Began <= e.kinds.Rewound(), Err: err,
		Final: final,
	}, e.now, &e.effects)
	e.carryOut()
}
