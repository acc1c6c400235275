package exhaustive

import (
	"fmt"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/oracle"
	"github.com/ownergraph/ownergraph/internal/world"
)

// Scope bounds a search.
type Scope struct {
	// Actions of users, Crashes and new Listings, at most so many each.
	Actions, Crashes, Listings int
	// Calls is how many calls may be under way at once.
	Calls int
	// States bounds the states of one graph; 0 for no bound.
	States int
	// Deadline bounds the whole; zero for no bound.
	Deadline time.Time
	// Config is the engine's.
	Config ownergraph.Config
}

// Result is what the search of one graph found.
type Result struct {
	Graph               string
	States, Transitions int64
	// Cut says that a bound ended it.
	Cut bool
	// Broken says what went wrong, with the history that leads there.
	Broken  string
	History []string
}

// state is a world with what is left of the scope.
type state struct {
	w                 *world.World
	issued            *world.World // the same after the engine has handed out its next call, nil if it has none
	actions           []oracle.Action
	crashes, listings int
}

// search explores one graph depth first over fingerprints.
type search struct {
	scope Scope
	n     int
	start []graph.Object
	seen  map[uint64]struct{}
	ends  map[string]map[string]bool // permitted end states, by actions
	path  []string
	res   Result
}

// Search visits every state of the scope on the graph.
func Search(start []graph.Object, scope Scope) Result {
	s := &search{scope: scope, n: len(start), start: start, seen: map[uint64]struct{}{}, ends: map[string]map[string]bool{}}
	s.res.Graph = graph.Format(start)
	w, err := world.New(ownergraph.Level2, scope.Config, 1, nil, start)
	if err == nil {
		err = w.Settle()
	}
	if err != nil {
		s.res.Broken = err.Error()
		return s.res
	}
	x := &state{w: w, crashes: scope.Crashes, listings: scope.Listings}
	if err := s.canonical(x); err != nil {
		s.res.Broken = err.Error()
		return s.res
	}
	s.visit(x)
	return s.res
}

func (s *search) stop() bool { return s.res.Broken != "" || s.res.Cut }

// visit explores a state that has not been seen.
func (s *search) visit(x *state) {
	h := s.fingerprint(x)
	if _, ok := s.seen[h]; ok {
		return
	}
	s.seen[h] = struct{}{}
	s.res.States++
	if s.scope.States > 0 && s.res.States >= int64(s.scope.States) ||
		!s.scope.Deadline.IsZero() && s.res.States%1024 == 0 && time.Now().After(s.scope.Deadline) {
		s.res.Cut = true
		return
	}
	if moved := s.engineMoves(x); !moved && !s.stop() {
		s.quiet(x)
	}
	s.otherMoves(x)
}

// try makes one move on a copy and goes on from there.
func (s *search) try(x *state, label string, move func(y *state) (bool, error)) bool {
	if s.stop() {
		return true
	}
	y := &state{w: x.w.Clone(), actions: x.actions, crashes: x.crashes, listings: x.listings}
	ok, err := move(y)
	if err == nil && ok {
		err = s.canonical(y)
	}
	if err == nil {
		err = y.w.Err()
	}
	if err != nil {
		s.fail(label + ": " + err.Error())
		return true
	}
	if !ok {
		return false
	}
	s.res.Transitions++
	s.path = append(s.path, label)
	s.visit(y)
	s.path = s.path[:len(s.path)-1]
	return true
}

// canonical lets happen at once what loses nothing by that (see the package
// documentation, "Reductions"), and asks for the next call.
func (s *search) canonical(x *state) error {
	if err := x.w.Hasten(); err != nil {
		return err
	}
	for len(x.w.Sides[0].Calls) < s.scope.Calls && x.w.Sides[0].Engine.Busy() {
		w := x.w.Clone()
		_, ok, err := w.Issue(0, ownergraph.LaneStore)
		if err == nil {
			err = w.Hasten()
		}
		if err != nil {
			return err
		}
		if ok {
			x.issued = w
			return nil
		}
		x.w = w
	}
	return nil
}

func (s *search) fail(what string) {
	s.res.Broken = what
	s.res.History = append([]string(nil), s.path...)
}

// engineMoves makes every move that needs neither user nor fault, and reports
// whether there was one.
func (s *search) engineMoves(x *state) bool {
	moved := false
	side := x.w.Sides[0]
	for k := range side.Streams {
		switch st := side.Streams[k]; {
		case !st.Begun:
			moved = s.try(x, "list "+string(names[k]), func(y *state) (bool, error) {
				y.w.List(0, k)
				return true, nil
			}) || moved
		case len(st.Events) > 0:
			moved = s.try(x, "see "+string(names[k])+" "+st.Events[0].Type.String(), func(y *state) (bool, error) {
				return true, y.w.Deliver(0, k)
			}) || moved
		}
	}
	for i, c := range side.Calls {
		moved = s.try(x, "land "+callText(c.Call), func(y *state) (bool, error) {
			return true, y.w.Land(0, i)
		}) || moved
	}
	if x.issued != nil {
		calls := x.issued.Sides[0].Calls
		moved = s.try(x, "issue "+callText(calls[len(calls)-1].Call), func(y *state) (bool, error) {
			y.w = x.issued
			return true, nil
		}) || moved
	}
	for i, c := range x.w.Zombies {
		moved = s.try(x, "late "+callText(c), func(y *state) (bool, error) {
			return true, y.w.LandZombie(i)
		}) || moved
	}
	if !moved {
		moved = s.try(x, "time passes", func(y *state) (bool, error) { return y.w.Advance(), nil })
	}
	return moved
}

// otherMoves makes the moves of users, and the faults.
func (s *search) otherMoves(x *state) {
	if len(x.actions) < s.scope.Actions {
		for _, a := range alphabet(&x.w.Store, s.n) {
			s.try(x, "user "+a.String(), func(y *state) (bool, error) {
				y.actions = append(append([]oracle.Action(nil), x.actions...), a)
				return y.w.Do(a), nil
			})
		}
	}
	if x.crashes > 0 {
		s.try(x, "crash", func(y *state) (bool, error) {
			y.crashes--
			return true, y.w.Crash(0)
		})
	}
	if x.listings > 0 {
		for k := range x.w.Kinds {
			if x.w.Sides[0].Streams[k].Begun {
				s.try(x, "list "+string(names[k])+" anew", func(y *state) (bool, error) {
					y.listings--
					y.w.List(0, k)
					return true, nil
				})
			}
		}
	}
}

// quiet compares a state in which nothing moves any more with the oracle.
func (s *search) quiet(x *state) {
	end := oracle.Line(x.w.Store.Objects())
	if !s.permitted(x.actions)[end] {
		s.fail(fmt.Sprintf("quiet with [%s], which is not permitted: held %v", end, x.w.Sides[0].Engine.Held(4)))
		return
	}
	if err := x.w.Sides[0].Engine.Check(); err != nil {
		s.fail(err.Error())
	}
}

func (s *search) permitted(actions []oracle.Action) map[string]bool {
	var b strings.Builder
	for _, a := range actions {
		b.WriteString(a.String() + "; ")
	}
	ends, ok := s.ends[b.String()]
	if !ok {
		ends = map[string]bool{}
		for _, line := range oracle.Ends(s.start, actions, oracle.Config{}) {
			ends[line] = true
		}
		s.ends[b.String()] = ends
	}
	return ends
}

func callText(c ownergraph.Call) string { return c.Type.String() + " " + c.Key.String() }
