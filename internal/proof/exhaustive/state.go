package exhaustive

import (
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/internal/proof/world"
	"github.com/ownergraph/ownergraph/share"
)

// config is that of every engine. The audit is so far off that it repairs nothing.
var config = ownergraph.Config{AuditEvery: never}

// state is a world with the rest of the scope.
type state struct {
	w                        *world.World
	actions                  []oracle.Action // done so far
	used                     int             // actions, also those before a rewind
	crashes, listings, waits int             // left
	switches                 int             // left
	rewinds, outages, pauses int             // left
	down                     uint64          // kinds that are sick, a bit each
	first                    *world.World    // its store and its ledger
	turn                     int             // the side that moved last, from 1; 0 if none has
	// unreported has a bit for each kind of which the engine of a side, begun by a
	// crash, has heard nothing yet.
	unreported [maxSides]uint64
	judging    [maxSides]*world.InFlight // a judgement whose verdict the engine has not got yet
	paused     [maxSides]bool
	sets       []share.Set     // by mask; nil without shares
	masks      [maxSides]uint8 // the shares of the sides
	moves      int             // of shares, left
	start      []graph.Object
}

// begin returns the first state of a search. Its engine has seen every object.
func begin(start []graph.Object, scope Scope) (*state, error) {
	w, err := world.NewEach(scope.level(), scope.shared(start), nil, start)
	if err != nil {
		return nil, err
	}
	w.Ledger.Protects = scope.protects()
	if scope.archives() {
		w.Archives()
	}
	if err := w.RunToRest(); err != nil {
		return nil, err
	}
	w.LateSets, w.LateTokens = true, scope.Tokens
	first := &world.World{Store: w.Store, Ledger: w.Ledger.Clone()}
	x := &state{
		w: w, first: first,
		crashes: scope.Crashes, listings: scope.Listings, waits: scope.Waits, switches: scope.Switches,
		rewinds: scope.Rewinds, outages: scope.Outages, pauses: scope.Pauses, moves: scope.Shares, start: start,
	}
	if scope.Shares > 0 {
		x.sets = setsOf(start)
		for i := range w.Sides {
			x.masks[i] = firstMask(i, len(start))
		}
	}
	for i := range w.Sides {
		if err := x.catchUp(i, scope); err != nil {
			return nil, err
		}
	}
	return x, nil
}

func (x *state) clone() *state {
	y := *x
	y.w = x.w.Clone()
	return &y
}

// catchUp makes at once the moves whose delay would show no more defects.
func (x *state) catchUp(side int, scope Scope) error {
	if scope.Late {
		return x.pass(side)
	}
	return x.pump(side, scope)
}

// pass tells the engine that a kind has passed a fence, as soon as all earlier events
// are delivered.
func (x *state) pass(side int) error {
	s := x.w.Sides[side]
	for k := range s.Streams {
		for st := &s.Streams[k]; len(st.Events) > 0 && st.Events[0].Type == graph.FencePassed; {
			if err := x.w.Deliver(side, k); err != nil {
				return err
			}
		}
	}
	return nil
}

// pump lets an engine go on as far as it can and takes its calls. As a Collector does,
// it takes those of the control lane first.
func (x *state) pump(side int, scope Scope) error {
	for {
		ok, err := true, error(nil)
		for ok && err == nil {
			if err = x.pass(side); err == nil {
				var c engine.Call
				if c, ok, err = x.w.Issue(side, engine.LaneControl); err == nil && ok {
					err = x.judge(side, c)
				}
				switch {
				case err == nil && c.Type == engine.CallFence:
					err = x.forget(side)
				case err == nil && c.Type == engine.CallJudge:
					err = x.takeVerdict(side, scope.Verdicts)
				}
			}
		}
		if err == nil && len(x.w.Sides[side].Calls) < scope.calls() {
			var c engine.Call
			if c, ok, err = x.w.Issue(side, engine.LaneStore); err == nil && ok {
				err = x.judge(side, c)
			}
		}
		if err != nil || !ok {
			return err
		}
	}
}

// judge judges a call that an engine begins.
func (x *state) judge(side int, c engine.Call) error {
	if x.paused[side] {
		if err := whilePaused(c); err != nil {
			return err
		}
	}
	if x.sets == nil {
		return nil
	}
	return outside(x.w.Sides[side].Engine, c, x.sets[x.masks[side]])
}

// forget drops the reports of fences that were begun before the last one. They belong to a
// fence that was given up, and an engine does not hear them. It gets their tokens at once,
// which count for nothing.
func (x *state) forget(side int) error {
	s := x.w.Sides[side]
	s.Sets = slices.DeleteFunc(s.Sets, func(id uint64) bool { return id < s.Token })
	for k := range s.Streams {
		st := &s.Streams[k]
		st.Fences = slices.DeleteFunc(st.Fences, func(id uint64) bool { return id < s.Token })
		st.Events = slices.DeleteFunc(st.Events, func(e graph.Event) bool {
			return e.Type == graph.FencePassed && e.Fence < s.Token
		})
	}
	for len(s.Asked) > 1 {
		if err := x.w.Name(side, 0, world.NoFault); err != nil {
			return err
		}
	}
	return nil
}

// idle reports whether a pump would find no move.
func (x *state) idle(side int) bool {
	e := x.w.Sides[side].Engine
	if probe.Busy(e) {
		return false
	}
	for _, lane := range [...]engine.Lane{engine.LaneControl, engine.LaneStore} {
		if at, ok := probe.Wake(e, lane); ok && !at.After(x.w.Now.Add(1)) {
			return false
		}
	}
	return true
}

// fenced reports whether every kind has passed a fence that was begun.
func (x *state) fenced(side int, id uint64) bool {
	report := func(e graph.Event) bool { return e.Type == graph.FencePassed && e.Fence == id }
	for _, st := range x.w.Sides[side].Streams {
		if slices.Contains(st.Fences, id) || slices.ContainsFunc(st.Events, report) {
			return false
		}
	}
	return true
}

// due returns the wake time of an engine that is not idle, and whether there is one.
func (x *state) due() (next time.Time, ok bool) {
	for _, s := range x.w.Sides {
		if s.Engine.Idle() {
			continue
		}
		for _, lane := range [...]engine.Lane{engine.LaneStore, engine.LaneControl, engine.LaneHandler} {
			if at, waits := probe.Wake(s.Engine, lane); waits && (!ok || at.Before(next)) {
				next, ok = at, true
			}
		}
	}
	return next, ok
}
