package inflight

import (
	"fmt"
	"maps"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

const (
	// maxUndone is the number of times that a write is undone before only the outside can
	// help. Two times may be two users who want the same.
	maxUndone = 3
	// maxTries bounds the count of tries. The backoff has reached its maximum by then.
	maxTries = 64
	// longAttempt is the attempt of the queue's backoff that takes about a second.
	longAttempt = 9
)

// Undone has the last write to each object that has not come to rest since. An object
// comes to rest with a decision to write nothing. Make one with NewUndone. It is not safe
// for concurrent use.
//
// Its invariants, which Check verifies:
//
//  1. a write is kept only for a node in use
//  2. no write is kept for an object that is kept for its owners, or for want of any
//
//test:by internal/proof/properties.TestUndoneWrites
type Undone struct {
	writes map[graph.NodeID]write
	count  uint64
	lines  undoneLines
}

// write is the last write to one object.
type write struct {
	digest uint32    // see Digest
	tries  uint32    // decisions in a row that ask for the same write again
	judged bool      // the last success counts among the tries
	after  time.Time // the same write may go out again then
}

// NewUndone returns an Undone without writes.
func NewUndone() Undone { return Undone{writes: map[graph.NodeID]write{}} }

// Wrote notes a write with this digest that succeeded, and whose object is decided again.
func (u *Undone) Wrote(id graph.NodeID, digest uint32) {
	w := u.writes[id]
	if w.digest != digest {
		w = write{digest: digest}
	}
	w.judged = false
	u.writes[id] = w
}

// Judge returns WriteUndone for the write of a decision that is the last write again, until
// the backoff is over. Otherwise it returns ReasonUnset. It changes nothing: see Commit.
func (u *Undone) Judge(x *Call, now time.Time) policy.Reason {
	w, ok := u.writes[x.Node]
	if ok && w.digest == x.Wrote && (!w.judged || now.Before(w.after)) {
		return policy.WriteUndone
	}
	return policy.ReasonUnset
}

// Commit counts the write of a decision that is the last write again, once for each success. The
// queue has the backoff, which begins now.
func (u *Undone) Commit(x *Call, d *policy.Decision, now time.Time, q *queue.Queue[graph.NodeID], out *effect.List) {
	id := x.Node
	w, ok := u.writes[id]
	if !ok || w.digest != x.Wrote || w.judged {
		return
	}
	w.judged = true
	w.tries = min(w.tries+1, maxTries)
	w.after = now.Add(q.Backoff(id, attempt(w.tries)))
	u.writes[id] = w
	u.count++
	if w.tries == maxUndone {
		u.lines.warn(x.Key, d, now, out)
	}
}

// Tries returns the number of times that the last write to an object was undone in a row.
func (u *Undone) Tries(id graph.NodeID) int { return int(u.writes[id].tries) }

// attempt returns the attempt of the queue's backoff for a try. The first tries are short:
// a user may restore a reference once, or the watch may bring an older version. From then
// on the outside has to change something.
func attempt(tries uint32) int {
	if tries < maxUndone {
		return 1
	}
	return longAttempt + int(tries-maxUndone)
}

// Has reports whether a write to an object is kept.
func (u *Undone) Has(id graph.NodeID) bool {
	if len(u.writes) == 0 {
		return false
	}
	_, ok := u.writes[id]
	return ok
}

// Until returns the end of the backoff of the last write to an object.
func (u *Undone) Until(id graph.NodeID) time.Time { return u.writes[id].after }

// IsFinal reports whether the last write to an object was undone so often that only the
// outside can help.
func (u *Undone) IsFinal(id graph.NodeID) bool { return u.writes[id].tries >= maxUndone }

// Rest forgets the last write to an object for which a decision writes nothing. After a
// decision that waits for evidence, the same write may follow.
func (u *Undone) Rest(id graph.NodeID, d policy.Decision) {
	if len(u.writes) == 0 || d.Action == policy.Verify {
		return
	}
	switch d.Reason {
	case policy.NeedFence, policy.FenceHeld, policy.NeedListing, policy.NeedWatch, policy.NeedSweep, policy.NeedSelect,
		policy.OwnersGone, policy.OwnersWaiting, policy.CascadeOwnerGone, policy.CascadeOwnerWaits, policy.HolderDeleted, policy.BrakeWindow, policy.Braked, policy.BrakeListing:
		return
	case policy.NeedDependents: // a cycle whose block is back has to be found again
		if u.writes[id].digest&unblocks != 0 {
			return
		}
	}
	delete(u.writes, id)
}

// Drop forgets the last write to an object.
func (u *Undone) Drop(id graph.NodeID) { delete(u.writes, id) }

// Rewind forgets all writes: they belong to a former history.
func (u *Undone) Rewind() { clear(u.writes) }

// Count returns the number of undone writes so far.
func (u *Undone) Count() uint64 { return u.count }

// Check verifies the invariants of Undone.
func (u *Undone) Check(v record.Nodes) error {
	for id := range u.writes {
		if !v.InUse(id) {
			return fmt.Errorf("undone: the last write of node %d, which is not in the graph", id)
		}
		if r := v.State(id).Reason; r == policy.NoOwners || r == policy.OwnerSolid {
			return fmt.Errorf("undone: node %d is kept (%v), and its last write is noted", id, r)
		}
	}
	return nil
}

// Clone returns an Undone that shares nothing with u.
func (u *Undone) Clone() Undone {
	c := *u
	c.writes = maps.Clone(u.writes)
	if len(u.writes) == 0 { // an empty map keeps the memory of its former entries
		c.writes = map[graph.NodeID]write{}
	}
	return c
}

// HashNode writes the last write to an object to the printer.
func (u *Undone) HashNode(p *fingerprint.Printer, id graph.NodeID) {
	if w, ok := u.writes[id]; ok {
		p.Word(uint64(w.digest)<<32 | uint64(w.tries)<<1 | fingerprint.Bit(w.judged))
		p.Until(w.after)
	}
}

// undoneLines bounds the lines of the log about undone writes.
type undoneLines struct {
	since   time.Time // of the minute
	written int
	skipped int // since the last written line
}

// maxLines bounds the lines of a minute.
const maxLines = 16

// warn logs an object whose write is undone for good, within the bound of the minute.
func (l *undoneLines) warn(k graph.Key, d *policy.Decision, now time.Time, out *effect.List) {
	if now.Sub(l.since) >= time.Minute {
		l.since, l.written = now, 0
	}
	if l.written == maxLines {
		l.skipped++
		return
	}
	l.written++
	out.Warn("write undone: the object asks for it again", "key", k.String(),
		"reason", policy.WriteUndone.Code(), "write", d.Action.String(), "cause", d.Reason.Code(), "others", l.skipped)
	l.skipped = 0
}
