package exhaustive

import (
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/oracle"
)

// op says what happens.
type op uint8

const (
	opUnset op = iota
	opSee      // the engine is told the next event of a kind
	opSet      // it is told that the set of kinds has passed a fence
	opPump     // it goes on, and its calls are taken
	opRenew    // a read or a listing shows what the store holds now
	opCarry    // a write is carried out, and not answered yet
	opLand     // a call under way ends
	opLate     // a write of a crashed engine lands
	opWait     // time passes, up to what the engine waits for
	opUser     // a user acts
	opHurry    // time passes before something else that could happen
	opCrash    // the engine crashes, and another begins from nothing
	opList     // a listing of a kind begins anew
)

// move is one thing that can happen, to the at-th kind, call or write.
type move struct {
	op     op
	at     int
	action oracle.Action
}

// engineMoves returns what needs neither a user nor a fault.
func (x *state) engineMoves(scope Scope) []move {
	var out []move
	side := x.side()
	for k := range side.Streams {
		if x.untold>>k&1 != 0 && x.w.Overtaken(0, k) {
			out = append(out, move{op: opRenew, at: -1 - k})
		}
		if len(side.Streams[k].Events) > 0 {
			out = append(out, move{op: opSee, at: k})
		}
	}
	if len(side.Sets) > 0 && x.fenced(side.Sets[0]) {
		out = append(out, move{op: opSet})
	}
	for i := range side.Calls {
		if x.w.Outdated(0, i) {
			out = append(out, move{op: opRenew, at: i})
		}
		op := opLand
		if scope.Late && x.w.Uncarried(0, i) {
			op = opCarry
		}
		out = append(out, move{op: op, at: i})
	}
	if scope.Late && !x.idle() {
		out = append(out, move{op: opPump})
	}
	for i := range x.w.Zombies {
		out = append(out, move{op: opLate, at: i})
	}
	return out
}

// otherMoves returns what users and faults may do.
func (x *state) otherMoves(s *search) []move {
	var out []move
	if len(x.actions) < s.scope.Actions {
		for _, a := range alphabet(&x.w.Store, s.start) {
			out = append(out, move{op: opUser, action: a})
		}
	}
	if due, ok := x.w.Due(); ok && x.waits > 0 && due.Sub(x.w.Now) < never/2 {
		out = append(out, move{op: opHurry})
	}
	if x.crashes > 0 {
		out = append(out, move{op: opCrash})
	}
	for k := range x.w.Kinds {
		if x.listings > 0 {
			out = append(out, move{op: opList, at: k})
		}
	}
	return out
}

// do makes a move, and reports whether it has changed anything. An error says
// what is broken.
func (x *state) do(m move, scope Scope) (ok bool, err error) {
	honest := func() (bool, error) {
		ok, err := x.carryOut(m, scope)
		if ok && err == nil {
			err = x.settle(scope)
		}
		return ok, err
	}
	if scope.bend != nil {
		ok, err = scope.bend(x, m, honest)
	} else {
		ok, err = honest()
	}
	if err == nil {
		err = x.w.Err()
	}
	return ok, err
}

func (x *state) carryOut(m move, scope Scope) (bool, error) {
	switch m.op {
	case opSee:
		return true, x.see(m.at)
	case opSet:
		return true, x.w.PassSet(0)
	case opPump:
		return true, x.pump(scope)
	case opRenew:
		x.renew(m.at)
	case opCarry:
		x.w.Carry(0, m.at)
	case opLand:
		return true, x.w.Land(0, m.at)
	case opLate:
		return true, x.w.LandZombie(m.at)
	case opWait:
		return x.advance(), nil
	case opHurry:
		x.waits--
		return x.advance(), nil
	case opUser:
		x.actions = append(x.actions[:len(x.actions):len(x.actions)], m.action)
		return x.w.Do(m.action), nil
	case opCrash:
		x.crashes--
		return true, x.crash()
	case opList:
		x.listings--
		x.untold &^= 1 << m.at
		x.w.List(0, m.at)
	default:
		return false, fmt.Errorf("op %d: no such move", m.op)
	}
	return true, nil
}

// see tells the engine the next event of a kind. The beginning of a listing is
// told with what follows, unless a sweep may be pending that it would end.
func (x *state) see(kind int) error {
	x.untold &^= 1 << kind
	alone := x.side().Streams[kind].Events[0].Type != graph.ListBegun || x.engine().Busy()
	if err := x.w.Deliver(0, kind); err != nil || alone {
		return err
	}
	return x.w.Deliver(0, kind)
}

// advance lets time pass and tells the engine.
func (x *state) advance() bool {
	ok := x.w.Advance()
	x.engine().Take(x.w.Now, ownergraph.LaneUnset)
	return ok
}

// renew has a read, or a listing of which nothing was told yet, show what the
// store holds now.
func (x *state) renew(at int) {
	if at < 0 {
		x.w.List(0, -1-at)
	} else {
		x.w.Renew(0, at)
	}
}

// crash ends the engine. The listings of the next one begin at once; renew makes
// up for that.
func (x *state) crash() error {
	if err := x.w.Crash(0); err != nil {
		return err
	}
	for k := range x.w.Kinds {
		x.w.List(0, k)
		x.untold |= 1 << k
	}
	return nil
}
