package world

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// MaxBatch is the largest number of writes in one batch.
const MaxBatch = 8

// BatchEnd is the outcome of a batch of writes.
type BatchEnd uint8

const (
	// BatchDone: each write is carried out and answered.
	BatchDone BatchEnd = iota
	// BatchOpen: each write is carried out, and its answer comes later.
	BatchOpen
	// BatchLost: the writes before one of them are done, and the others never. No answer
	// comes, so each outcome is unknown.
	BatchLost
	// BatchLate is BatchLost, but the others may still be done.
	BatchLate
	// BatchAborted: no write is done. The store asks for a retry of each after a second.
	BatchAborted
	// BatchConflict: another writer was faster at one write, and the others are done.
	BatchConflict
	// BatchRefused: the store refuses one write, and the others are done. The engine's
	// caller tries the refused write alone, so it stays under way.
	BatchRefused
	// BatchUndone: the store undoes one write in the same step, and the others are done.
	BatchUndone
	// BatchEnds is the number of outcomes.
	BatchEnds
)

var batchNames = [...]string{"done", "open", "lost", "late", "aborted", "conflict", "refused", "undone"}

// String returns the outcome in lower case.
func (e BatchEnd) String() string {
	if int(e) < len(batchNames) {
		return batchNames[e]
	}
	return fmt.Sprintf("batch(%d)", uint8(e))
}

// Batch carries out writes under way of a side as one batch of the store. These are the
// writes that the store has not committed, at most one for each place and MaxBatch
// together, sorted by key. The outcome singles out the write with the number item, or none
// if there are fewer. All writes are done before the engine gets the first answer.
func (w *World) Batch(side, item int, end BatchEnd) error {
	batch := w.batch(side)
	for n, i := range batch {
		w.batchWrite(&w.Sides[side].Calls[i], end, n-item)
	}
	for n, id := range w.callIDs(side, batch) {
		i := slices.IndexFunc(w.Sides[side].Calls, func(f InFlight) bool { return f.ID == id })
		fault, answered := end.answer(n == item)
		if !answered {
			continue
		}
		if _, err := w.CompleteAs(side, i, fault); err != nil {
			return err
		}
	}
	return nil
}

// Batchable returns the number of writes that Batch would carry out.
func (w *World) Batchable(side int) int { return len(w.batch(side)) }

// batch returns the indices of the calls of the next batch of a side.
func (w *World) batch(side int) (batch []int) {
	calls := w.Sides[side].Calls
	taken := map[graph.Key]bool{}
	for i := range calls {
		if place := calls[i].Key.Place(); len(batch) < MaxBatch && w.Uncommitted(side, i) && !taken[place] {
			taken[place] = true
			batch = append(batch, i)
		}
	}
	slices.SortFunc(batch, func(i, j int) int { return calls[i].Key.Compare(calls[j].Key) })
	return batch
}

// callIDs returns the ids of calls under way, whose indices change with each answer.
func (w *World) callIDs(side int, indices []int) (ids []engine.CallID) {
	for _, i := range indices {
		ids = append(ids, w.Sides[side].Calls[i].ID)
	}
	return ids
}

// batchWrite carries out one write of a batch, or does not. At is the number of the write,
// counted from the one that the outcome singles out.
func (w *World) batchWrite(f *InFlight, end BatchEnd, at int) {
	switch {
	case end == BatchAborted, (end == BatchLost || end == BatchLate) && at >= 0:
		if end == BatchLate {
			w.Zombies = append(w.Zombies, f.Call)
		}
	case end == BatchUndone && at == 0:
		f.Answer.Err, f.Committed = w.undo(f.Call), true
	case (end == BatchConflict || end == BatchRefused) && at == 0:
	default:
		f.Answer.Err, f.Committed = w.write(f.Call), true
	}
}

// answer returns the fault with which a write of a batch completes, and whether it
// completes at once. Single is set for the write that the outcome singles out.
func (e BatchEnd) answer(single bool) (f Fault, answered bool) {
	switch {
	case e == BatchOpen, e == BatchRefused && single:
		return NoFault, false
	case e == BatchLost || e == BatchLate:
		return Lost, true
	case e == BatchAborted:
		return Later, true
	case e == BatchConflict && single:
		return Conflicts, true
	}
	return NoFault, true
}
