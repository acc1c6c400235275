package exhaustive

import (
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/oracle"
	"github.com/ownergraph/ownergraph/internal/world"
)

// config is that of every engine: the audit is so far off that it repairs
// nothing.
var config = ownergraph.Config{AuditEvery: never}

// state is a world with what is left of the scope.
type state struct {
	w                        *world.World
	actions                  []oracle.Action // done so far
	used                     int             // actions, also those before a rewind
	crashes, listings, waits int             // left
	switches                 int             // left
	rewinds, outages         int             // left
	down                     uint64          // kinds that are sick, a bit each
	first                    *world.World    // its store and its ledger
	turn                     int             // the side that moved last, from 1; 0 if none has
	// untold has a bit for each kind of which the engine of a side, begun by a
	// crash, was told nothing yet.
	untold [mostSides]uint64
}

// begin returns the first state of a search: an engine that has seen everything.
func begin(start []graph.Object, scope Scope) (*state, error) {
	w, err := world.New(ownergraph.Level2, config, scope.engines(), nil, start)
	if err != nil {
		return nil, err
	}
	if err := w.Settle(); err != nil {
		return nil, err
	}
	w.LateSets = true
	first := &world.World{Store: w.Store, Ledger: w.Ledger.Clone()}
	x := &state{
		w: w, first: first,
		crashes: scope.Crashes, listings: scope.Listings, waits: scope.Waits, switches: scope.Switches,
		rewinds: scope.Rewinds, outages: scope.Outages,
	}
	for i := range w.Sides {
		if err := x.settle(i, scope); err != nil {
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

// settle does at once what loses nothing by that.
func (x *state) settle(side int, scope Scope) error {
	if scope.Late {
		return x.pass(side)
	}
	return x.pump(side, scope)
}

// pass tells the engine that a kind has passed a fence as soon as everything
// before is told.
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

// pump lets an engine go on as far as it can and takes the calls that it has, as
// a Collector does: of the control lane first.
func (x *state) pump(side int, scope Scope) error {
	for {
		ok, err := true, error(nil)
		for ok && err == nil {
			if err = x.pass(side); err == nil {
				var c ownergraph.Call
				c, ok, err = x.w.Issue(side, ownergraph.LaneControl)
				x.forget(side, c)
			}
		}
		if err == nil && len(x.w.Sides[side].Calls) < scope.calls() {
			_, ok, err = x.w.Issue(side, ownergraph.LaneStore)
		}
		if err != nil || !ok {
			return err
		}
	}
}

// forget drops the reports of fences that were begun before this one: they are
// those of a fence that was given up, and an engine does not hear them.
func (x *state) forget(side int, c ownergraph.Call) {
	if c.Type != ownergraph.CallFence {
		return
	}
	s := x.w.Sides[side]
	s.Sets = slices.DeleteFunc(s.Sets, func(id uint64) bool { return id < c.Fence })
	for k := range s.Streams {
		st := &s.Streams[k]
		st.Fences = slices.DeleteFunc(st.Fences, func(id uint64) bool { return id < c.Fence })
		st.Events = slices.DeleteFunc(st.Events, func(e graph.Event) bool {
			return e.Type == graph.FencePassed && e.Fence < c.Fence
		})
	}
}

// idle reports whether a pump would find nothing to do.
func (x *state) idle(side int) bool {
	e := x.w.Sides[side].Engine
	if e.Busy() {
		return false
	}
	for _, lane := range [...]ownergraph.Lane{ownergraph.LaneControl, ownergraph.LaneStore} {
		if at, ok := e.Wake(lane); ok && !at.After(x.w.Now.Add(1)) {
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

// due returns when an engine that is not idle has something to do, and whether
// there is such a time.
func (x *state) due() (next time.Time, ok bool) {
	for _, s := range x.w.Sides {
		if s.Engine.Idle() {
			continue
		}
		for _, lane := range [...]ownergraph.Lane{ownergraph.LaneStore, ownergraph.LaneControl, ownergraph.LaneHandler} {
			if at, waits := s.Engine.Wake(lane); waits && (!ok || at.Before(next)) {
				next, ok = at, true
			}
		}
	}
	return next, ok
}
