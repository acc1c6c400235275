package ownergraph

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/queue"
)

// announced takes a rewind that the store announces, and reports whether there is anything
// to take back. There is not for an epoch that was taken before, nor before an event has
// described the content of the store (R5). A fence under way belongs to the former history.
// Held by TestRewoundOnce and TestRewoundFirst.
func (e *Engine) announced(ev *Event) bool {
	if !e.kinds.TakeEpoch(ev.Epoch) {
		return false
	}
	if !e.kinds.Observed() {
		e.fence.Void(&e.kinds)
	}
	return e.kinds.Observed()
}

// rewind takes back every absence: the store's history went backwards. No write goes out
// before every kind is listed anew (R5).
func (e *Engine) rewind(why string) {
	e.revision.Raise() // first, since the rest walks the whole graph
	e.effects.Warn("history went backwards", "reason", why)
	e.counts.Rewinds++
	if _, err := e.apply(&Event{Type: graph.Rewound}); err != nil {
		e.fail("rewind: %v", err)
	}
	at := e.seq.Stamp()
	e.absent.Clear()
	e.orphaned.Clear()
	e.takeBackFences()
	e.forgetDoubts()
	e.fence.Rewind(e.now, &e.kinds)
	e.kinds.Rewind(at)
}

// forgetDoubts takes back the waits of objects that belong to the former history, and has
// these objects decided again.
func (e *Engine) forgetDoubts() {
	expecting, awaiting := e.expected.Rewind()
	for _, id := range expecting {
		e.edit(id).Reread = false
		e.work.Add(id, queue.Normal)
	}
	for _, id := range awaiting {
		e.work.Add(id, queue.Normal)
	}
	e.calls.DropRetries()
	e.undone.Rewind()
	e.reads.Rewind(e.view())
	e.handlers.Rewind()
	e.sweeps.Rewind()
	e.cycles.Reset(e.view(), e.now)
}

// endRewind ends a rewind once every kind has been listed since.
func (e *Engine) endRewind() {
	if e.kinds.EndRewind() {
		e.auditSoon()
	}
}
