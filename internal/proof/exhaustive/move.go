package exhaustive

import (
	"cmp"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// op is the sort of a move.
type op uint8

const (
	opUnset        op = iota
	opDeliver         // the engine gets the next event of a kind
	opSet             // the engine hears that the set of kinds has passed a fence
	opToken           // the engine gets the token of its last fence
	opVerdict         // the engine gets the verdict of a guard, as it was when it asked
	opJudge           // the engine gets the present verdict
	opPump            // the engine goes on, and its calls are taken
	opRenew           // a read or a listing shows the present store
	opExecute         // a write is carried out, and its result comes later
	opComplete        // a call in flight completes
	opLateWrite       // a write of a crashed engine is carried out
	opWait            // time passes, up to the engine's wake time
	opUser            // a user acts
	opEarlyTimeout    // time passes although another move is possible
	opCrash           // the engine crashes, and another begins from nothing
	opList            // a listing of a kind begins anew
	opRewind          // the store is restored to its start
	opSick            // a kind is out of reach
	opRecover         // the kind is in reach again
	opPause           // a user pauses an engine
	opResume          // and ends the pause
	opShare           // an object joins the share of an engine, or leaves it
	opCover           // the objects that are in no share join that of an engine
)

// move is one possible move, of the at-th kind, call or write.
type move struct {
	op     op
	side   int // its engine
	at     int
	action oracle.Action
}

// engineMoves returns the moves that need neither a user nor a fault. It also reports
// whether the bound on switches barred a move.
func (x *state) engineMoves(scope Scope) (out []move, barred bool) {
	for i := range x.w.Sides {
		moves := x.sideMoves(i, scope)
		if x.turn != 0 && x.turn != i+1 && x.switches == 0 {
			barred = barred || len(moves) > 0
			continue
		}
		out = append(out, moves...)
	}
	for i := range x.w.Zombies {
		out = append(out, move{op: opLateWrite, at: i})
	}
	for k := range x.w.Kinds {
		if x.down>>k&1 != 0 {
			out = append(out, move{op: opRecover, at: k})
		}
	}
	for i, paused := range x.paused {
		if paused {
			out = append(out, move{op: opResume, side: i})
		}
	}
	return x.covers(out), barred
}

func (x *state) sideMoves(i int, scope Scope) []move {
	var out []move
	side := x.w.Sides[i]
	for k := range side.Streams {
		if x.unreported[i]>>k&1 != 0 && x.w.Overtaken(i, k) {
			out = append(out, move{op: opRenew, side: i, at: -1 - k})
		}
		if len(side.Streams[k].Events) > 0 {
			out = append(out, move{op: opDeliver, side: i, at: k})
		}
	}
	if len(side.Sets) > 0 && (scope.setsEarly() || x.fenced(i, side.Sets[0])) {
		out = append(out, move{op: opSet, side: i})
	}
	if len(side.Asked) > 0 {
		out = append(out, move{op: opToken, side: i})
	}
	if x.judging[i] != nil {
		out = append(out, move{op: opVerdict, side: i}, move{op: opJudge, side: i})
	}
	for c := range side.Calls {
		if x.w.Outdated(i, c) {
			out = append(out, move{op: opRenew, side: i, at: c})
		}
		op := opComplete
		if scope.Late && x.w.Uncommitted(i, c) {
			op = opExecute
		}
		out = append(out, move{op: op, side: i, at: c})
	}
	if scope.Late && !x.idle(i) {
		out = append(out, move{op: opPump, side: i})
	}
	return out
}

// otherMoves returns the possible moves of users and faults.
func (x *state) otherMoves(s *search) []move {
	var out []move
	if x.used < s.scope.Actions {
		for _, a := range alphabet(&x.w.Store, s.start, s.scope.Users) {
			if k := slices.IndexFunc(x.w.Kinds, func(i graph.KindInfo) bool { return i.Kind == a.Object.Kind }); x.down>>k&1 != 0 {
				continue
			}
			out = append(out, move{op: opUser, action: a})
		}
	}
	if due, ok := x.due(); ok && x.waits > 0 && due.Sub(x.w.Now) < never/2 {
		out = append(out, move{op: opEarlyTimeout})
	}
	out = append(out, x.upheavals()...)
	for i := range x.w.Sides {
		if x.crashes > 0 && x.down == 0 {
			out = append(out, move{op: opCrash, side: i})
		}
		if x.pauses > 0 && !x.paused[i] {
			out = append(out, move{op: opPause, side: i})
		}
		for at := range x.start {
			if x.moves > 0 {
				out = append(out, move{op: opShare, side: i, at: at})
			}
		}
		for k := range x.w.Kinds {
			if x.listings > 0 && x.down>>k&1 == 0 {
				out = append(out, move{op: opList, side: i, at: k})
			}
		}
	}
	return out
}

// do makes a move, and reports whether it had an effect. An error names the broken
// rule.
func (x *state) do(m move, scope Scope) (ok bool, err error) {
	honest := func() (bool, error) {
		ok, err := x.carryOut(m, scope)
		for i := 0; ok && err == nil && i < len(x.w.Sides); i++ {
			err = x.catchUp(i, scope)
		}
		return ok, err
	}
	if scope.defect != nil {
		ok, err = scope.defect(x, m, honest)
	} else {
		ok, err = honest()
	}
	if err == nil {
		err = cmp.Or(x.w.Err(), judgeEntries(x.w))
	}
	return ok, err
}

func (x *state) carryOut(m move, scope Scope) (bool, error) {
	x.take(m)
	switch m.op {
	case opDeliver:
		return true, x.deliver(m.side, m.at)
	case opSet:
		return true, x.w.PassSet(m.side)
	case opToken:
		return true, x.w.Name(m.side, 0, world.NoFault)
	case opVerdict, opJudge:
		return true, x.giveVerdict(m.side, m.op == opJudge)
	case opPump:
		return true, x.pump(m.side, scope)
	case opRenew:
		x.renew(m.side, m.at)
	case opExecute:
		x.w.Commit(m.side, m.at)
	case opComplete:
		return true, x.w.Complete(m.side, m.at)
	case opLateWrite:
		return true, x.w.CompleteZombie(m.at)
	case opWait:
		return x.advance(), nil
	case opEarlyTimeout:
		x.waits--
		return x.advance(), nil
	case opUser:
		x.used++
		x.actions = append(x.actions[:len(x.actions):len(x.actions)], m.action)
		return x.w.Do(m.action), nil
	case opCrash:
		x.crashes--
		return true, x.crash(m.side)
	case opList:
		x.listings--
		x.unreported[m.side] &^= 1 << m.at
		x.w.List(m.side, m.at)
	case opPause, opResume:
		return true, x.pause(m.side, m.op == opPause)
	case opShare, opCover:
		return true, x.share(m)
	default:
		return true, x.befall(m.op, m.at)
	}
	return true, nil
}

// take counts a switch from one engine to another.
func (x *state) take(m move) {
	if len(x.w.Sides) == 1 || !m.op.engine() {
		return
	}
	if x.turn != 0 && x.turn != m.side+1 {
		x.switches--
	}
	x.turn = m.side + 1
}

// engine reports whether the move is that of an engine, or of its call.
func (o op) engine() bool { return o >= opDeliver && o <= opComplete }

// deliver gives an engine the next event of a kind. The beginning of a listing is
// delivered together with the next event, unless it would end a pruning that is
// pending.
func (x *state) deliver(side, kind int) error {
	s := x.w.Sides[side]
	x.unreported[side] &^= 1 << kind
	alone := s.Streams[kind].Events[0].Type != graph.ListBegun || probe.Busy(s.Engine)
	if err := x.w.Deliver(side, kind); err != nil || alone {
		return err
	}
	return x.w.Deliver(side, kind)
}

// advance lets time pass and tells the engines.
func (x *state) advance() bool {
	due, ok := x.due()
	if ok {
		x.w.Now = due
	}
	for _, s := range x.w.Sides {
		probe.Tick(s.Engine, x.w.Now)
	}
	return ok
}

// renew lets a read show the present store. It does the same with a listing of which no
// event was delivered.
func (x *state) renew(side, at int) {
	if at < 0 {
		x.w.List(side, -1-at)
	} else {
		x.w.Renew(side, at)
	}
}

// crash ends an engine. The listings of the next one begin at once. Later beginnings
// are moves of opRenew.
func (x *state) crash(side int) error {
	if err := x.w.Crash(side); err != nil {
		return err
	}
	x.judging[side], x.paused[side] = nil, false
	if x.sets != nil {
		x.masks[side] = firstMask(side, len(x.start))
	}
	for k := range x.w.Kinds {
		x.w.List(side, k)
		x.unreported[side] |= 1 << k
	}
	return nil
}
