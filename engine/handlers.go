package engine

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/handlers"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

// judgeHandlers judges a marked object by the state of its handlers.
func (j *judgement) judgeHandlers(e *Engine, n graph.Node) {
	finalizers := j.subject.Object().Finalizers
	if !e.handlers.HandlesAny(finalizers) {
		return
	}
	j.notes.passed.handlers = true
	j.notes.block = e.bar(n) // for example, the mark may be of a former history
	j.d = e.handlers.Judge(j.id, finalizers, j.d, j.notes.block, e.now)
}

// commitHandlers asks for the handlers of a marked object, or for the answer that blocks them.
func (j *judgement) commitHandlers(e *Engine) {
	switch j.notes.block {
	case policy.ReasonUnset:
		e.handlers.Commit(j.id, j.subject.Object().Finalizers, e.now, &e.effects)
		e.carryOut()
	case policy.NeedAnswer:
		e.awaitAnswer(j.id)
	}
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
		Run: handlers.Run{Node: x.Node, Name: x.Handler}, Call: uint64(id), Key: x.Key, Former: x.Began <= e.kinds.Rewound() || err != nil && reports{e}.isForeign(x.Node), Err: err,
		Final: final,
	}, e.now, &e.effects)
	e.carryOut()
}
