package exhaustive

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// defects are stores that break their contract.
var defects = []struct {
	name   string
	scope  Scope
	defect func(x *state, m move, honest func() (bool, error)) (bool, error)
	want   string // the report begins with it
	reason string
}{
	{"blind to versions", Scope{Actions: 2}, blindToVersions, "S",
		"a write that ignores the version undoes a change by another client"},
	{"fence too early", Scope{Actions: 2}, fenceTooEarly, "S",
		"a fence that passes before the events that it covers ends a deletion too early"},
	{"false absence", Scope{Actions: 2}, falseAbsence, "S",
		"a read that denies an object that lives ends its dependents"},
	{"half a listing", Scope{Actions: 1, Listings: 1}, halfAListing, "ends with",
		"an owner that a listing leaves out is taken to be gone, and its dependents are deleted"},
	{"blind to versions after a crash", Scope{Actions: 2, Crashes: 1}, blindWhenLate, "S",
		"a write of an engine that crashed undoes what happened since"},
	{"lax store", Scope{Actions: 2, Strict: true}, laxStore, "S3:",
		"a store of level 3 takes a reference to an owner that waits, orphans or is gone"},
	{"lost event", Scope{Actions: 2}, lostEvent, "ends with",
		"an owner that goes unseen leaves its dependents behind"},
}

// blindToVersions carries out a write at any version.
func blindToVersions(x *state, m move, honest func() (bool, error)) (bool, error) {
	if m.op == opComplete {
		blind(x, &x.w.Sides[0].Calls[m.at].Call)
	}
	return honest()
}

// blindWhenLate does so with the writes of an engine that crashed.
func blindWhenLate(x *state, m move, honest func() (bool, error)) (bool, error) {
	if m.op == opLateWrite {
		blind(x, &x.w.Zombies[m.at])
	}
	return honest()
}

// blind makes the precondition of a write true.
func blind(x *state, c *engine.Call) {
	live, err := x.w.Store.Get(c.Key)
	switch {
	case err != nil:
	case c.Type == engine.CallDelete:
		c.Options.Precondition.Version = live.Version
	case c.Type == engine.CallPatch:
		c.Precondition.Version = live.Version
	}
}

// halfAListing leaves every object out of a new listing.
func halfAListing(x *state, m move, honest func() (bool, error)) (bool, error) {
	ok, err := honest()
	if m.op == opList {
		st := &x.w.Sides[0].Streams[m.at]
		st.Events = slices.DeleteFunc(st.Events, func(e graph.Event) bool { return e.Type == graph.Put })
	}
	return ok, err
}

// fenceTooEarly reports a fence before an event that was committed before the fence.
func fenceTooEarly(x *state, _ move, honest func() (bool, error)) (bool, error) {
	ok, err := honest()
	for k := range x.w.Sides[0].Streams {
		slices.SortStableFunc(x.w.Sides[0].Streams[k].Events, func(a, b graph.Event) int {
			return cmp.Compare(b.Fence, a.Fence)
		})
	}
	return ok, errors.Join(err, x.pass(0))
}

// falseAbsence answers every read with absence.
func falseAbsence(x *state, m move, honest func() (bool, error)) (bool, error) {
	if m.op == opComplete {
		if f := &x.w.Sides[0].Calls[m.at]; f.Type == engine.CallRead {
			f.Answer = engine.Result{Err: graph.ErrNotFound}
		}
	}
	return honest()
}

// lostEvent loses every Gone.
func lostEvent(x *state, m move, honest func() (bool, error)) (bool, error) {
	if m.op == opDeliver {
		if st := &x.w.Sides[0].Streams[m.at]; st.Events[0].Type == graph.Gone {
			st.Events = st.Events[1:]
			return true, nil
		}
	}
	return honest()
}

// laxStore refuses no reference.
func laxStore(x *state, _ move, honest func() (bool, error)) (bool, error) {
	x.w.Strict = false
	return honest()
}

// TestDefectsAreFound: the search finds each defect. The history that it reports leads
// to the defect again.
func TestDefectsAreFound(t *testing.T) {
	for _, c := range defects {
		t.Run(c.name, func(t *testing.T) {
			c.scope.defect = c.defect
			for _, g := range Graphs(2, 0) {
				r := Search(g, c.scope)
				if r.Broken == nil {
					continue
				}
				long := len(r.History)
				r = Shorten(r)
				if !strings.HasPrefix(r.Broken.Error(), c.want) {
					t.Errorf("reported %q, want %q (%s)", r.Broken, c.want, c.reason)
				}
				if err := Replay(g, c.scope, r.History); err == nil || err.Error() != r.Broken.Error() {
					t.Errorf("replayed to %v, want %v\n%s", err, r.Broken, r.History)
				}
				t.Logf("%s, %v, %d steps, was %d\n%s", r.Graph, r.Broken, len(r.History), long, r.History)
				return
			}
			t.Errorf("not found: %s", c.reason)
		})
	}
}
