package engine

import (
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/history"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// Root has the roots of a deletion: the objects whose deletion began it. An object whose
// owners are all gone or waiting has the roots of these owners. Another object is its own
// root.
//
//test:by internal/proof/properties.TestRoots
type Root = explain.Root

// noteEnd notes the end of an object that the graph is about to take.
func (e *Engine) noteEnd(k graph.Key) {
	if n, ok := e.graph.Lookup(k); ok && n.State() == graph.Observed {
		e.history.Draft(e.view(), &history.End{Node: n.ID(), Now: e.now, Unseen: e.graph.Inside(inside.Key{}).PendingPrune(n.ID()), Rewound: e.kinds.Rewound()})
	}
}

// noteDelete returns the number of the root of a decision to delete, Unknown for another
// one. It notes the delete that carries the decision out, if any, with its evidence.
func (e *Engine) noteDelete(j *judgement, sent *Call) (root uint64) {
	if j.d.Action != policy.Delete {
		return history.Unknown
	}
	if root = e.history.RootOf(e.view(), j.id, j.in); sent != nil {
		e.history.Sent(e.view(), &history.Deletion{
			Call: uint64(sent.ID), Key: sent.Key, Version: sent.Options.Precondition.Version, Subject: j.subject, Node: j.id,
			Input: j.in, Decision: j.d, Holder: j.holder, Root: root,
		})
		if e.cfg.Archives {
			sent.Options.Cause = e.history.Cause(e.graph.Node(j.id), root, j.holder)
		}
	}
	return root
}

// rootOf returns the roots of a decision about an object, for its report.
func (r reports) rootOf(id graph.NodeID, d policy.Decision, root uint64) Root {
	if d.Action != policy.Delete {
		return Root{}
	}
	return Root(r.e.history.RootAt(r.e.graph.Node(id), root))
}

// applyRoot notes the root of an object whose mark an event has changed. Without a mark there is none.
func (e *Engine) applyRoot(d *graph.Delta, n graph.Node) {
	switch {
	case n.State() != graph.Observed:
	case !n.Deleting():
		m := e.edit(n.ID())
		m.Root, m.Ended = history.Unknown, 0
	case d.Mark:
		e.history.Mark(e.view(), n.ID(), d.Observed, e.kinds.Rewound())
	}
}
