package ownergraph

import (
	"github.com/ownergraph/ownergraph/internal/core/fifo"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

// kindMind is what the engine knows of a kind beyond the graph.
type kindMind struct {
	part      bool                      // it is served, watched and takes part: fences cover it
	listed    bool                      // a listing is complete and swept
	sick      string                    // why it cannot be watched, "" if it can
	ill       bool                      // sick by the store's own word
	damaged   bool                      // sick by an event that was refused: only a listing heals it
	spoilt    bool                      // that event was one of the listing under way, which proves nothing
	sweeping  bool                      // a listing has ended and its sweep has not
	begun     policy.Stamp              // when a listing last began
	spoken    policy.Stamp              // when a listing last ended
	passed    policy.Stamp              // when the newest fence that it has passed began
	lost      policy.Stamp              // when a write to it last got no answer
	confirmed policy.Stamp              // when a read began that showed its watermark, or later, after a loss
	pending   uint64                    // a fence that it passes when its sweep is over
	waiting   map[graph.NodeID]struct{} // who waits for it to pass a fence
}

// kindEvent takes what an event says of its kind, whose tide t is that of a put where
// versions are compared; newest says that no object of it had a newer version yet.
func (e *Engine) kindEvent(ev *Event, t *tide, newest bool) {
	switch ev.Type {
	case graph.KindsKnown:
		e.kindsKnown(ev.Kinds)
		return
	case graph.FencePassed:
		e.passFence(ev.Kind, ev.Fence)
		return
	case graph.Rewound:
		e.rewind(ev.Reason)
		return
	case graph.Gone:
		return
	case graph.Put:
		if t != nil {
			t.rise(ev.Object.Version, newest, e.cfg.CompareVersions)
		}
		return
	}
	k, ok := e.kinds[ev.Of()]
	if !ok {
		return
	}
	switch ev.Type {
	case graph.ListBegun:
		k.begun, k.sweeping, k.spoilt = e.seq.Stamp(), false, false
		e.tide(ev.Kind).floor = e.tide(ev.Kind).high
		e.lists.drop(ev.Kind)
	case graph.ListEnded:
		k.spoken, k.sweeping = e.seq.Stamp(), true
		e.rise(ev.Kind, ev.Version)
		e.sweeps = append(e.sweeps, ev.Kind)
		e.lists.ended(ev.Kind)
		if k.damaged {
			k.damaged = false
			if !k.ill {
				k.sick = ""
			}
		}
	case graph.Progress:
		e.rise(ev.Kind, ev.Version)
	case graph.KindSick:
		k.ill, k.sick = true, ev.Reason
		if k.sick == "" {
			k.sick = "sick"
		}
	case graph.KindRecovered: // what was refused is no better known by that
		if k.ill = false; !k.damaged {
			k.sick = ""
		}
		defer e.resume(ev.Kind)
	case graph.KindVanished:
		k = e.leftKind(k)
		e.ebb(ev.Kind)
	}
	e.setKind(ev.Of(), k)
	if ev.Type >= graph.KindSick {
		if ev.Type == graph.KindVanished {
			e.unwantSelects()
			e.lists.drop(ev.Kind)
			e.voidFence()
			e.heal()
			e.confirm()
			e.auditSoon()
		}
		e.wakeFence()
	}
}

// kindsKnown takes the set of kinds. A fence that is under way covers the former
// set, so another one has to begin; and if a kind has joined, so do those that
// have passed, and no call goes out that rests on them: they say nothing of it
// (R7).
func (e *Engine) kindsKnown(infos []KindInfo) {
	joined := false
	for _, name := range e.unknownKinds() {
		e.setKind(name, e.leftKind(e.kinds[name]))
		e.ebb(name)
	}
	for _, i := range infos {
		k, had := e.kinds[i.Kind]
		if part := !i.Unwatched && !e.ignored(i.Kind); part != k.part {
			k.part, joined = part, true
		}
		name := i.Kind
		if !had { // the caller's text is not held on to
			name = Kind(strings.Clone(string(name)))
		}
		e.setKind(name, k)
	}
	if joined {
		e.unfence()
	}
	if e.kindsLost || e.lists.set {
		e.lists.ended("")
	}
	if e.level < Level2 {
		e.loss.set = e.seq.Stamp()
	}
	if e.lists.set { // who waits for it may go on
		e.resumeReads()
	}
	e.kindsSeen, e.kindsLost, e.lists.set = true, false, false
	e.forgetKinds()
	e.unwantSelects()
	e.leave()
	e.confirm()
	e.voidFence()
	e.wakeFence()
	e.auditSoon()
}

// unknownKinds returns the kinds that took part and are not in the set, sorted.
func (e *Engine) unknownKinds() (out []Kind) {
	for name, k := range e.allKinds() {
		if g, _ := e.graph.Kind(name); k.part && !g.Known {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// leftKind returns what is kept of a kind that takes no part any more. It passes no
// fence, so what waits for that is decided again.
func (e *Engine) leftKind(k kindMind) kindMind {
	e.wakes = append(e.wakes, slices.Sorted(maps.Keys(k.waiting))...)
	confirmed := k.confirmed
	if k.spoken > k.begun && !k.sweeping {
		confirmed = max(confirmed, k.begun)
	}
	return kindMind{passed: k.passed, confirmed: confirmed, spoken: e.seq.Stamp()}
}

// unfence takes back that fences have passed: they say nothing of a kind that has
// joined, nor of another history.
func (e *Engine) unfence() {
	e.fence.set = 0
	e.fence.passed, e.fence.freed = 0, 0
	e.ground()
}

// forgetKinds forgets kinds of which nothing is left: neither are they served, nor is
// there a node of them, on which what was said of its kind may bear. One that holds
// stays, since it matters to sweeps that it was there once.
func (e *Engine) forgetKinds() {
	holders := e.clear.sweeps()
	for name := range e.allKinds() {
		if _, ok := e.graph.Kind(name); !ok && !slices.Contains(holders, name) {
			e.dropKind(name)
			e.tides.forget(name)
		}
	}
}

// leave forgets what was wanted of kinds that take no part any more.
func (e *Engine) leave() {
	e.lists.wanted = slices.DeleteFunc(e.lists.wanted, func(name Kind) bool { return !e.kinds[name].part })
	e.heal()
}

// damage holds a kind of which an event was refused: nothing ends before a
// listing has said again what there is. After a set of kinds was refused nothing ends
// before there is one that is not: what the other had, nobody knows.
func (e *Engine) damage(ev *Event, why string) {
	if ev.Type == graph.KindsKnown {
		e.kindsLost = true
		e.unfence()
		e.voidFence() // it may have passed the former set already
		e.wakeFence()
		return
	}
	name := ev.Of()
	k, ok := e.kinds[name]
	if !ok || !k.part {
		return
	}
	k.damaged, k.spoilt, k.sick = true, true, why
	e.setKind(name, k)
	e.wantList(name)
	e.wakeFence()
}

// stepSweeps goes on with what the end of a listing has to say of the objects
// that it did not bring.
func (e *Engine) stepSweeps() {
	for budget := slice; budget > 0 && len(e.sweeps) > 0; {
		name := e.sweeps[0]
		if !e.kinds[name].sweeping {
			e.sweeps = fifo.Rest(e.sweeps)
			continue
		}
		id, seen, done := e.graph.Prune(name, budget)
		budget -= max(seen, 1)
		switch {
		case id != 0:
			e.sweepNode(id)
		case done:
			e.sweeps = fifo.Rest(e.sweeps)
			e.swept(name)
		}
	}
}

// sweepNode takes the listing's word on one node: it is gone, or, if nobody
// had observed it, what was read of it before is void.
func (e *Engine) sweepNode(id graph.NodeID) {
	n := e.graph.Node(id)
	if n.State() == graph.Phantom {
		e.dropResult(id)
		e.fan(id)
		return
	}
	ev := Event{Type: graph.Gone, Key: n.Key()}
	d, err := e.graph.Apply(ev)
	if err != nil {
		e.fail("sweep of a listing: %v", err)
		return
	}
	e.absorb(&ev, &d)
}

// swept ends a sweep: the kind is listed, and has passed the fence whose report
// came meanwhile.
func (e *Engine) swept(name Kind) {
	k := e.kinds[name]
	pending := k.pending
	if !e.healing && e.outlived(name) {
		e.auditSoon()
	}
	k.sweeping, k.listed, k.pending = false, k.begun > e.rewound, 0
	e.setKind(name, k)
	e.resume(name)
	if pending != 0 {
		e.passFence(name, pending)
	}
	e.loss.answered(k.begun)
	if e.level < Level2 && len(e.lists.wanted) == 0 {
		e.confirm()
	}
	if e.level < Level2 {
		e.wakeFence()
	}
	if !e.allSeen && !e.unseenKind() {
		e.allSeen = true
		e.auditSoon()
	}
	e.heal()
}

// resume tries again at once what failed while the kind was sick.
func (e *Engine) resume(name Kind) {
	e.walkAgain()
	e.resumeSelects(name)
	of := func(id graph.NodeID) bool { return e.graph.Node(id).Kind() == name }
	var asks []graph.NodeID
	for x := range e.asks.Entries() {
		if x.State == queue.Delayed && of(x.Key) {
			asks = append(asks, x.Key)
		}
	}
	for _, id := range asks {
		e.edit(id).Blocked = graph.DoubtUnset
		e.asks.Forget(id)
		e.asks.Add(id, queue.Normal)
	}
	for _, id := range e.awaits.all() {
		if a := e.awaits.of(id); a.outside && of(id) {
			a.deadline, a.outside = e.now, false
			e.work.Forget(id)
			e.work.AddAt(id, queue.Normal, a.deadline)
		}
	}
}

// lists says which kinds have to be listed anew: one at a time, with backoff.
type lists struct {
	wanted []Kind // sorted
	set    bool   // the set of kinds is wanted, too
	last   Kind   // the one asked for last
	retry  time.Time
	tries  int
}

func (e *Engine) wantList(name Kind) {
	if i, ok := slices.BinarySearch(e.lists.wanted, name); !ok && e.kinds[name].part {
		e.lists.wanted = slices.Insert(e.lists.wanted, i, name)
	}
}

// wantLists has every kind listed anew.
func (e *Engine) wantLists() {
	wanted := e.lists.wanted[:0]
	for name, k := range e.allKinds() {
		if k.part {
			wanted = append(wanted, name)
		}
	}
	slices.Sort(wanted)
	e.lists.wanted = wanted
}

// drop takes a kind out of those that have to be listed: a listing has begun, or the
// kind takes no part any more.
func (l *lists) drop(name Kind) {
	if i, ok := slices.BinarySearch(l.wanted, name); ok {
		l.wanted = slices.Delete(l.wanted, i, i+1)
	}
}

// ended notes that a listing was of use.
func (l *lists) ended(name Kind) {
	if l.last == name {
		l.tries = 0
	}
}

// dueList returns the kind to be listed next, each in its turn, whatever comes
// of the others. One that is sick by the store's own word is listed when it has
// recovered, and not asked for, unless it needs one anyway.
func (e *Engine) dueList() (Kind, bool) {
	l := &e.lists
	set := e.kindsLost || l.set
	if set && l.last != "" { // the set of kinds, in its turn
		return "", true
	}
	after, _ := slices.BinarySearch(l.wanted, l.last+"\x00")
	for i := range l.wanted {
		name := l.wanted[(after+i)%len(l.wanted)]
		if k := e.kinds[name]; !k.ill || k.damaged {
			return name, true
		}
	}
	return "", set
}

// nextList makes c the call for a listing, if one is due.
func (e *Engine) nextList(c *Call) bool {
	l := &e.lists
	name, ok := e.dueList()
	if !ok || e.now.Before(l.retry) {
		return false
	}
	l.tries++
	l.last = name
	l.retry = e.now.Add(min(time.Second<<min(l.tries, 9), 5*time.Minute))
	*c = Call{Type: CallList, Kind: name, Timeout: e.cfg.CallTimeout}
	e.launch(c, flight{key: Key{Kind: name}})
	return true
}

func (e *Engine) listDone(err error) {
	if err != nil {
		e.cfg.Logger.Warn("listing failed", "err", err)
	}
	e.counts.Listings++
}
