package ownergraph

import (
	"time"

	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/policy"
)

// A write that succeeded may be undone at once, by the store or by another writer:
// a policy restores the owner reference that the engine has dropped. Then the next
// version asks for the same write, which would be made again without end. It counts
// as a conflict: the engine backs off, and holds the object. Held by TestUndoneWrites
// (internal/properties).

// written is the last write to an object that has not come to rest since: no
// decision has wanted no write. There is none of an object at rest.
type written struct {
	digest uint32    // of the write: see digestOf
	tries  uint32    // how often in a row the object has asked for it again
	judged bool      // the last success counts among the tries
	after  time.Time // until then it is not made again
}

// wrote notes a write that succeeded and whose object is decided again.
func (e *Engine) wrote(id observed.NodeID, digest uint32) {
	w := e.written[id]
	if w.digest != digest {
		w = written{digest: digest}
	}
	w.judged = false
	e.written[id] = w
}

// undone returns WriteUndone for a decision to write what was written last, until
// the backoff for that is over.
func (e *Engine) undone(id observed.NodeID, o *Object, d *policy.Decision) policy.Reason {
	w, ok := e.written[id]
	if !ok || w.digest != digestOf(o, d) {
		return policy.ReasonUnset
	}
	if !w.judged {
		w.judged = true
		w.tries = min(w.tries+1, mostTries)
		w.after = e.now.Add(e.work.Backoff(id, undoneAttempt(w.tries)))
		e.written[id] = w
		e.counts.UndoneWrites++
		if w.tries == undoneForGood {
			e.logUndone(o.Key, d)
		}
	}
	if e.now.Before(w.after) {
		return policy.WriteUndone
	}
	return policy.ReasonUnset
}

const (
	// undoneForGood is how often a write is undone before only the outside can help. Two
	// times may be two users who want the same.
	undoneForGood = 3
	// mostTries bounds the count of tries: the backoff has reached its maximum.
	mostTries = 64
	// undoneFirst is the attempt of the queue's backoff that takes about a second.
	undoneFirst = 9
)

// undoneAttempt returns which attempt of the queue's backoff a try stands for. The
// first is short, since a user may restore a reference once, or the watch may show
// an older version. From then on the outside has to change something.
func undoneAttempt(tries uint32) int {
	if tries < undoneForGood {
		return 1
	}
	return undoneFirst + int(tries-undoneForGood)
}

// awaitUndone puts a key off until the backoff is over, whatever versions come.
func (e *Engine) awaitUndone(id observed.NodeID, v Version) {
	w := e.written[id]
	then := thenHeld
	if w.tries < undoneForGood {
		then = thenDecide
	}
	e.await(id, await{version: v, deadline: w.after, then: then})
}

// comesToRest forgets the last write to an object for which nothing is to be
// written. A decision that waits for evidence may be followed by the same write.
func (e *Engine) comesToRest(id observed.NodeID, d policy.Decision) {
	if len(e.written) == 0 || d.Action == policy.Verify {
		return
	}
	switch d.Reason {
	case policy.NeedFence, policy.FenceHeld, policy.NeedListing, policy.NeedWatch, policy.NeedSweep, policy.NeedSelect:
		return
	case policy.NeedDependents: // a ring whose block is back has to be found again
		if e.written[id].digest&unblocks != 0 {
			return
		}
	}
	delete(e.written, id)
}

// undoneLog bounds how many lines are written of writes that are undone.
type undoneLog struct {
	since   time.Time
	lines   int
	skipped int // lines that were not written since the last one
}

// mostUndoneLines is how many such lines a minute has at most.
const mostUndoneLines = 16

// logUndone logs, once for each object that is held so, as many as a minute takes.
func (e *Engine) logUndone(k Key, d *policy.Decision) {
	l := &e.undoneLog
	if e.now.Sub(l.since) >= time.Minute {
		l.since, l.lines = e.now, 0
	}
	if l.lines == mostUndoneLines {
		l.skipped++
		return
	}
	l.lines++
	e.cfg.Logger.Warn("write undone: the object asks for it again", "object", k.String(),
		"write", d.Action.String(), "cause", d.Reason.String(), "others", l.skipped)
	l.skipped = 0
}

// unblocks is the bit by which the digest of a write that unblocks is told.
const unblocks = 1

// digestOf stands for what a decision writes to an object: the same verb to the same
// effect. It is never 0. References count by their coordinates, in any order. Two
// writes with one digest cost no more than a delay.
func digestOf(o *Object, d *policy.Decision) uint32 {
	sum, bit := uint32(0), uint32(0)
	switch d.Action {
	case policy.Trim, policy.Orphan, policy.Unblock:
		verb := policy.Trim
		if d.Action == policy.Unblock {
			verb, bit = policy.Unblock, unblocks
		}
		for _, i := range d.Owners {
			k := &o.Owners[i].Key
			sum += digest(verb, string(k.Kind), k.Scope, k.Name, string(k.UID))
		}
	case policy.Release, policy.Attach:
		sum = digest(d.Action, d.Finalizer)
	default:
		sum = digest(d.Action)
	}
	return max(sum&^unblocks|bit, 2)
}

// digest is FNV-1a over the verb and the words.
func digest(verb policy.Action, words ...string) uint32 {
	const prime = 16777619
	h := (uint32(2166136261) ^ uint32(verb)) * prime
	for _, w := range words {
		for i := range len(w) {
			h = (h ^ uint32(w[i])) * prime
		}
		h = (h ^ 0xff) * prime // no text holds it
	}
	return h
}
