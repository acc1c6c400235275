package engine

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/evidence"
	"github.com/ownergraph/ownergraph/internal/core/fate"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

// scratch is the memory of the decision at hand. The next decision uses it again.
type scratch struct {
	deciding  bool   // the graph may not change: see apply
	carrying  bool   // carryOut runs
	call      Call   // that waits for its lane
	issued    CallID // of the decision at hand, 0 without a call
	judgement judgement
}

// input gathers the evidence for a decision about an observed node. It is valid until the
// next use of the memory. A decision uses that of the engine, and an explanation has its own.
func (e *Engine) input(id graph.NodeID, memory *evidence.Scratch) *policy.Facts {
	v := evidence.View{
		Nodes: e.view(), Kinds: &e.kinds, Reads: &e.reads, Cycles: &e.cycles, Orphaned: &e.orphaned, Retries: e.calls.Retries(), Now: e.now,
		Fence: policy.Fence{ // marks up to Released may end without a passed fence, as best effort
			Exact: e.level >= Level2, Passed: e.fence.Passed(), Released: e.fence.Released(&e.kinds, e.seq.Last()), Blocked: e.fence.Blocked(&e.kinds),
		},
		Settings: evidence.Settings{
			Scope: e.cfg.Scope, OwnerName: e.cfg.OwnerName,
			Acknowledge: e.cfg.Acknowledge, AcknowledgeWithin: e.cfg.AcknowledgeWithin,
		},
	}
	return v.Input(id, memory)
}

// useOrphaned counts a decision as a use of the remembered owners that it rests on: the
// bounded memory keeps the used ones.
func (e *Engine) useOrphaned(id graph.NodeID, in *policy.Facts) {
	for i := range in.Owners {
		if in.Owners[i].Remembered {
			e.orphaned.Use(e.graph.Node(id).Key().UID, e.graph.Node(e.view().OwnerID(id, i)).Key().UID)
		}
	}
}

// fastKeep returns the reason to keep a node, where the graph alone shows it. Then the node
// and its only owner, if any, have a default state. With NoOwners and OwnerSolid the node
// is unmarked, and its only owner is solid and unmarked. Most objects are so. With
// NeedListing the owner's kind is well and has no complete listing yet, so no decision can
// tell more. The end of that listing decides the rest. ReasonUnset says that a decision is
// needed: also where Held has to name a sick kind.
func (e *Engine) fastKeep(id graph.NodeID) policy.Reason {
	owner, quick := e.graph.Node(id).Inside(inside.Key{}).Fast()
	if quick == fate.Unset || !e.nodes.IsDefault(e.graph, id) || e.sweeps.Any() || e.guards.Roots.Any() && e.guards.Roots.MaySelect(e.graph.Node(id)) || e.expected.Has(id) || e.calls.HasRetry(id) {
		return policy.ReasonUnset
	}
	switch {
	case quick == fate.Alone:
		return policy.NoOwners
	case !e.nodes.IsDefault(e.graph, owner):
	case quick == fate.Owned:
		return policy.OwnerSolid
	case !e.undone.Has(id) && !(e.kinds.AnySick() && e.kinds.Sick(e.graph.Node(owner).Kind()) != ""):
		return policy.NeedListing // a wait does not end the memory of a write, so such an object needs a decision
	}
	return policy.ReasonUnset
}

// stillKept reports whether the fast path has kept a node. Another version with the same
// owners changes nothing then, and every other change asks for a new decision.
func (e *Engine) stillKept(id graph.NodeID) bool {
	return e.nodes.IsKept(e.graph, id) && !e.expected.Has(id)
}

// keepOrEnqueue decides a node: at once on the fast path, otherwise in its turn.
func (e *Engine) keepOrEnqueue(id graph.NodeID, p queue.Priority) {
	if e.tryKeep(id) {
		e.work.Drop(id)
		return
	}
	e.work.Add(id, p)
}

// tryKeep decides a node on the fast path, and otherwise takes back that it was kept so.
func (e *Engine) tryKeep(id graph.NodeID) bool {
	if !e.tryKeepNew(id) {
		e.nodes.ClearKept(e.graph, id)
		return false
	}
	e.unhold(id, false)
	e.held.Open.End(id)
	e.expected.EndWatch(id)
	e.undone.Drop(id)
	e.share.Drop(id)
	if e.state(id).Reason == policy.NeedListing {
		e.brake.Postpone(id)
	} else {
		e.brake.Leave(id)
	}
	return true
}

// tryKeepNew decides a node without former state on the fast path.
func (e *Engine) tryKeepNew(id graph.NodeID) bool {
	why := e.fastKeep(id)
	if why == policy.ReasonUnset {
		return false
	}
	e.nodes.SetKept(e.graph, id, why)
	if e.cfg.OnDecision != nil {
		e.report(e.calls.Subject(e.graph.Node(id)), DecisionEvent{Decision: evidence.FastDecision(why)})
	}
	return true
}

// checkFastPath compares the fast path with the decisions that it replaces.
func (e *Engine) checkFastPath() error {
	asked := map[graph.NodeID]bool{}
	for x := range e.work.Entries() {
		asked[x.Key] = true
	}
	quiet := !e.busy()
	for n := range e.graph.Nodes() {
		reason, still := e.fastKeep(n.ID()), quiet && !asked[n.ID()] && e.stillKept(n.ID())
		if reason == policy.ReasonUnset && !still {
			continue
		}
		j := &e.scratch.judgement
		if j.judgeOwn(e, n.ID()); !evidence.ServesFast(reason, e.state(n.ID()).Reason, j.d) {
			return fmt.Errorf("N9: the fast path keeps %s (%v), and a decision would be %v (%v)", n.Key(), reason, j.d.Action, j.d.Reason)
		}
	}
	return nil
}
