package sim

import (
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// move is a step that is possible now. Its weight is its share of the draw.
type move struct {
	step
	weight int
}

func (s *sim) may(weight int, st step) {
	s.moves = append(s.moves, move{st, weight})
	s.weights += weight
}

// next draws the next step.
func (s *sim) next() step {
	s.moves, s.weights = s.moves[:0], 0
	s.may(1, step{op: opWait})
	s.may(s.o.busy, step{op: opUser})
	for i := range s.w.Sides {
		s.ofSide(int8(i))
	}
	s.ofStore()
	return s.draw()
}

// draw draws one of the possible moves, and its details.
func (s *sim) draw() step {
	n := s.rng.IntN(s.weights)
	i := 0
	for n >= s.moves[i].weight {
		n -= s.moves[i].weight
		i++
	}
	return s.detail(s.moves[i].step)
}

// detail draws the open details of a step.
func (s *sim) detail(st step) step {
	switch st.op {
	case opUser:
		return s.user()
	case opComplete:
		return s.fault(st)
	case opToken:
		if how := s.rng.IntN(8); s.o.has(losses) && how < 2 {
			st.fault = []world.Fault{world.Lost, world.Later}[how]
		}
	case opPass:
		times := []time.Duration{time.Second, 31 * time.Second, 6 * time.Minute}
		if s.o.has(clocks) {
			times = append(times, -time.Hour, 24*time.Hour, 400*24*time.Hour)
		}
		st.pass = times[s.rng.IntN(len(times))]
	case opControl:
		faults := []world.Fault{world.Lost, world.Later, world.Refuses, world.NotBegun}
		if !s.o.has(returns) {
			faults = faults[:3]
		}
		st.fault = faults[s.rng.IntN(len(faults))]
	case opOdd:
		st.kind, st.number = int8(s.rng.IntN(len(s.w.Kinds))), int16(s.rng.IntN(int(numOddities)))
	case opDuplicate:
		return s.duplicate()
	case opBatch:
		return s.batchDetail(st)
	case opBrake:
		return s.brakeMove(st)
	case opPause:
		return s.pauseMove(st)
	case opShare:
		st.share = s.shareMove(st.side)
	case opCrash:
		st.share = s.restarted(st.side)
	}
	return st
}

// sleeps reports whether an engine makes no move for now.
func (s *sim) sleeps(side int8) bool {
	if !s.o.has(naps) || int(side) != len(s.w.Sides)-1 {
		return false
	}
	if s.at >= s.asleep[1] {
		from := s.at + s.rng.IntN(200)
		s.asleep = [2]int{from, from + s.rng.IntN(400)}
	}
	return s.at >= s.asleep[0]
}

func (s *sim) ofSide(side int8) {
	if s.sleeps(side) {
		return
	}
	x := s.w.Sides[side]
	for k := range x.Streams {
		s.ofStream(side, int8(k), &x.Streams[k])
	}
	for i := range x.Calls {
		weight := 6
		if s.w.Uncommitted(int(side), i) {
			weight = s.rarely(weight, alone)
		}
		s.may(weight, step{op: opComplete, side: side, number: int16(i)})
		if s.o.has(lateAnswers) && s.w.Uncommitted(int(side), i) {
			s.may(2, step{op: opExecute, side: side, number: int16(i)})
		}
		if x.Calls[i].Type == engine.CallSelect || x.Calls[i].Type == engine.CallJudge {
			s.may(2, step{op: opRenew, side: side, number: int16(i)})
		}
		if s.o.has(returns) && !x.Calls[i].Committed {
			s.may(6, step{op: opReturn, side: side, number: int16(i)})
		}
	}
	s.ofLuck(side)
	if len(x.Sets) > 0 {
		s.may(6, step{op: opSet, side: side})
	}
	for i := range x.Asked {
		s.may(6, step{op: opToken, side: side, number: int16(i)})
	}
	if s.o.has(oneCall) && len(x.Calls) > 0 {
		return
	}
	s.ofBatches(side)
	if probe.Busy(x.Engine) {
		s.may(s.rarely(12, issueOfBatch), step{op: opIssue, side: side, lane: engine.LaneStore})
	}
	for _, lane := range lanes[1:] {
		if at, ok := probe.Wake(x.Engine, lane); ok && !at.After(s.w.Now.Add(1)) {
			s.may(4, step{op: opIssue, side: side, lane: lane})
		}
	}
	s.may(1, step{op: opIssue, side: side, lane: engine.LaneHandler})
}

// ofLuck adds the moves that are possible for an engine at any time.
func (s *sim) ofLuck(side int8) {
	if s.o.has(callers) {
		s.may(3, step{op: opWaitIdle, side: side})
	}
	if s.o.has(oddities) {
		s.may(1, step{op: opOdd, side: side})
	}
	if s.o.has(crashes) {
		s.may(1, step{op: opCrash, side: side})
	}
	if s.o.has(brakes) {
		s.may(2, step{op: opBrake, side: side})
	}
	if s.o.has(pauses) {
		s.may(1+len(s.paused[side]), step{op: opPause, side: side})
	}
	s.ofShares(side)
}

func (s *sim) ofStream(side, kind int8, st *world.Stream) {
	lazy := s.o.lazy[kind]
	n := len(st.Events)
	switch {
	case st.Down:
	case !st.Begun:
		s.may(lazy, step{op: opList, side: side, kind: kind})
	case n > 0:
		s.may(lazy, step{op: opDeliver, side: side, kind: kind})
		if n > 1 {
			s.may(lazy, step{op: opAll, side: side, kind: kind})
		}
		if s.o.has(doubles) {
			s.may(2, step{op: opTwice, side: side, kind: kind})
		}
		if s.o.has(overflows) && n > 6 { // a consumer that is too slow has to list anew
			s.may(12, step{op: opBreak, side: side, kind: kind})
		}
	}
	if !st.Begun {
		return
	}
	if s.o.has(breaks) {
		s.may(1, step{op: opBreak, side: side, kind: kind})
		s.may(1, step{op: opList, side: side, kind: kind})
	}
	if s.o.counting && !st.Down {
		s.may(1, step{op: opProgress, side: side, kind: kind})
	}
	if s.o.has(garbles) && !st.Down {
		s.may(1, step{op: opGarble, side: side, kind: kind})
	}
}

func (s *sim) ofStore() {
	for i := range s.w.Zombies {
		s.may(2, step{op: opLateWrite, number: int16(i)})
	}
	if s.o.has(delays) || s.o.has(clocks) {
		s.may(1, step{op: opPass})
	}
	if s.o.has(rewinds) {
		s.may(1, step{op: opBackup})
		s.may(1, step{op: opRestore})
	}
	if s.o.has(joins) && len(s.w.Kinds) < maxKinds && s.rng.IntN(8) == 0 {
		s.may(1, step{op: opJoin})
	}
	if s.o.has(control) {
		s.may(1, step{op: opControl})
	}
	if s.o.has(duplicateUIDs) {
		s.may(1, step{op: opDuplicate})
	}
	if !s.o.has(outages) {
		return
	}
	for k := range s.w.Kinds {
		if how := s.down[k]; how != opList {
			s.may(2, step{op: cured(how), kind: int8(k)})
		} else if s.rng.IntN(4) == 0 {
			s.may(1, step{op: opSick + 2*op(s.rng.IntN(3)), kind: int8(k)})
		}
	}
}

// fault draws the fault with which a call completes.
func (s *sim) fault(st step) step {
	how := s.rng.IntN(16)
	handler := s.w.Sides[st.side].Calls[st.number].Type == engine.CallHandle
	switch {
	case handler && s.isCancelled(st) && how < 10:
		st.fault = world.Fails
	case handler && s.o.has(handlerFaults) && how < 8:
		st.fault = world.Fails
	case handler:
	case s.o.has(losses) && how < 3:
		st.fault = []world.Fault{world.Lost, world.LostDone, world.Later}[how]
	case s.o.has(losses) && how == 3:
		st.op = opAbandon
	case s.o.has(refusals) && how < 6:
		st.fault = []world.Fault{world.Refuses, world.Fails}[how%2]
	case s.o.has(conflicts) && how >= 12:
		st.fault = world.Conflicts
	}
	if s.o.has(undoings) && !handler && st.fault == world.NoFault && st.op == opComplete && s.rng.IntN(2) == 0 {
		st.fault = world.Undone
	}
	return st
}

// duplicate draws an object with the UID of another one.
func (s *sim) duplicate() step {
	objects := s.w.Store.Objects()
	if len(objects) == 0 {
		return step{op: opWait}
	}
	o := graph.Object{Key: s.pool[s.rng.IntN(len(s.pool))]}
	o.UID = objects[s.rng.IntN(len(objects))].UID
	return s.acts(opDuplicate, o)
}
