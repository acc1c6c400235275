package exhaustive

import (
	"slices"

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
	crashes, listings, waits int             // left
	// untold has a bit for each kind that was not listed before the last crash's
	// engine was told something of it.
	untold uint64
}

// begin returns the first state of a search: an engine that has seen everything.
func begin(start []graph.Object, scope Scope) (*state, error) {
	w, err := world.New(ownergraph.Level2, config, 1, nil, start)
	if err != nil {
		return nil, err
	}
	if err := w.Settle(); err != nil {
		return nil, err
	}
	w.LateSets = true
	x := &state{w: w, crashes: scope.Crashes, listings: scope.Listings, waits: scope.Waits}
	return x, x.settle(scope)
}

func (x *state) clone() *state {
	y := *x
	y.w = x.w.Clone()
	return &y
}

func (x *state) side() *world.Side { return x.w.Sides[0] }

func (x *state) engine() *ownergraph.Engine { return x.w.Sides[0].Engine }

// settle does at once what loses nothing by that.
func (x *state) settle(scope Scope) error {
	if scope.Late {
		return x.pass()
	}
	return x.pump(scope)
}

// pass tells the engine that a kind has passed a fence as soon as everything
// before is told.
func (x *state) pass() error {
	for k := range x.side().Streams {
		for st := &x.side().Streams[k]; len(st.Events) > 0 && st.Events[0].Type == graph.FencePassed; {
			if err := x.w.Deliver(0, k); err != nil {
				return err
			}
		}
	}
	return nil
}

// pump lets the engine go on as far as it can and takes the calls that it has,
// as a Collector does: of the control lane first.
func (x *state) pump(scope Scope) error {
	for {
		ok, err := true, error(nil)
		for ok && err == nil {
			if err = x.pass(); err == nil {
				_, ok, err = x.w.Issue(0, ownergraph.LaneControl)
			}
		}
		if err == nil && len(x.side().Calls) < scope.calls() {
			_, ok, err = x.w.Issue(0, ownergraph.LaneStore)
		}
		if err != nil || !ok {
			return err
		}
	}
}

// idle reports whether a pump would find nothing to do.
func (x *state) idle() bool {
	if x.engine().Busy() {
		return false
	}
	for _, lane := range [...]ownergraph.Lane{ownergraph.LaneControl, ownergraph.LaneStore} {
		if at, ok := x.engine().Wake(lane); ok && !at.After(x.w.Now.Add(1)) {
			return false
		}
	}
	return true
}

// fenced reports whether every kind has passed a fence that was begun.
func (x *state) fenced(id uint64) bool {
	report := func(e graph.Event) bool { return e.Type == graph.FencePassed && e.Fence == id }
	for _, st := range x.side().Streams {
		if slices.Contains(st.Fences, id) || slices.ContainsFunc(st.Events, report) {
			return false
		}
	}
	return true
}
