package exhaustive

import (
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// Result is the outcome of the search of one graph.
type Result struct {
	Graph               string
	States, Transitions int64
	// Engines counts the different states of the engine itself.
	Engines int64
	// Cut says that a bound ended the search.
	Cut bool
	// Broken is the broken rule, nil if there is none, and History the way there.
	Broken  error
	History History

	start []graph.Object
	scope Scope
}

// maxMoves is more than any history needs.
const maxMoves = 1000

var (
	errRepeats = errors.New("L2: the engine's work repeats itself")
	errEndless = fmt.Errorf("L2: no end after %d moves", maxMoves)
	errStuck   = errors.New("nothing but the audit would go on")
)

// search explores one graph depth first over fingerprints.
type search struct {
	scope   Scope
	start   []graph.Object
	judge   *judge
	seen    set
	crashed set // states right after a crash, by the rest of the scope
	path    []move
	res     Result
	begun   time.Time
	states  int64          // the bound of the present branch, 0 for none
	until   time.Time      // likewise
	cut     bool           // the bound was reached
	depths  map[uint64]int // of states, during the search for a shorter history
	limit   int

	visited func(h uint64, x *state) // in tests, sees each state that is reached
}

func newSearch(start []graph.Object, scope Scope) *search {
	return &search{
		scope: scope, start: start, judge: newJudge(start, scope.oracle()), begun: time.Now(),
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

// moves returns the possible moves of a state. It judges a quiet one.
func (s *search) moves(x *state) []move {
	moves, barred := x.engineMoves(s.scope)
	if len(moves) == 0 && !barred {
		moves = s.rest(x)
	}
	return append(moves, x.otherMoves(s)...)
}

// enter reports whether a state has to be explored, and counts it. Users and faults
// leave less of the scope. So only an engine's moves can lead back to a state on the
// way there. A pump without room for a call may be without effect. Any other move has
// to have one.
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

// rest returns the passing of time as the move of a state without other moves. It
// judges a quiet state.
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
	case len(s.path) > maxMoves:
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

// newCrash reports whether a crash leads to a new state. An engine that begins anew has
// only the store, and the writes in flight.
func (s *search) newCrash(x *state) bool {
	if s.depths != nil || len(x.w.Sides) > 1 {
		return true
	}
	p := &printer{hash: seed}
	s.left(p, x)
	for i, c := range x.w.Sides[0].Calls {
		if x.w.Uncommitted(0, i) {
			p.call(c.Call)
		}
	}
	fresh, _ := s.crashed.enter(p.hash)
	return fresh
}
