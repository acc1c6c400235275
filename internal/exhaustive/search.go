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

// search explores one graph depth first over fingerprints.
type search struct {
	scope    Scope
	n        int
	start    []graph.Object
	seen     map[uint64]struct{}
	ends     map[string]map[string]bool // permitted end states, by actions
	path     []string
	res      Result
	versions bool
}

// Search visits every state of the scope on the graph.
func Search(start []graph.Object, scope Scope) Result {
	s := &search{scope: scope, n: len(start), start: start, seen: map[uint64]struct{}{}, ends: map[string]map[string]bool{}}
	s.res.Graph = graph.Format(start)
	w, err := world.New(ownergraph.Level2, config, 1, nil, start)
	if err == nil {
		err = w.Settle()
	}
	if err != nil {
		s.res.Broken = err.Error()
		return s.res
	}
	w.LateSets = scope.HoldSet
	x := &state{w: w, crashes: scope.Crashes, listings: scope.Listings, waits: scope.Waits}
	s.visit(x)
	return s.res
}

func (s *search) stop() bool { return s.res.Broken != "" || s.res.Cut }

// visit explores a state that may have been seen.
func (s *search) visit(x *state) {
	if s.scope.Hasten {
		if err := x.w.Hasten(); err != nil {
			s.fail(err.Error())
			return
		}
	}
	if s.scope.Prompt {
		for s.goes(x) {
			w := x.w.Clone()
			_, ok, err := w.Issue(0, ownergraph.LaneStore)
			if err != nil {
				s.fail(err.Error())
				return
			}
			if ok {
				break
			}
			if s.scope.Hasten {
				if err := w.Hasten(); err != nil {
					s.fail(err.Error())
					return
				}
			}
			x.w = w
		}
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
	if !s.permitted(x.actions)[end] {
		s.fail(fmt.Sprintf("quiet with [%s], which is not permitted: held %v", end, x.side().Engine.Held(4)))
		return
	}
	if err := x.side().Engine.Check(); err != nil {
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
