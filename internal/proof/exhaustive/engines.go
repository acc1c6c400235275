package exhaustive

import (
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/share"
)

// engines numbers the states of an engine by fingerprint, from 1 on, and the effect of
// each input on each of them. An engine runs only once for an input. Then it is soon
// dropped, and made again by the inputs that led to it.
type engines struct {
	words  *words
	kinds  []graph.KindInfo
	late   bool
	tokens bool
	later  bool        // verdicts
	sets   []share.Set // of the shares, by mask; nil without shares
	items  []engineState
	known  dict // by fingerprint
	kept   [maxKept]*live
	pinned []*live // the first ones, by number
	ran    dict    // by engine and input
	came   []came
	spoken []said
	number dict // of outputs
}

// maxKept is the number of engines that are kept. It is a power of two.
const maxKept = 1 << 12

// engineState has the facts about an engine that do not need the engine itself.
type engineState struct {
	print uint64
	from  uint32 // the engine from which it was made, 0 for a first one
	by    input
	due   time.Duration // how long it waits, unknownDue if that is not computed, -1 for ever
	busy  bool
	idle  bool // a pump would find no move
	sound bool // it has been checked
}

const unknownDue = -2

// came is the effect of an input: an engine, 0 if it breaks, and its output. If hangs
// is set, the effect depends on the set of kinds without pending events.
type came struct {
	engine, said uint32
	hangs        bool
}

func newEngines(words *words, kinds []graph.KindInfo, scope Scope, sets []share.Set) *engines {
	return &engines{
		words: words, kinds: kinds, late: scope.Late, tokens: scope.Tokens, later: scope.Verdicts, sets: sets,
		items: make([]engineState, 1), pinned: make([]*live, 1), came: make([]came, 1), spoken: make([]said, 1),
	}
}

// first numbers a first engine. It must have no calls in flight.
func (e *engines) first(l *live) uint32 {
	n := e.enter(l, 0, input{})
	for int(n) >= len(e.pinned) {
		e.pinned = append(e.pinned, nil)
	}
	e.pinned[n] = l
	return n
}

// print stands for an engine, its settings, and the verdict that it has not got yet.
func (l *live) print() uint64 {
	print := probe.Fingerprint(l.engine, nil)
	if l.guard == GuardUnset {
		return print
	}
	p := printer{hash: print}
	p.word(uint64(l.guard))
	if l.judging.ID != 0 {
		p.verdict(l.verdict)
	}
	return p.hash
}

// enter returns the number of an engine and keeps the engine, if it is new. The first
// engine with a fingerprint stands for the others.
func (e *engines) enter(l *live, from uint32, by input) uint32 {
	print := l.print()
	n := e.known.get(print)
	if n == 0 {
		n = uint32(len(e.items))
		s := engineState{print: print, from: from, by: by, due: unknownDue, busy: probe.Busy(l.engine)}
		s.idle = !s.busy && (!e.late || l.idle())
		e.items = append(e.items, s)
		e.known.put(print, n)
		l.number = n
		e.kept[n%maxKept] = l
	}
	return n
}

// live returns the engine with a number. The caller must not run it.
func (e *engines) live(n uint32) *live {
	if int(n) < len(e.pinned) && e.pinned[n] != nil {
		return e.pinned[n]
	}
	if l := e.kept[n%maxKept]; l != nil && l.number == n {
		return l
	}
	s := &e.items[n]
	l := e.live(s.from).clone()
	err := e.run(l, s.by, &said{})
	if l.print() != s.print || err != nil {
		panic(fmt.Sprintf("the same inputs lead to another engine than number %d", n))
	}
	l.number = n
	e.kept[n%maxKept] = l
	return l
}

// tell returns the effect of an input on an engine.
func (e *engines) tell(n uint32, in input) (uint32, *said) {
	if e.late && in.op != inputPump {
		in.empty, in.room = 0, 0
	}
	any := in
	any.empty = 0
	i := e.ran.get(any.hash(n))
	if i != 0 && e.came[i].hangs && in.empty != 0 {
		i = e.ran.get(in.hash(n))
	}
	var c came
	if i != 0 {
		c = e.came[i]
	}
	if c.said == 0 {
		c = e.learn(n, in)
	}
	return c.engine, &e.spoken[c.said]
}

// learn runs an engine and notes the effect.
func (e *engines) learn(n uint32, in input) came {
	l := e.live(n).clone()
	out, words := came{}, said{}
	if words.bad = e.run(l, in, &words); words.bad == nil {
		out.engine = e.enter(l, n, in)
	}
	out.said, out.hangs = e.say(words), len(words.control) > 0
	any := in
	any.empty = 0
	if out.hangs && in.empty != 0 { // without any pending event the effect may differ
		if h := any.hash(n); e.ran.get(h) == 0 {
			e.note(h, came{hangs: true})
		}
	} else {
		in = any
	}
	e.note(in.hash(n), out)
	return out
}

// say numbers the output of an engine. A broken rule ends the search.
func (e *engines) say(s said) uint32 {
	p := printer{hash: seed}
	p.flags(s.bad != nil)
	for _, k := range s.control {
		p.word(uint64(k + 3))
	}
	for _, c := range s.calls {
		p.word(uint64(c) << 8)
	}
	return number(&e.number, &e.spoken, p.hash, s)
}

func (e *engines) note(h uint64, out came) {
	if i := e.ran.get(h); i != 0 {
		e.came[i] = out
		return
	}
	e.came = append(e.came, out)
	e.ran.put(h, uint32(len(e.came)-1))
}

// due returns how long an engine waits, and whether it waits at all.
func (e *engines) due(n uint32) (time.Duration, bool) {
	if s := &e.items[n]; s.due == unknownDue {
		s.due = e.live(n).due()
	}
	return e.items[n].due, e.items[n].due >= 0
}

// check returns the broken invariant of an engine.
func (e *engines) check(n uint32) error {
	if e.items[n].sound {
		return nil
	}
	e.items[n].sound = true
	return probe.Check(e.live(n).engine)
}
