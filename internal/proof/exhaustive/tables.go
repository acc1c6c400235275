package exhaustive

import (
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// tables has every move of one graph. It computes equal parts of many states only once.
// It makes the moves of a state (state.do) on numbers.
type tables struct {
	scope   Scope
	kinds   int
	sides   int
	objects int
	words   words
	lists   lists // of events, by stream
	late    lists // of calls
	pasts   *pasts
	engines *engines
	fresh   [maxSides]uint32 // the engine of each side that knows only the kinds
	judge   *judge
	seqs    []seq // of actions
	first   node  // of the search
	then    dict  // by sequence and action
	same    dict  // sequences by the end states that they permit
	ends    dict  // by past and actions: judged well
}

// seq is a sequence of actions. One complete sequence stands for all that permit the
// same end states.
type seq struct {
	done   []oracle.Action // since the last rewind
	used   int             // actions in all
	judged bool
	ends   ends
}

// successor is the node after a move.
type successor struct {
	move short
	node node
	bad  error
}

// short is a move in numbers.
type short struct {
	op     op
	side   uint8
	at     int8
	action uint32
}

func newTables(start []graph.Object, scope Scope) (*tables, node, error) {
	x, err := begin(start, scope)
	if err != nil {
		return nil, node{}, err
	}
	t := &tables{
		scope: scope, kinds: len(x.w.Kinds), sides: scope.engines(), objects: len(start), words: newWords(), lists: newLists(), late: newLists(),
		judge: newJudge(start, scope.oracle()), seqs: make([]seq, 1),
	}
	if t.kinds > maxKinds || t.sides > maxSides || scope.calls() > maxCalls {
		return nil, node{}, fmt.Errorf("search %s: at most %d kinds, %d engines and %d calls at once: %w",
			graph.Format(start), maxKinds, maxSides, maxCalls, graph.ErrInvalid)
	}
	t.pasts = newPasts(x.w, start, scope.Users, &t.words, &t.lists)
	t.engines = newEngines(&t.words, x.w.Kinds, scope, x.sets)
	n := node{
		crashes: uint8(scope.Crashes), listings: uint8(scope.Listings), waits: uint8(scope.Waits), switches: uint8(scope.Switches),
		rewinds: uint8(scope.Rewinds), outages: uint8(scope.Outages), pauses: uint8(scope.Pauses), moves: uint8(scope.Shares), masks: x.masks,
	}
	for i, s := range x.w.Sides {
		n.sides[i].engine = t.engines.first(&live{engine: s.Engine, now: x.w.Now, guard: scope.guard(i), mask: x.masks[i]})
	}
	for i := range x.w.Sides {
		if err := x.w.Crash(i); err != nil {
			return nil, node{}, err
		}
		t.fresh[i] = t.engines.first(&live{engine: x.w.Sides[i].Engine, now: x.w.Now, guard: scope.guard(i), mask: x.masks[i]})
	}
	w := *x.w
	w.Sides = nil
	n.past = t.pasts.number(&w, scope.Actions == 0)
	t.first = n
	return t, n, nil
}

// expand appends the successors of a node. An error says that the node itself breaks a
// rule.
func (t *tables) expand(x *node, out []successor) ([]successor, error) {
	before := len(out)
	barred := false // by the bound on switches
	for s := range t.sides {
		if x.turn != 0 && int(x.turn) != s+1 && x.switches == 0 {
			barred = barred || t.moves(x, s, func(short) {}) > 0
			continue
		}
		t.moves(x, s, func(m short) { out = t.make(x, m, out) })
	}
	for i := range t.late.items[x.late] {
		out = t.make(x, short{op: opLateWrite, at: int8(i)}, out)
	}
	for k := range t.kinds {
		if x.down>>k&1 != 0 {
			out = t.make(x, short{op: opRecover, at: int8(k)}, out)
		}
	}
	for s := range t.sides {
		if x.paused>>s&1 != 0 {
			out = t.make(x, short{op: opResume, side: uint8(s)}, out)
		}
		if t.scope.Shares > 0 && missing(x.masks, t.objects) != 0 {
			out = t.make(x, short{op: opCover, side: uint8(s)}, out)
		}
	}
	if len(out) == before && !barred {
		switch due, ok := t.due(x); {
		case !ok:
			if err := t.quiet(x); err != nil {
				return out, err
			}
		case due > never/2:
			return out, errStuck
		default:
			out = t.make(x, short{op: opWait}, out)
		}
	}
	return t.others(x, out), nil
}

// moves reports the moves of one side to tell, and returns their number.
func (t *tables) moves(x *node, side int, tell func(short)) (n int) {
	s := &x.sides[side]
	add := func(o op, at int) {
		n++
		tell(short{op: o, side: uint8(side), at: int8(at)})
	}
	marked := false
	for k := range t.kinds {
		if s.unreported>>k&1 != 0 && t.overtaken(x.past, s, k) {
			add(opRenew, -1-k)
		}
		if s.streams[k] != 0 && x.down>>k&1 == 0 {
			add(opDeliver, k)
		}
		marked = marked || t.marked(s.streams[k])
	}
	if s.set && (!marked || t.scope.setsEarly()) {
		add(opSet, 0)
	}
	if s.asked {
		add(opToken, 0)
	}
	if s.judging {
		add(opVerdict, 0)
		add(opJudge, 0)
	}
	for i := range int(s.under) {
		c := s.calls[i]
		reads := t.words.calls[c.call].Type == engine.CallRead
		if reads && t.outdated(t.read(x, c.call), c.result) {
			add(opRenew, i)
		}
		if t.scope.Late && !reads && c.result == 0 {
			add(opExecute, i)
		} else {
			add(opComplete, i)
		}
	}
	if t.scope.Late && !t.engines.items[s.engine].idle {
		add(opPump, 0)
	}
	return n
}

// marked reports whether a stream has a fence's mark.
func (t *tables) marked(list uint32) bool {
	for _, e := range t.lists.items[list] {
		if t.words.marker(e) {
			return true
		}
	}
	return false
}

// overtaken does the same as World.Overtaken.
func (t *tables) overtaken(past uint32, s *side, k int) bool {
	now := t.lists.items[t.pasts.listing(past, k)]
	reported := t.lists.items[s.streams[k]]
	if len(reported) < len(now) {
		return true
	}
	for i := range now {
		if now[i] != reported[i] {
			return true
		}
	}
	return false
}

// others appends the successors by users and faults.
func (t *tables) others(x *node, out []successor) []successor {
	if t.seqs[x.actions].used < t.scope.Actions {
		for _, a := range t.pasts.actions(x.past) {
			if x.down != 0 && x.down>>t.engines.kind(t.pasts.deeds[a].Object.Kind)&1 != 0 {
				continue
			}
			out = t.make(x, short{op: opUser, action: a}, out)
		}
	}
	if x.waits > 0 {
		if due, ok := t.due(x); ok && due < never/2 {
			out = t.make(x, short{op: opEarlyTimeout}, out)
		}
	}
	out = t.outside(x, out)
	for s := range t.sides {
		if x.crashes > 0 && x.down == 0 {
			out = t.make(x, short{op: opCrash, side: uint8(s)}, out)
		}
		if x.pauses > 0 && x.paused>>s&1 == 0 {
			out = t.make(x, short{op: opPause, side: uint8(s)}, out)
		}
		for at := range t.objects {
			if x.moves > 0 {
				out = t.make(x, short{op: opShare, side: uint8(s), at: int8(at)}, out)
			}
		}
		for k := range t.kinds {
			if x.listings > 0 && x.down>>k&1 == 0 {
				out = t.make(x, short{op: opList, side: uint8(s), at: int8(k)}, out)
			}
		}
	}
	return out
}

// outside appends the successors by changes of the store and of its kinds.
func (t *tables) outside(x *node, out []successor) []successor {
	if x.rewinds > 0 && x.down == 0 {
		out = t.make(x, short{op: opRewind}, out)
	}
	for k := range t.kinds {
		if x.down>>k&1 != 0 {
			continue
		}
		if x.outages > 0 {
			out = t.make(x, short{op: opSick, at: int8(k)}, out)
		}
	}
	return out
}

// due returns the shortest wait of an engine, and whether any engine waits.
func (t *tables) due(x *node) (least time.Duration, ok bool) {
	for s := range t.sides {
		if due, waits := t.engines.due(x.sides[s].engine); waits && (!ok || due < least) {
			least, ok = due, true
		}
	}
	return least, ok
}
