package exhaustive

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/oracle"
	"github.com/ownergraph/ownergraph/internal/world"
)

// search explores one graph depth first over fingerprints.
type search struct {
	scope       Scope
	n           int
	start       []graph.Object
	seen        map[uint64]struct{}
	ends        map[string]*ends
	lastActions []oracle.Action
	lastEnds    *ends
	path        []string
	res         Result
	versions    bool
}

// Search visits every state of the scope on the graph.
func Search(start []graph.Object, scope Scope) Result {
	s := &search{scope: scope, n: len(start), start: start, seen: map[uint64]struct{}{}, ends: map[string]*ends{}}
	s.res.Graph = graph.Format(start)
	w, err := world.New(ownergraph.Level2, config, 1, nil, start)
	if err == nil {
		err = w.Settle()
	}
	if err != nil {
		s.res.Broken = err.Error()
		return s.res
	}
	w.LateSets = true
	x := &state{w: w, crashes: scope.Crashes, listings: scope.Listings, waits: scope.Waits}
	s.visit(x)
	return s.res
}

func (s *search) stop() bool { return s.res.Broken != "" || s.res.Cut }

// visit explores a state that may have been seen.
func (s *search) visit(x *state) {
	if err := s.settle(x); err != nil {
		s.fail(err.Error())
		return
	}
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
	moves := s.engineMoves(x)
	if len(moves) == 0 {
		y := x.clone()
		ok, err := s.pass(y, move{})
		switch {
		case err != nil:
			s.fail(err.Error())
		case ok:
			moves = append(moves, move{op: wait})
		default:
			s.quiet(x)
		}
	}
	moves = append(moves, s.otherMoves(x)...)
	for i, m := range moves {
		if s.stop() {
			return
		}
		l := label(x, m)
		y := x
		if i < len(moves)-1 {
			y = x.clone()
		}
		ok, err := s.do(y, m)
		s.path = append(s.path, l)
		if err != nil {
			s.fail(err.Error())
			return
		}
		if ok {
			s.res.Transitions++
			s.visit(y)
		}
		s.path = s.path[:len(s.path)-1]
	}
}

func (s *search) fail(what string) {
	s.res.Broken = what
	s.res.History = append([]string(nil), s.path...)
}

// quiet compares a state in which nothing moves any more with the oracle.
func (s *search) quiet(x *state) {
	end := oracle.Line(x.w.Store.Objects())
	if !slices.Contains(s.permitted(x.actions).lines, end) {
		s.fail(fmt.Sprintf("quiet with [%s], which is not permitted: held %v", end, x.side().Engine.Held(4)))
		return
	}
	if err := x.side().Engine.Check(); err != nil {
		s.fail(err.Error())
	}
}

// ends are permitted end states.
type ends struct {
	lines []string // sorted
	id    uint64
}

func (s *search) permitted(actions []oracle.Action) *ends {
	if n := len(s.lastActions); n == len(actions) && n > 0 && &s.lastActions[0] == &actions[0] {
		return s.lastEnds
	}
	var b strings.Builder
	for _, a := range actions {
		b.WriteString(a.String() + "; ")
	}
	e, ok := s.ends[b.String()]
	if !ok {
		e = &ends{lines: oracle.Ends(s.start, actions, oracle.Config{})}
		var p printer
		for _, line := range e.lines {
			p.text(line)
		}
		e.id = p.hash
		s.ends[b.String()] = e
	}
	s.lastActions, s.lastEnds = actions, e
	return e
}

func (s *search) settle(x *state) error {
	for {
		if err := s.hasten(x); err != nil || !s.scope.Prompt || !s.goes(x) {
			return err
		}
		w := x.w.Clone()
		_, ok, err := w.Issue(0, ownergraph.LaneStore)
		if err != nil || ok {
			return err
		}
		x.w = w
	}
}

func (s *search) hasten(x *state) error {
	for again := true; again; {
		again = false
		for k := range x.side().Streams {
			for st := &x.side().Streams[k]; len(st.Events) > 0; {
				t := st.Events[0].Type
				if t == graph.FencePassed && !s.scope.LateReports {
				} else {
					break
				}
				if err := x.w.Deliver(0, k); err != nil {
					return err
				}
			}
		}
		if s.scope.Hasten {
			ok, err := x.w.Begin(0)
			if err != nil {
				return err
			}
			again = ok
		}
		if !s.scope.HoldSet {
			for len(x.side().Sets) > 0 && !reports(x) {
				if err := x.w.PassSet(0); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func reports(x *state) bool {
	for _, st := range x.side().Streams {
		if len(st.Fences) > 0 || slices.ContainsFunc(st.Events, func(e graph.Event) bool { return e.Type == graph.FencePassed }) {
			return true
		}
	}
	return false
}
