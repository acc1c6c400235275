package sim

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// recheck is the number of steps between two full checks. In between, the checks are
// kept up step by step.
const recheck = 32

// do makes one step and judges its effects.
func (s *sim) do(st step) error {
	s.at++
	s.calmed = s.calmed && st.op == opPlan
	if s.defect != nil && st.op != opConverge {
		s.defect(s, st)
	}
	if s.record != nil {
		s.record.step(s, st)
	}
	if err := s.move(st); err != nil {
		s.fail(fmt.Errorf("%s: %w", st.text(s.w), err))
	}
	if s.broken == nil && s.at%s.every == 0 {
		s.broken = s.check()
	}
	s.endWaits()
	return s.broken
}

// check checks each engine and the ledger anew.
func (s *sim) check() error {
	for i, side := range s.w.Sides {
		if err := probe.Check(side.Engine); err != nil {
			return fmt.Errorf("S18: engine %d: %w", i, err)
		}
	}
	if err := s.checkExplained(); err != nil {
		return err
	}
	return s.w.Ledger.Check()
}

func (s *sim) move(st step) error {
	if !s.hasKinds(st) {
		return nil
	}
	switch st.op {
	case opList, opDeliver, opAll, opTwice, opBreak, opGarble:
		return s.moveWatch(st)
	case opProgress:
		s.w.Progress(int(st.side), int(st.kind))
	case opIssue, opControl, opSet, opToken:
		return s.issueCall(st)
	case opBatch:
		return s.makeBatch(st)
	case opComplete, opAbandon, opExecute, opRenew, opReturn:
		return s.complete(st)
	case opLateWrite:
		if int(st.number) < len(s.w.Zombies) {
			return s.w.CompleteZombie(int(st.number))
		}
	case opCrash:
		s.witnesses[st.side].Reset()
		s.crashed(st)
		s.decidedBefore[st.side], s.unlisted[st.side], s.callers[st.side], s.paused[st.side] = 0, [8]bool{}, nil, nil
		s.beginLife(int(st.side))
		return s.w.Crash(int(st.side))
	case opWait:
		s.w.Advance()
		s.noteCauses()
	case opPass:
		if s.w.Now.After(s.latest) {
			s.latest = s.w.Now
		}
		s.w.Now = s.w.Now.Add(st.pass)
		s.noteCauses()
	case opBackup:
		s.backup = s.w.Store
	case opRestore:
		return s.restore()
	case opUser:
		s.w.Do(*st.action)
	case opUndelete:
		return s.bringBack(st)
	case opPurge:
		return s.w.PurgeEntries(int(st.number))
	case opAck:
		s.w.Acknowledge(st.action.Object.Key)
	case opGuard:
		s.guard(st)
	case opDuplicate:
		if k := st.action.Object.Key; !s.everStored[k] { // no UID returns
			s.w.Plant(graph.Object{Key: k})
		}
	case opOdd:
		return s.odd(st)
	case opWaitIdle:
		s.beginWait(int(st.side))
	case opJoin:
		return s.join()
	case opBrake:
		return s.brake(st)
	case opPause:
		return s.pause(st)
	case opResume:
		return s.resume(st)
	case opShare:
		return s.share(st)
	case opCover:
		s.stay = true
		return s.coverAll()
	case opConverge:
		s.defect = nil
		return s.converge()
	case opPlan:
		return s.fulfil(st)
	case opLabel:
		s.w.Label(st.action.Object.Key, st.labels.set())
	default:
		return s.health(st)
	}
	return nil
}

// moveWatch moves the watch of one kind.
func (s *sim) moveWatch(st step) error {
	side, kind := int(st.side), int(st.kind)
	stream := &s.w.Sides[side].Streams[kind]
	switch {
	case st.op == opBreak:
		for _, ev := range stream.Events {
			if ev.Type == graph.FencePassed {
				stream.Fences = append(stream.Fences, ev.Fence)
			}
		}
		stream.Begun, stream.Events = false, nil
		return nil
	case stream.Down:
		return nil
	case st.op == opList:
		s.w.List(side, kind)
		return nil
	case st.op == opGarble:
		s.w.Garble(side, kind)
		return nil
	}
	if st.op == opTwice && len(stream.Events) > 0 {
		if ev := stream.Events[0]; ev.Type == graph.Gone || ev.Type == graph.Put && ev.Object.Version != "" {
			ev.Object = ev.Object.Clone()
			s.witnesses[side].Observed(s.seen(side, ev))
			s.noteCause(side)
			if err := s.w.Sides[side].Engine.Observe(s.w.Now, ev); err != nil {
				return err
			}
		}
	}
	for n := len(stream.Events); n > 0; n-- {
		if err := s.deliver(side, kind); err != nil || st.op != opAll {
			return err
		}
	}
	return nil
}

// deliver gives an event to an engine. The engine has to refuse an event that no watch
// may send.
func (s *sim) deliver(side, kind int) error {
	ev := s.w.Sides[side].Streams[kind].Events[0]
	garbled := ev.Type == graph.Put && ev.Object.Version == ""
	err := s.w.Deliver(side, kind)
	switch {
	case garbled && errors.Is(err, graph.ErrInvalid):
		s.witnesses[side].Refused(ev)
		return nil
	case garbled && err == nil:
		return errors.New("S18: an event without a version is taken")
	case err == nil && ev.Type == graph.ListEnded:
		return s.relisted(side, kind)
	}
	return err
}

// issueCall lets an engine decide, and takes a call of a lane from it.
func (s *sim) issueCall(st step) error {
	side := int(st.side)
	switch {
	case st.op == opControl:
		s.w.Control = st.fault
		return nil
	case st.op == opSet:
		if len(s.w.Sides[side].Sets) > 0 {
			return s.w.PassSet(side)
		}
		return nil
	}
	if st.op == opToken {
		if int(st.number) < len(s.w.Sides[side].Asked) {
			return s.w.Name(side, int(st.number), st.fault)
		}
		return nil
	}
	_, _, err := s.w.Issue(side, st.lane)
	if err != nil {
		return err
	}
	return errors.Join(s.idles(side), s.judgeLeft(side))
}

// idles returns an error if an engine decides again and again without a new event or
// result.
func (s *sim) idles(side int) error {
	stats := s.w.Sides[side].Engine.Stats()
	most := uint64(4*stats.Objects + 8)
	if s.parts != nil { // a change of the share begins two walks besides
		most += uint64(2 * stats.Objects)
	}
	if n := stats.Decisions - s.decidedBefore[side]; n > most {
		return fmt.Errorf("L2: engine %d made %d decisions about %d objects since it last learnt something", side, n, stats.Objects)
	}
	return nil
}

// complete completes a call, or drops its result.
func (s *sim) complete(st step) error {
	side, i := int(st.side), int(st.number)
	calls := s.w.Sides[side].Calls
	if i >= len(calls) {
		return nil
	}
	if st.op == opExecute {
		s.w.Commit(side, i)
		return nil
	}
	if st.op == opRenew {
		if calls[i].Type == engine.CallSelect || calls[i].Type == engine.CallJudge {
			s.w.Renew(side, i)
		}
		return nil
	}
	if st.op == opReturn {
		if calls[i].Committed {
			return nil
		}
		st.fault = world.NotBegun
	}
	if st.op == opAbandon {
		if s.w.Uncommitted(side, i) {
			s.w.Zombies = append(s.w.Zombies, calls[i].Call)
		}
		st.fault = world.Lost
	}
	_, err := s.w.CompleteAs(side, i, st.fault)
	return err
}

// restore restores the backup. Writes in flight are lost.
func (s *sim) restore() error {
	s.w.LoseWrites()
	err := s.w.Restore(s.backup, true)
	s.recount()
	if s.sweeps != nil {
		s.sweeps.Labels = s.w.Store.Labels()
		s.sweeps.Begin(s.countAll(s.w.Store.Objects()))
	}
	s.beginShields()
	return err
}

// health makes a kind sick or well.
func (s *sim) health(st step) error {
	kind := int(st.kind)
	was, name := s.down[kind], s.w.Kinds[kind].Kind
	switch {
	case was == opList && (st.op == opSick || st.op == opVanish || st.op == opDown):
		s.down[kind] = st.op
	case was == opSick && st.op == opRecover, was == opVanish && st.op == opServe, was == opDown && st.op == opUp:
		s.down[kind] = opList
	default:
		return nil
	}
	switch st.op {
	case opSick:
		return s.w.Sicken(kind, "sick")
	case opRecover:
		return s.w.Recover(kind)
	case opVanish:
		return s.vanish(kind)
	case opServe:
		s.served[kind] = s.at
		return s.w.Serve(s.w.Kinds[kind])
	}
	s.w.Down(name, st.op == opDown)
	return nil
}

// vanish takes a kind out of service. From then on the engines' knowledge of its
// objects is unknown, and it stays.
func (s *sim) vanish(kind int) error {
	before := make([]int, len(s.w.Sides))
	for i, side := range s.w.Sides {
		before[i] = side.Engine.Stats().Objects
	}
	err := s.w.Vanish(kind)
	for i, side := range s.w.Sides {
		if after := side.Engine.Stats().Objects; after != before[i] {
			return fmt.Errorf("S12: engine %d forgets %d objects of a kind that vanishes", i, before[i]-after)
		}
	}
	return err
}

// cured returns the step that ends an outage.
func cured(how op) op {
	return [...]op{opSick: opRecover, opVanish: opServe, opDown: opUp}[how]
}

// stores reports whether the store has the key.
func (s *sim) stores(k graph.Key) bool {
	return slices.ContainsFunc(s.w.Store.Objects(), func(o graph.Object) bool { return o.Key == k })
}
