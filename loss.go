package ownergraph

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

// A store that is restored from a backup goes down first: a write gets no answer, or
// the watch breaks. The watch shows the rewind later. Until then owners that were seen
// gone may be alive again, and the versions of their dependents are valid again. So
// after such a sign no write rests on what was observed before it, until something
// that began after it confirms that (R5).

// loss follows the signs that history may have gone backwards.
type loss struct {
	at     policy.Stamp // the newest sign, 0 if there was none
	time   time.Time    // of that
	open   bool         // a kind that takes part may not be confirmed yet
	closed policy.Stamp // when all of them last were
	seen   policy.Stamp // when the newest call or listing began that the store has answered
	set    policy.Stamp // when the store last said which kinds there are
}

// lose notes a sign that history may have gone backwards: a write without an answer,
// or a watch that broke. What was prepared is decided again. Held by
// TestLossStopsWrites and TestLossBeforeRestore.
func (e *Engine) lose() {
	e.loss.at, e.loss.time, e.loss.open = e.seq.Stamp(), e.now, true
	e.counts.Losses++
	e.unfence()
	e.voidFence()
	e.breakRings()
	e.clear.lose(e.loss.at)
	if e.level >= Level2 {
		e.wantFence(e.loss.at)
	} else {
		e.wantLists()
		e.lists.set = e.anyLeft()
	}
}

// anyLeft reports whether a kind that was served is not served now: the set of kinds says
// whether that is still so.
func (e *Engine) anyLeft() bool {
	for name, k := range e.kinds {
		if g, _ := e.graph.Kind(name); !k.part && !g.Known {
			return true
		}
	}
	return false
}

// lose has each sweep that waits for a proof ask for one that begins later.
func (c *clearings) lose(at policy.Stamp) {
	for _, r := range c.runs {
		r.sought = 0
		if r.need != 0 {
			r.need = at
		}
	}
}

// WatchEnded notes that the watch is down: each kind counts as sick, for this reason,
// until it has been listed again. That the watch broke may be the first sign of a
// rewind (R5). A watch that the store or its user ended in order is none. Whoever
// drives the engine calls it between two runs of Store.Watch. Held by
// TestWatchBrokeIsALoss.
func (e *Engine) WatchEnded(now time.Time, reason string, broke bool) {
	e.tick(now)
	if e.broken != nil {
		return
	}
	if broke {
		e.lose()
	}
	for _, k := range e.Kinds() {
		_ = e.take(&Event{Type: graph.KindSick, Kind: k.Kind, Reason: reason}) // no store may refuse it: the kind takes part
	}
}

// answered notes that the store has answered a call, or brought a listing, that began
// then.
func (l *loss) answered(began policy.Stamp) { l.seen = max(l.seen, began) }

// unanswered reports whether the store has answered nothing that began after the last
// sign. Then nothing is written.
func (e *Engine) unanswered() bool { return e.loss.at != 0 && e.loss.seen <= e.loss.at }

// maxLossWait bounds how long a kind of which writes got no answer waits for the fence
// that confirms the others.
const maxLossWait = time.Minute

// losing reports whether writes to the kind wait until all kinds are confirmed: one to
// it got no answer since they were. Further ones might get none either, and each is
// another sign, which would keep all kinds from an end (R8). Held by TestLossesOfOneKind.
func (e *Engine) losing(name Kind) bool {
	return e.lossOf(name) && e.now.Before(e.loss.time.Add(maxLossWait)) && !e.fenceHeld()
}

// lossOf reports whether a write to the kind is among the signs that are not confirmed.
func (e *Engine) lossOf(name Kind) bool {
	return e.loss.open && e.kinds[name].lost > e.loss.closed
}

// awaitAnswer has an object read before it is written, after a sign, or has it wait for
// what its kind waits for. Once the store has answered anything the read is not needed.
func (e *Engine) awaitAnswer(id graph.NodeID) {
	if !e.unanswered() {
		e.wakeAtFence(id)
		e.work.AddAt(id, queue.Normal, e.loss.time.Add(maxLossWait))
		return
	}
	m := e.edit(id)
	m.Probing = m.Probing || !m.Reread
	m.Reread = true
	e.work.Add(id, queue.High)
}

// unconfirmed reports whether what the watch has shown of a kind's objects goes back to
// before the moment, which is that of the last sign or of a conflict's read. Of a kind
// that is served and not watched only reads can tell more. Of one that is not served, the
// set of kinds can, since the last sign.
func (e *Engine) unconfirmed(name Kind, at policy.Stamp) bool {
	if at == 0 {
		return false
	}
	switch g, _ := e.graph.Kind(name); {
	case g.Unwatched:
		return g.Known
	case e.kinds[name].part:
		return e.behind(name, at)
	case g.Known: // ignored: nothing that is observed of it is evidence
		return false
	}
	return e.loss.set <= e.loss.at
}

// behind reports whether nothing that began after the moment has shown the kind: the
// watch has neither listed it nor passed a fence, and no read has shown a version as new
// as the watermark.
func (e *Engine) behind(name Kind, at policy.Stamp) bool {
	k := e.kinds[name]
	return k.passed <= at && k.confirmed <= at && !e.relisted(name, at)
}

// confirm notes that every kind which takes part is confirmed, and has looked at again
// what waits for that. The sign itself is kept: a kind that is not served now may be served
// again, with owners that were seen gone before. Held by TestLossOfKindThatReturns. The
// walk ends at a kind that is not confirmed. So a fence that has passed, an audit and a
// change of the set of kinds ask for it and, without fences, the end of a listing when no
// other one is wanted.
func (e *Engine) confirm() {
	if !e.loss.open || e.unanswered() {
		return
	}
	for name, k := range e.kinds {
		if k.part && e.behind(name, e.loss.at) {
			return
		}
	}
	e.loss.open, e.loss.closed = false, e.seq.Stamp()
	e.resumeReads()
	e.wakeFence()
}

// resumeReads has owners looked at again that only somebody outside can make readable:
// what the watch has shown of them may count now.
func (e *Engine) resumeReads() {
	var asks []graph.NodeID
	for x := range e.asks.Entries() {
		if x.State == queue.Delayed {
			asks = append(asks, x.Key)
		}
	}
	for _, id := range asks {
		e.edit(id).Blocked = graph.DoubtUnset
		e.answered(id)
	}
}

// shows takes what a read shows of an object that exists, and reports whether that is
// a rewind.
func (e *Engine) shows(f flight, n graph.Node, o Object) bool {
	e.loss.answered(f.began)
	why := e.compareRead(f, n, o)
	if why != "" {
		e.rewind(why)
	}
	return why != ""
}

// compareRead says how a read shows that history went backwards, or "": the object is
// older than the watch had shown it before, or alive although the watch had seen it go
// (R5). A version as new as the watermark confirms its kind.
func (e *Engine) compareRead(f flight, n graph.Node, o Object) (why string) {
	if o.UID != f.key.UID {
		return ""
	}
	m := e.state(n.ID())
	if gone := n.State() == graph.Absent || e.isBuried(n.ID()); gone && m.Changed < f.began {
		return o.Key.String() + returned
	}
	if n.State() == graph.Observed && m.Absent > e.rewound && m.Absent < f.began {
		return o.Key.String() + " was read as gone and is back"
	}
	cmp := e.cfg.CompareVersions
	if cmp == nil || n.State() != graph.Observed {
		return ""
	}
	if m.Known < f.began && m.Known > e.rewound && cmp(o.Kind, o.Version, n.Version()) < 0 {
		return o.Key.String() + " was read at version " + string(o.Version) + " after " + string(n.Version())
	}
	if t := e.tide(o.Kind); e.loss.open && t.high != "" && cmp(o.Kind, o.Version, t.high) >= 0 {
		k := e.kinds[o.Kind]
		k.confirmed = max(k.confirmed, f.began)
		e.setKind(o.Kind, k)
	}
	return ""
}
