package exhaustive

import (
	"cmp"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// explorer visits the nodes of one graph depth first.
type explorer struct {
	*tables
	start  []graph.Object
	seen   visited
	stack  []successor
	path   []short
	res    Result
	begun  time.Time
	states int64     // the bound of the present branch, 0 for none
	until  time.Time // likewise
	cut    bool      // the bound was reached
	exact  bool      // in tests: a node with more left does not stand for one with less
	hooks  hooks     // in tests
	saw    func(end string)
}

// Search visits every state of the scope on a graph. Each object of the graph has a
// kind and a UID, and a place of its own. The first moves share a bound, so that a
// search that is cut off has seen a part of each branch.
func Search(start []graph.Object, scope Scope) Result {
	if scope.defect != nil {
		s := newSearch(start, scope)
		s.run()
		return s.res
	}
	e := newExplorer(start, scope)
	e.run()
	return e.res
}

func newExplorer(start []graph.Object, scope Scope) *explorer {
	return &explorer{
		start: start, begun: time.Now(),
		res: Result{Graph: graph.Format(start), start: start, scope: scope},
	}
}

// begin makes the tables, and returns the first node.
func (e *explorer) begin() (node, bool) {
	t, first, err := newTables(e.start, e.res.scope)
	if err != nil {
		e.res.Broken = err
		return first, false
	}
	e.tables, t.pasts.hooks, t.judge.saw = t, e.hooks, e.saw
	return first, true
}

func (e *explorer) run() {
	defer func() {
		if why := recover(); why != nil {
			e.res.Broken = fmt.Errorf("the engine panics: %v", why)
			e.res.History = e.tellPanic()
		}
	}()
	if first, ok := e.begin(); ok {
		e.visit(&first)
		e.res.Engines = int64(len(e.engines.items) - 1)
	}
}

// visit explores a node, if it is new.
func (e *explorer) visit(x *node) {
	h := x.hash(e.sides)
	if !e.enter(x, h) {
		return
	}
	first := len(e.stack)
	var err error
	if e.stack, err = e.expand(x, e.stack); err != nil {
		e.fail(err, false)
	}
	branches := len(e.stack) - first
	for i := range branches {
		if len(e.path) == 0 {
			e.share(i, branches)
		}
		if e.stop() {
			break
		}
		e.try(&e.stack[first+i])
	}
	e.stack = e.stack[:first]
	e.seen.leave(h, e.left(x))
}

func (e *explorer) stop() bool { return e.cut || e.res.Broken != nil }

// try goes on from the successor of a node.
func (e *explorer) try(s *successor) {
	e.path = append(e.path, s.move)
	switch {
	case len(e.path) > maxMoves:
		e.fail(errEndless, false)
	case s.bad != nil:
		e.fail(s.bad, true)
	default:
		e.res.Transitions++
		x := s.node
		e.visit(&x)
	}
	e.path = e.path[:len(e.path)-1]
}

// left numbers the crashes and listings that are left.
func (e *explorer) left(x *node) uint8 {
	return x.crashes*uint8(e.scope.Listings+1) + x.listings
}

// more has a bit for each number that has at least as much left.
func (e *explorer) more(x *node) (bits uint8) {
	if e.exact {
		return 1 << e.left(x)
	}
	for c := int(x.crashes); c <= e.scope.Crashes; c++ {
		for l := int(x.listings); l <= e.scope.Listings; l++ {
			bits |= 1 << (c*(e.scope.Listings+1) + l)
		}
	}
	return bits
}

// enter reports whether a node has to be explored, and counts it. Users and faults
// leave less of the scope. So only an engine's moves can lead back to a node on the way
// there. A pump without room for a call may be without effect. Any other move has to
// have one.
func (e *explorer) enter(x *node, h uint64) bool {
	fresh, onWay := e.seen.enter(h, e.left(x), e.more(x))
	if onWay {
		last := e.path[len(e.path)-1]
		if last.op != opPump || int(x.sides[last.side].under) < e.scope.calls() {
			e.fail(errRepeats, false)
		}
	}
	if fresh {
		e.count()
	}
	return fresh
}

func (e *explorer) count() {
	e.res.States++
	if e.states > 0 && e.res.States > e.states ||
		!e.until.IsZero() && e.res.States%256 == 0 && time.Now().After(e.until) {
		e.cut, e.res.Cut = true, true
	}
}

// branchShare is the number of even shares of the time that a branch may take. The
// later branches need not visit the nodes of an earlier one.
const branchShare = 4

// share bounds the i-th branch of so many.
func (e *explorer) share(i, branches int) {
	e.cut = false
	e.states = int64(e.scope.States) * int64(i+1) / int64(branches)
	if !e.scope.Deadline.IsZero() {
		parts := min(branchShare*(i+1), branches)
		e.until = e.begun.Add(e.scope.Deadline.Sub(e.begun) / time.Duration(branches) * time.Duration(parts))
	}
}

// fail notes a broken rule, of the last move or of the node after it, and makes its
// history on a real world.
func (e *explorer) fail(err error, moved bool) {
	if e.stop() {
		return
	}
	path := e.long()
	h, broken := tell(e.start, e.res.scope, path)
	if moved && broken == nil {
		broken = fmt.Errorf("the tables say %w, and the world does not", err)
	}
	e.res.History, e.res.Broken = h, cmp.Or(broken, err)
}

// tellPanic returns the history up to the panic of an engine, as far as it can be made
// again.
func (e *explorer) tellPanic() (h History) {
	defer func() { _ = recover() }()
	if e.tables == nil {
		return nil
	}
	path := e.long()
	h, _ = tell(e.start, e.res.scope, path)
	return h
}

// long returns the moves that led to the present node.
func (e *explorer) long() []move {
	path := make([]move, len(e.path))
	for i, m := range e.path {
		path[i] = move{op: m.op, side: int(m.side), at: int(m.at), action: e.pasts.deeds[m.action]}
	}
	return path
}
