package sim

import (
	"errors"
	"math/rand/v2"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// drawBatches gives most worlds with batches more objects, and owners of many of them. So
// several writes are ready at a time.
func (o *options) drawBatches() {
	r := rand.New(rand.NewPCG(o.seed, 0xba7d))
	if r.IntN(4) == 0 {
		return
	}
	o.objects = 6 + r.IntN(8)
	o.most = o.objects + 1 + r.IntN(3)
	o.shape = [...]shape{star, layers, layers, o.shape}[r.IntN(4)]
}

// The weights of moves in a world with batches. An engine is asked less often there, and
// writes wait longer for their execution. So more writes are in one batch.
const (
	batchWeight  = 3
	alone        = 1 // completes one write alone
	issueOfBatch = 1 // takes one call
)

// ofBatches adds a batch of writes to the possible moves.
func (s *sim) ofBatches(side int8) {
	if s.o.has(batches) && (probe.Busy(s.w.Sides[side].Engine) || s.w.Batchable(int(side)) > 1) {
		s.may(batchWeight, step{op: opBatch, side: side})
	}
}

// rarely returns the weight of a move, or the other one in a world with batches.
func (s *sim) rarely(weight, other int) int {
	if s.o.has(batches) {
		return other
	}
	return weight
}

// batchDetail draws the number of calls to take for a batch, and the outcome. Only faults
// of the world occur.
func (s *sim) batchDetail(st step) step {
	most := []int{2, world.MaxBatch, 2 * world.MaxBatch, 2 * world.MaxBatch}
	st.number, st.item = int16(most[s.rng.IntN(len(most))]), int8(s.rng.IntN(world.MaxBatch)/(1+s.rng.IntN(4)))
	needs := [world.BatchEnds]fault{
		world.BatchOpen: lateAnswers, world.BatchLost: losses, world.BatchLate: losses, world.BatchAborted: losses,
		world.BatchConflict: conflicts, world.BatchRefused: refusals, world.BatchUndone: undoings,
	}
	var ends []world.BatchEnd
	for end := world.BatchDone + 1; end < world.BatchEnds; end++ {
		if s.o.has(needs[end]) {
			ends = append(ends, end)
		}
	}
	if len(ends) > 0 && s.rng.IntN(2) == 0 {
		st.end = ends[s.rng.IntN(len(ends))]
	}
	return st
}

// makeBatch takes calls of the store's lane from an engine, as many as the step says. Then
// it carries out the writes among the calls under way as one batch. The reads stay under
// way.
func (s *sim) makeBatch(st step) error {
	side := int(st.side)
	for range st.number {
		_, ok, err := s.w.Issue(side, engine.LaneStore)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
	}
	if err := errors.Join(s.idles(side), s.judgeLeft(side)); err != nil {
		return err
	}
	if s.w.Batchable(side) > 1 {
		s.batched[st.end]++
	}
	return s.w.Batch(side, int(st.item), st.end)
}

// roundOfBatches makes a batch for each engine of a world with batches, without a fault. It
// reports whether an engine had a write for it.
func (s *sim) roundOfBatches() (moved bool, err error) {
	if !s.o.has(batches) {
		return false, nil
	}
	for side := range s.w.Sides {
		before := s.w.Requests
		if err := s.makeBatch(step{op: opBatch, side: int8(side), number: world.MaxBatch}); err != nil {
			return true, err
		}
		moved = moved || s.w.Requests != before
	}
	return moved, nil
}
