package exhaustive

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// make appends the successor of a move, unless the move has no effect.
func (t *tables) make(x *node, m short, out []successor) []successor {
	out = append(out, successor{move: m, node: *x})
	y := &out[len(out)-1]
	ok, err := t.carryOut(&y.node, m)
	if !ok && err == nil {
		return out[:len(out)-1]
	}
	y.bad = err
	return out
}

func (t *tables) carryOut(x *node, m short) (bool, error) {
	s := &x.sides[m.side]
	t.take(x, m)
	at := int(m.at)
	switch m.op {
	case opDeliver:
		return true, t.deliver(x, m.side, at)
	case opSet:
		s.set = false
		return true, t.tell(x, m.side, input{op: inputSet})
	case opToken:
		s.asked = false
		return true, t.tell(x, m.side, input{op: inputToken})
	case opVerdict, opJudge:
		s.judging = false
		return true, t.tell(x, m.side, input{op: inputVerdict, slot: uint8(btoi(m.op == opJudge))})
	case opPump:
		return true, t.tell(x, m.side, input{op: inputPump})
	case opRenew:
		if at < 0 {
			t.list(x, s, -1-at)
		} else {
			s.calls[at].result = t.read(x, s.calls[at].call)
		}
	case opExecute:
		r, err := t.write(x, s.calls[at].call)
		s.calls[at].result = r
		return true, err
	case opComplete:
		return true, t.complete(x, m.side, at)
	case opLateWrite:
		late := t.late.items[x.late]
		x.late = t.late.number(slices.Concat(late[:at], late[at+1:]))
		_, err := t.write(x, late[at])
		return true, err
	case opWait:
		return true, t.wait(x)
	case opEarlyTimeout:
		x.waits--
		return true, t.wait(x)
	case opUser:
		return t.act(x, m.action)
	case opCrash:
		x.crashes--
		return true, t.crash(x, m.side)
	case opList:
		x.listings--
		s.unreported &^= 1 << at
		t.list(x, s, at)
	case opPause, opResume:
		return true, t.pause(x, m.side, m.op == opPause)
	case opShare, opCover:
		return true, t.share(x, m)
	default:
		return true, t.change(x, m.op, at)
	}
	return true, nil
}

// take counts a switch from one engine to the other.
func (t *tables) take(x *node, m short) {
	if t.sides == 1 || !m.op.engine() {
		return
	}
	if x.turn != 0 && x.turn != m.side+1 {
		x.switches--
	}
	x.turn = m.side + 1
}

// tell gives an engine an input, and carries out its output.
func (t *tables) tell(x *node, side uint8, in input) error {
	s := &x.sides[side]
	in.empty, in.room = s.empty(t.kinds)&^x.down, uint8(t.scope.calls())-s.under
	machine, c := t.engines.tell(s.engine, in)
	if c.bad != nil {
		return c.bad
	}
	s.engine = machine
	for _, k := range c.control {
		switch k {
		case fence:
			t.fence(x, s)
		case judged:
			s.judging = true
		default:
			t.list(x, s, int(k))
		}
	}
	for _, call := range c.calls {
		u := under{call: call}
		if t.words.calls[call].Type == engine.CallRead {
			u.result = t.read(x, call)
		}
		s.calls[s.under] = u
		s.under++
	}
	return nil
}

// fence puts the fence's mark into each stream with pending events, and into a stream
// that is watched again later.
func (t *tables) fence(x *node, s *side) {
	s.set, s.asked = true, t.scope.Tokens
	for k := range t.kinds {
		l := t.lists.without(s.streams[k], t.words.marker)
		if l != 0 || s.streams[k] != 0 || x.down>>k&1 != 0 {
			l = t.lists.push(l, t.mark(k))
		}
		s.streams[k] = l
	}
}

func (t *tables) mark(k int) uint32 {
	return t.words.event(graph.Event{Type: graph.FencePassed, Kind: t.pasts.kinds[k].Kind}, k)
}

// list begins a listing of a kind.
func (t *tables) list(x *node, s *side, k int) {
	l := t.pasts.listing(x.past, k)
	if t.marked(s.streams[k]) {
		l = t.lists.push(l, t.mark(k))
	}
	s.streams[k] = l
}

// deliver does the same as state.deliver.
func (t *tables) deliver(x *node, side uint8, k int) error {
	s := &x.sides[side]
	s.unreported &^= 1 << k
	in := input{op: inputEvents, one: t.lists.first(s.streams[k])}
	s.streams[k] = t.lists.tail(s.streams[k])
	if t.words.events[in.one].Type == graph.ListBegun && !t.engines.items[s.engine].busy {
		in.two = t.lists.first(s.streams[k])
		s.streams[k] = t.lists.tail(s.streams[k])
	}
	for s.streams[k] != 0 && t.words.marker(t.lists.first(s.streams[k])) {
		in.fenced = true
		s.streams[k] = t.lists.tail(s.streams[k])
	}
	return t.tell(x, side, in)
}

// write carries out a call on the store, and returns the number of the result.
func (t *tables) write(x *node, call uint32) (uint32, error) {
	if r := t.failing(x, call); r != 0 {
		return r, nil
	}
	w := t.pasts.write(x.past, call)
	x.past = w.past
	t.publish(x, w.events)
	return w.result, w.bad
}

func (t *tables) publish(x *node, events []uint32) {
	for _, event := range events {
		k := t.words.kinds[event]
		for s := range t.sides {
			if x.down>>k&1 != 0 {
				continue
			}
			x.sides[s].streams[k] = t.lists.push(x.sides[s].streams[k], event)
		}
	}
}

// complete ends a call in flight.
func (t *tables) complete(x *node, side uint8, i int) error {
	s := &x.sides[side]
	c := s.calls[i]
	s.drop(i)
	if c.result == 0 {
		var err error
		if c.result, err = t.write(x, c.call); err != nil {
			return err
		}
	}
	return t.tell(x, side, input{op: inputDone, slot: uint8(i), one: c.result})
}

// wait lets time pass, and tells the engines.
func (t *tables) wait(x *node) error {
	due, _ := t.due(x)
	for s := range t.sides {
		if err := t.tell(x, uint8(s), input{op: inputTime, wait: due}); err != nil {
			return err
		}
	}
	return nil
}

// act makes a user's action.
func (t *tables) act(x *node, action uint32) (bool, error) {
	last := t.seqs[x.actions].used+1 == t.scope.Actions
	w := t.pasts.act(x.past, action, last)
	if !w.changed {
		return false, w.bad
	}
	bad := w.bad
	x.past = w.past
	t.publish(x, w.events)
	x.actions = t.extend(x.actions, action)
	return true, bad
}

// rewound stands among actions for a rewind. The actions before it no longer count.
const rewound = ^uint32(0)

// extend returns the sequence with one more action.
func (t *tables) extend(n, action uint32) uint32 {
	h := hash(uint64(n)<<32 | uint64(action))
	if action == rewound {
		h = hash(uint64(t.seqs[n].used), uint64(rewound))
	}
	next := t.then.get(h)
	if next != 0 {
		return next
	}
	next = uint32(len(t.seqs))
	q := seq{used: t.seqs[n].used}
	if action != rewound {
		q.used++
		q.done = append(slices.Clone(t.seqs[n].done), t.pasts.deeds[action])
	}
	t.seqs = append(t.seqs, q)
	if q.used == t.scope.Actions && t.scope.States == 0 { // a search that is cut off sees few ends
		number := t.permitted(next).number
		if same := t.same.get(number); same != 0 {
			next = same
		} else {
			t.same.put(number, next)
		}
	}
	t.then.put(h, next)
	return next
}

// permitted returns the end states after a sequence.
func (t *tables) permitted(n uint32) ends {
	q := &t.seqs[n]
	if !q.judged {
		q.judged, q.ends = true, t.judge.permitted(q.done)
	}
	return q.ends
}

// quiet judges a node in which no move is left.
func (t *tables) quiet(x *node) error {
	h := hash(uint64(x.past)<<32 | uint64(x.actions))
	if t.ends.get(h) == 0 {
		end := t.pasts.end(x.past)
		if t.judge.saw != nil {
			t.judge.saw(end)
		}
		if p := t.permitted(x.actions); !slices.Contains(p.lines, end) {
			return fmt.Errorf("ends with %q, permitted are %q", end, p.lines)
		}
		if err := t.pasts.undo(x.past, t.judge.cfg); err != nil {
			return err
		}
		t.ends.put(h, 1)
	}
	for s := range t.sides {
		if err := t.engines.check(x.sides[s].engine); err != nil {
			return err
		}
	}
	return nil
}

// crash ends an engine, and begins another one.
func (t *tables) crash(x *node, side uint8) error {
	s := &x.sides[side]
	late := slices.Clone(t.late.items[x.late])
	for _, c := range s.calls[:s.under] {
		if c.result == 0 {
			late = append(late, c.call)
		}
	}
	x.late = t.late.number(late)
	s.reset(t.fresh[side])
	x.paused &^= 1 << side
	x.masks[side] = t.first.masks[side]
	for k := range t.kinds {
		t.list(x, s, k)
		s.unreported |= 1 << k
	}
	if t.scope.Late {
		return nil
	}
	return t.tell(x, side, input{op: inputPump})
}
