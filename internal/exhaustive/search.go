package exhaustive

import (
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// Result is what the search of one graph found.
type Result struct {
	Graph               string
	States, Transitions int64
	// Engines counts the different states of the engine itself.
	Engines int64
	// Cut says that a bound ended the search.
	Cut bool
	// Broken is what went wrong, nil if nothing, and History the way there.
	Broken  error
	History History

	start []graph.Object
	scope Scope
}

// mostMoves is more than any history needs.
const mostMoves = 1000

var (
	errRepeats = errors.New("L2: the engine's work repeats itself")
	errEndless = fmt.Errorf("L2: no end after %d moves", mostMoves)
	errStuck   = errors.New("nothing but the audit would go on")
)

// search explores one graph depth first over fingerprints.
type search struct {
	scope   Scope
	start   []graph.Object
	judge   *judge
	seen    set
	crashed set // what is left of states after a crash
	path    []move
	res     Result
	begun   time.Time
	states  int64          // the bound of the present branch, 0 for none
	until   time.Time      // likewise
	cut     bool           // it was reached
	depths  map[uint64]int // of states, while a shorter history is looked for
	limit   int

	visited func(h uint64, x *state) // in tests, sees each state that is reached
}

func newSearch(start []graph.Object, scope Scope) *search {
	return &search{
		scope: scope, start: start, judge: newJudge(start), begun: time.Now(),
		res: Result{Graph: graph.Format(start), start: start, scope: scope},
	}
}

func (s *search) run() {
	x, err := begin(s.start, s.scope)
	if err != nil {
		s.fail(err)
		return
	}
	s.visit(x)
}

func (s *search) stop() bool { return s.cut || s.res.Broken != nil && s.depths == nil }

// visit explores a state, if it is new, and uses it up.
func (s *search) visit(x *state) {
	h := s.fingerprint(x)
	if s.visited != nil {
		s.visited(h, x)
	}
	if !s.enter(x, h) {
		return
	}
	moves := s.moves(x)
	for i, m := range moves {
		if len(s.path) == 0 {
			s.share(i, len(moves))
		}
		if s.stop() {
			break
		}
		if m.op == opCrash && !s.newCrash(x) {
			continue
		}
		y := x
		if i < len(moves)-1 {
			y = x.clone()
		}
		s.try(y, m)
	}
	s.seen.leave(h)
}

// share bounds the i-th branch of so many.
func (s *search) share(i, branches int) {
	s.cut = false
	s.states = int64(s.scope.States) * int64(i+1) / int64(branches)
	if !s.scope.Deadline.IsZero() {
		s.until = s.begun.Add(s.scope.Deadline.Sub(s.begun) / time.Duration(branches) * time.Duration(i+1))
	}
}

// moves returns what can happen in a state. It judges one that is quiet.
func (s *search) moves(x *state) []move {
	moves, held := x.engineMoves(s.scope)
	if len(moves) == 0 && !held {
		moves = s.rest(x)
	}
	return append(moves, x.otherMoves(s)...)
}

// enter reports whether a state has to be explored, and counts it. Users and
// faults leave less of the scope: what leads back to a state on the way there is
// the engine alone. Only a pump that has no room for a call may change nothing.
func (s *search) enter(x *state, h uint64) bool {
	fresh, onWay := s.seen.enter(h)
	if onWay {
		last := s.path[len(s.path)-1]
		if last.op != opPump || len(x.w.Sides[last.side].Calls) < s.scope.calls() {
			s.fail(errRepeats)
		}
	}
	if s.depths != nil {
		return s.enterSooner(h)
	}
	if fresh {
		s.count()
	}
	return fresh
}

func (s *search) count() {
	s.res.States++
	if s.states > 0 && s.res.States > s.states ||
		!s.until.IsZero() && s.res.States%256 == 0 && time.Now().After(s.until) {
		s.cut, s.res.Cut = true, true
	}
}

// rest returns the move of a state in which nothing happens but that time
// passes, or judges one that is quiet.
func (s *search) rest(x *state) []move {
	due, ok := x.due()
	switch {
	case !ok:
		if err := s.judge.quiet(x); err != nil {
			s.fail(err)
		}
	case due.Sub(x.w.Now) > never/2:
		s.fail(errStuck)
	default:
		return []move{{op: opWait}}
	}
	return nil
}

// try makes a move and goes on from there.
func (s *search) try(x *state, m move) {
	if s.depths != nil && len(s.path) >= s.limit {
		return
	}
	s.path = append(s.path, m)
	switch ok, err := x.do(m, s.scope); {
	case len(s.path) > mostMoves:
		s.fail(errEndless)
	case err != nil:
		s.fail(err)
	case ok:
		s.res.Transitions++
		s.visit(x)
	}
	s.path = s.path[:len(s.path)-1]
}

func (s *search) fail(err error) {
	if s.stop() {
		return
	}
	s.res.Broken = err
	if s.depths != nil {
		s.limit = len(s.path) - 1
	}
	s.res.History, _ = tell(s.start, s.scope, s.path)
}

// newCrash reports whether a crash leads to a state that none has led to: an
// engine that begins anew has nothing but the store, and the writes under way.
func (s *search) newCrash(x *state) bool {
	if s.depths != nil || len(x.w.Sides) > 1 {
		return true
	}
	p := &printer{hash: seed}
	s.left(p, x)
	for i, c := range x.w.Sides[0].Calls {
		if x.w.Uncarried(0, i) {
			p.call(c.Call)
		}
	}
	fresh, _ := s.crashed.enter(p.hash)
	return fresh
}
