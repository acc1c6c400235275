package ownergraph

import (
	"maps"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/queue"
)

// maxEpochs bounds how many epochs an engine remembers. A store announces the newest
// one alone, so that one would do for a store that keeps its contract.
const maxEpochs = 16

// epochs are the identities of the rewinds that the store has announced and the
// engine has taken: each of them once (R5).
type epochs struct {
	taken []string // the oldest first, at most maxEpochs
}

// take notes an epoch, and reports whether it is new. Without one a rewind counts as
// new each time.
func (t *epochs) take(epoch string) bool {
	if epoch == "" {
		return true
	}
	if slices.Contains(t.taken, epoch) {
		return false
	}
	if len(t.taken) == maxEpochs {
		t.taken = slices.Delete(t.taken, 0, 1)
	}
	t.taken = append(t.taken, strings.Clone(epoch))
	return true
}

// announced takes a rewind that the store announces, and reports whether there is
// anything to take back: not of an epoch that was taken before, nor where nothing of
// what the store holds was observed (R5). A fence under way was noted in the former
// history. Held by TestRewoundOnce and TestRewoundFirst.
func (e *Engine) announced(ev *Event) bool {
	if !e.epochs.take(ev.Epoch) {
		return false
	}
	if !e.learnt {
		e.voidFence()
	}
	return e.learnt
}

// learns reports whether an event says anything of what the store holds.
func learns(t graph.EventType) bool {
	switch t {
	case graph.KindsKnown, graph.KindSick, graph.KindRecovered, graph.KindVanished, graph.Rewound:
		return false
	}
	return true
}

// rewind takes back every absence: the store's history went backwards. Nothing
// is written before every kind is listed anew (R5).
func (e *Engine) rewind(why string) {
	e.revoke() // now: what follows walks the whole graph
	e.cfg.Logger.Warn("history went backwards", "reason", why)
	e.counts.Rewinds++
	if _, err := e.graph.Apply(Event{Type: graph.Rewound}); err != nil {
		e.fail("rewind: %v", err)
	}
	e.rewound, e.healing = e.seq.Stamp(), true
	e.absent.Clear()
	e.orphaned.Clear()
	e.unfence()
	e.forgetDoubts()
	e.voidFence()
	e.fence.since = e.now
	for name, k := range e.kinds {
		e.ebb(name)
		e.tide(name).most = ""
		k.passed = 0
		k.listed, k.sweeping, k.pending = false, false, 0
		e.setKind(name, k)
	}
	e.wantLists()
}

// forgetDoubts takes back what objects wait for because of the former history,
// and has them decided again.
func (e *Engine) forgetDoubts() {
	for _, id := range e.awaits.all() {
		e.awaits.drop(id)
		e.edit(id).Reread = false
		e.work.Add(id, queue.Normal)
	}
	for _, id := range slices.Sorted(maps.Keys(e.parked)) {
		e.work.Add(id, queue.Normal)
	}
	clear(e.parked)
	clear(e.retries)
	clear(e.written)
	for id := range e.sights {
		e.nodes.ClearResult(e.graph, id)
	}
	clear(e.sights)
	e.handlers.rewind()
	e.clear.rewind()
	e.breakRings()
}

// heal ends a rewind once every kind has been listed since.
func (e *Engine) heal() {
	if !e.healing {
		return
	}
	for name, k := range e.kinds {
		if k.part && e.outlived(name) {
			return
		}
	}
	e.healing = false
	e.auditSoon()
}
