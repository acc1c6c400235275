package engine

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/queue"
)

// observeKind takes an event about a kind. The graph has taken it before. Newest says
// that no object of the kind had a newer version, for a Put where versions are compared.
func (e *Engine) observeKind(ev *graph.Event, newest bool) {
	switch ev.Type {
	case graph.KindsKnown:
		e.observeKinds(ev.Kinds)
		return
	case graph.FencePassed:
		e.passFence(e.fence.Report(ev.Kind, ev.Fence, e.now, &e.kinds, &e.effects))
		return
	case graph.Rewound:
		e.rewind(ev.Reason)
		return
	case graph.Gone:
		return
	case graph.Put:
		if cmp := e.cfg.CompareVersions; cmp != nil {
			e.kinds.Advance(&ev.Object, newest, cmp)
		}
		return
	}
	was := e.kinds.Sick(ev.Kind)
	change := e.kinds.Apply(ev, &e.seq, e.cfg.CompareVersions)
	if change.Left {
		e.leaveKind(ev.Kind)
	}
	if change.Health {
		e.wakeFence()
		e.holdUnlisted(ev.Kind, was)
	}
	if change.Recovered {
		e.resume(ev.Kind)
	}
}

// leaveKind gives up the fence and the selections that covered a kind which is no longer served.
func (e *Engine) leaveKind(name graph.Kind) {
	e.fence.WakeKind(name, &e.effects)
	e.carryOut()
	e.selections().Drop()
	e.carryOut()
	e.fence.Void(&e.kinds)
	e.order.Doubt(e.orderView())
	e.endRewind()
	e.confirm()
	e.auditSoon()
}

// observeKinds takes the set of kinds. A fence that is under way covers the former set,
// so another one has to begin. If a kind has joined, the passed fences prove nothing of
// it, and no call goes out that rests on them (R7).
func (e *Engine) observeKinds(infos []graph.KindInfo) {
	left, joined := e.kinds.SetKinds(infos, e.graph, &e.seq)
	for _, name := range left {
		e.fence.WakeKind(name, &e.effects)
	}
	e.carryOut()
	if joined {
		e.takeBackFences()
	}
	if e.level < Level2 {
		e.kinds.SetReported(e.seq.Stamp())
	}
	if e.kinds.EndSet(e.graph, e.sweeps.Holders()) {
		e.resumeReads()
	}
	e.selections().Drop()
	e.carryOut()
	e.endRewind()
	e.confirm()
	e.fence.Void(&e.kinds)
	e.order.Doubt(e.orderView())
	e.wakeFence()
	e.auditSoon()
}

// refuse marks the kind of a refused event: nothing ends before a new listing of it.
// After a refused set of kinds, nothing ends before another set.
func (e *Engine) refuse(ev *graph.Event, why string) {
	was := e.kinds.Sick(ev.Of())
	set, known := e.kinds.Refuse(ev, why)
	if set {
		e.takeBackFences()
		e.fence.Void(&e.kinds) // the set may have passed it already
	}
	if known {
		e.wakeFence()
		e.holdUnlisted(ev.Of(), was)
	}
}

// holdUnlisted asks for decisions of the objects that wait for the first listing of a kind that has
// become sick, so that Held names them. The fast path has passed over them. It notes the time of the
// sickness. Another reason begins no other audit, since one may be under way.
//
//test:by ownergraph.TestHeldWhileUnlisted ownergraph.TestSickAgain
func (e *Engine) holdUnlisted(name graph.Kind, was string) {
	if was != "" || e.kinds.Sick(name) == "" {
		return
	}
	e.kinds.SetSickAt(name, e.seq.Last())
	if !e.kinds.Of(name).Listed {
		e.auditSoon()
	}
}

// takeLate takes the kinds that are not listed in time. They are sick from now on.
//
//test:by TestLateKind
func (e *Engine) takeLate() {
	late := e.kinds.TakeLate(slice)
	for _, name := range late {
		e.holdUnlisted(name, "")
	}
	if len(late) > 0 {
		e.wakeFence()
	}
}

// takeBackFences takes back the passed fences, and the prepared calls that may rest on them.
func (e *Engine) takeBackFences() {
	e.fence.TakeBack()
	e.order.TakeBack()
	e.revokePrepared()
}

// pruning is a part of the pruning of a kind: over at most limit nodes. See
// [graph.Graph.Prune].
type pruning struct {
	kind  graph.Kind
	limit int
	at    graph.NodeID
	seen  int
	done  bool
}

// prune removes a part of the objects that the ended listing of a kind did not bring.
func (e *Engine) prune() {
	for budget := slice; budget > 0 && !e.kinds.IsPruned(); {
		name := e.kinds.NextPruned()
		if !e.kinds.Of(name).Pruning {
			e.kinds.EndPruning()
			continue
		}
		p := pruning{kind: name, limit: budget}
		if _, err := e.apply(nil, &p); err != nil {
			e.fail("prune a listing: %v", err)
			return
		}
		budget -= max(p.seen, 1)
		switch {
		case p.at != 0:
			e.pruneNode(p.at)
		case p.done:
			e.kinds.EndPruning()
			e.endListing(name)
		}
	}
}

// pruneNode removes one object that a listing did not bring. For a phantom, the results of
// reads from before are void.
func (e *Engine) pruneNode(id graph.NodeID) {
	n := e.graph.Node(id)
	if n.State() == graph.Phantom {
		e.reads.DropResult(e.view(), id)
		e.fanout.Push(e.view(), id)
		return
	}
	ev := graph.Event{Type: graph.Gone, Key: n.Key()}
	if len(e.follows) > 0 {
		e.follows.Ending(e.followView(), ev.Key)
	}
	if d, err := e.apply(&ev, nil); err != nil {
		e.fail("prune a listing: %v", err)
	} else {
		e.applyDelta(&ev, d)
	}
}

// endListing ends a pruning: the kind is listed, and has passed the fence whose report came meanwhile.
func (e *Engine) endListing(name graph.Kind) {
	if !e.kinds.Relisting() && e.kinds.Stale(name) {
		e.auditSoon()
	}
	pending := e.kinds.SetListed(name)
	e.resume(name)
	if pending != 0 {
		e.passFence(e.fence.Pass(name, pending, &e.kinds, &e.effects))
	}
	e.kinds.SetAnswered(e.kinds.Of(name).Begun)
	if e.level < Level2 && e.kinds.NoLists() {
		e.confirm()
	}
	if e.level < Level2 {
		e.wakeFence()
	}
	if e.kinds.SeeAll() {
		e.auditSoon()
	}
	e.endRewind()
}

// resume tries the calls again at once that failed while the kind was sick.
func (e *Engine) resume(name graph.Kind) {
	e.sweeps.WalkAgain()
	e.selections().Resume(name)
	e.carryOut()
	e.reads.Resume(e.view(), name)
	e.expected.Retry(name)
	e.stepRetries()
}

// stepRetries goes on with the writes that waited for a kind that has recovered.
//
//test:by TestRecoveryInSteps
func (e *Engine) stepRetries() {
	for _, id := range e.expected.StepRetry(e.graph, e.now, slice) {
		e.work.Forget(id)
		e.work.AddAt(id, queue.Normal, e.now)
	}
}

// nextList makes c the call for a listing, if one is due.
func (e *Engine) nextList(c *Call) bool {
	name, ok := e.kinds.NextList(e.now)
	if !ok {
		return false
	}
	e.issue(c, inflight.Call{Purpose: inflight.List, Key: graph.Key{Kind: name}})
	c.Kind = name
	return true
}

func (e *Engine) listDone(err error) {
	e.counts.Listings++
	if err == nil {
		e.kinds.EndListFailures()
		return
	}
	e.counts.FailedListings++
	wait, _ := e.retryIn(err)
	e.kinds.FailList(e.now, err, wait, &e.effects)
}

// backwards returns the text that says how an event shows that the store's history went
// backwards, "" if it does not (R5). Newest says that no object of its kind had a newer
// version yet.
func (e *Engine) backwards(ev *graph.Event) (newest bool, why string) {
	if ev.Type == graph.Put && e.absent.Has(ev.Object.Key) {
		return false, ev.Object.Key.String() + returned
	}
	if cmp := e.cfg.CompareVersions; cmp != nil {
		return e.kinds.Backwards(e.view(), ev, cmp)
	}
	return false, ""
}
