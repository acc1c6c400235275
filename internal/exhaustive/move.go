package exhaustive

import (
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/oracle"
	"github.com/ownergraph/ownergraph/internal/world"
)

// state is a world with what is left of the scope.
type state struct {
	w                        *world.World
	actions                  []oracle.Action // done so far
	crashes, listings, waits int             // left
	cold                     uint8           // kinds of whose first listing since a crash nothing was delivered
}

func (x *state) clone() *state {
	y := *x
	y.w = x.w.Clone()
	return &y
}

func (x *state) side() *world.Side { return x.w.Sides[0] }

// op says what kind of thing happens.
type op uint8

const (
	list   op = iota + 1 // a listing of a kind begins that had none yet
	see                  // the engine observes the next event of a kind
	set                  // the engine learns that the set of kinds has passed a fence
	run                  // the engine goes on, and may hand out a call
	begin                // a fence or a listing begins that the engine asks for
	serve                // the store answers a read under way anew
	land                 // a call under way ends
	late                 // a write of a crashed engine lands
	wait                 // time passes, up to what the engine waits for
	user                 // a user acts
	crash                // the engine crashes, and a new one begins
	relist               // a listing of a kind begins anew
)

// move is one thing that can happen, to the at-th stream or call.
type move struct {
	op     op
	at     int
	action oracle.Action
	early  bool // a wait that counts
}

// engineMoves returns what needs neither a user nor a fault.
func (s *search) engineMoves(x *state) []move {
	var out []move
	side := x.side()
	for k := range side.Streams {
		if x.cold>>k&1 != 0 && x.w.Overtaken(0, k) {
			out = append(out, move{op: list, at: k})
		}
		if len(side.Streams[k].Events) > 0 {
			out = append(out, move{op: see, at: k})
		}
	}
	if len(side.Sets) > 0 && (s.scope.LateReports || !reports(x)) {
		out = append(out, move{op: set})
	}
	for i := range side.Calls {
		if !s.scope.NoServe && x.w.Outdated(0, i) {
			out = append(out, move{op: serve, at: i})
		}
		out = append(out, move{op: land, at: i})
	}
	if s.goes(x) || asks(x) {
		out = append(out, move{op: run})
	}
	for i := range x.w.Zombies {
		out = append(out, move{op: late, at: i})
	}
	return out
}

func (s *search) goes(x *state) bool {
	return len(x.side().Calls) < max(s.scope.Calls, 1) && x.side().Engine.Busy()
}

// asks reports whether the engine wants a fence or a listing to begin now. A
// copy is asked only if the engine's own time says that there may be one.
func asks(x *state) bool {
	at, ok := x.side().Engine.Wake(ownergraph.LaneControl)
	if !ok || at.After(x.w.Now.Add(1)) {
		return false
	}
	_, ok = x.side().Engine.Clone().Take(x.w.Now, ownergraph.LaneControl)
	return ok
}

// otherMoves returns what users and faults may do.
func (s *search) otherMoves(x *state) []move {
	var out []move
	if len(x.actions) < s.scope.Actions {
		for _, a := range alphabet(&x.w.Store, s.n) {
			out = append(out, move{op: user, action: a})
		}
	}
	if x.waits > 0 {
		out = append(out, move{op: wait, early: true})
	}
	if x.crashes > 0 {
		out = append(out, move{op: crash})
	}
	for k := range x.w.Kinds {
		if x.listings > 0 && x.side().Streams[k].Begun {
			out = append(out, move{op: relist, at: k})
		}
	}
	return out
}

// do makes a move, and reports whether it has changed anything.
func (s *search) do(x *state, m move) (bool, error) {
	if s.scope.bend != nil && s.scope.bend(x, m) {
		return true, x.w.Err()
	}
	ok, err := true, error(nil)
	switch m.op {
	case relist:
		x.listings--
		x.w.List(0, m.at)
	case list:
		x.w.List(0, m.at)
	case see:
		x.cold &^= 1 << m.at
		begun := x.side().Streams[m.at].Events[0].Type == graph.ListBegun && !x.side().Engine.Busy()
		if err = x.w.Deliver(0, m.at); err == nil && begun && !s.scope.LateLists {
			err = x.w.Deliver(0, m.at)
		}
	case set:
		err = x.w.PassSet(0)
	case run:
		if s.goes(x) {
			_, _, err = x.w.Issue(0, ownergraph.LaneStore)
		}
		for ok := err == nil; ok; {
			ok, err = x.w.Begin(0)
		}
	case serve:
		x.w.Renew(0, m.at)
	case land:
		err = x.w.Land(0, m.at)
	case late:
		err = x.w.LandZombie(m.at)
	case wait:
		ok, err = s.pass(x, m)
	case user:
		x.actions = append(x.actions[:len(x.actions):len(x.actions)], m.action)
		ok = x.w.Do(m.action)
	case crash:
		x.crashes--
		err = x.w.Crash(0)
		for k := range x.w.Kinds {
			x.w.List(0, k)
			x.cold |= 1 << k
		}
	}
	if err == nil {
		err = x.w.Err()
	}
	return ok, err
}

// pass lets time pass.
func (s *search) pass(x *state, m move) (bool, error) {
	if m.early {
		x.waits--
	}
	before := x.w.Now
	ok := x.w.Advance()
	if jump := x.w.Now.Sub(before); jump > never/2 && !m.early {
		return ok, fmt.Errorf("nothing but the audit would go on")
	} else if jump > never/2 {
		return false, nil
	}
	return ok, nil
}

// label names a move in a state: no two of one state have the same.
func label(x *state, m move) string {
	kind := func() string { return string(x.w.Kinds[m.at].Kind) }
	switch m.op {
	case list:
		return "list " + kind()
	case relist:
		return "list " + kind() + " anew"
	case see:
		return fmt.Sprintf("see %s: %s", kind(), eventText(x.side().Streams[m.at].Events[0]))
	case set:
		return "see kinds: fence-passed"
	case begin:
		return "begin"
	case run:
		return "run"
	case serve:
		return "read anew " + x.side().Calls[m.at].Key.String()
	case land:
		return "land " + callText(x.side().Calls[m.at].Call)
	case late:
		return fmt.Sprintf("late %d: %s", m.at, callText(x.w.Zombies[m.at]))
	case wait:
		return "time passes"
	case user:
		return "user: " + m.action.String()
	case crash:
		return "crash"
	}
	return fmt.Sprintf("op(%d)", m.op)
}

func eventText(e graph.Event) string {
	switch e.Type {
	case graph.Put:
		return e.Object.String()
	case graph.Gone:
		return e.Key.String() + " is gone"
	}
	return e.Type.String()
}

func callText(c ownergraph.Call) string { return c.Type.String() + " " + c.Key.String() }

var _ = time.Second
