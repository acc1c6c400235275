package exhaustive

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// errLost is the result of a write in flight when the store is restored. The write is
// not carried out, and its outcome is unknown.
var errLost = errors.New("no answer: the store is being restored")

// errSick is the result of calls about a sick kind.
var errSick = errors.New("the kind is down")

const (
	whySick     = "the watch has ended"
	whyRestored = "restored"
)

// news returns the events of a change of the store or of a kind.
func (e *engines) news(in input) []graph.Event {
	switch in.op {
	case inputRewound:
		return []graph.Event{{Type: graph.Rewound, Reason: whyRestored}}
	case inputSick:
		return []graph.Event{{Type: graph.KindSick, Kind: e.kinds[in.one].Kind, Reason: whySick}}
	case inputWell:
		return []graph.Event{{Type: graph.KindRecovered, Kind: e.kinds[in.one].Kind}}
	}
	return nil
}

// change makes a change of the store or of a kind.
func (t *tables) change(x *node, o op, k int) error {
	in := input{one: uint32(k)}
	switch bit := uint8(1) << k; o {
	case opRewind:
		x.rewinds--
		in = input{op: inputRewound}
		t.restore(x)
	case opSick:
		x.outages--
		x.down |= bit
		in.op = inputSick
		t.cut(x, k)
	case opRecover:
		x.down &^= bit
		in.op = inputWell
		t.relist(x, k)
	default:
		return fmt.Errorf("op %d: no such move", o)
	}
	for s := range t.sides {
		if err := t.tell(x, uint8(s), in); err != nil {
			return err
		}
	}
	return nil
}

// restore restores the store to its start.
func (t *tables) restore(x *node) {
	x.actions = t.extend(x.actions, rewound)
	x.past = t.pasts.number(t.pasts.items[t.first.past].w, t.seqs[x.actions].used == t.scope.Actions)
	x.late = 0
	lost := t.words.result(engine.Result{Err: errLost})
	for i := range t.sides {
		s := &x.sides[i]
		s.set = false
		for c := range s.calls[:s.under] {
			if u := &s.calls[c]; u.result == 0 {
				u.result = lost
			}
		}
		for k := range t.kinds {
			s.streams[k] = 0
		}
	}
	for k := range t.kinds {
		t.relist(x, k)
	}
}

// relist lets every engine list a kind, now or later.
func (t *tables) relist(x *node, k int) {
	for i := range t.sides {
		s := &x.sides[i]
		t.list(x, s, k)
		s.unreported |= 1 << k
	}
}

// cut ends the streams of a kind. Their pending events are lost, except for fences.
func (t *tables) cut(x *node, k int) {
	for i := range t.sides {
		s := &x.sides[i]
		s.unreported &^= 1 << k
		l := uint32(0)
		if t.marked(s.streams[k]) {
			l = t.lists.push(0, t.mark(k))
		}
		s.streams[k] = l
	}
}

// read returns the present answer to a read.
func (t *tables) read(x *node, call uint32) uint32 {
	if r := t.failing(x, call); r != 0 {
		return r
	}
	return t.pasts.read(x.past, call)
}

// failing returns the result of a call about a sick kind, 0 if the kind is well.
func (t *tables) failing(x *node, call uint32) uint32 {
	if x.down == 0 || x.down>>t.engines.kind(t.words.calls[call].Key.Kind)&1 == 0 {
		return 0
	}
	return t.words.result(engine.Result{Err: errSick})
}

// outdated does the same as World.Outdated.
func (t *tables) outdated(now, then uint32) bool {
	if now == then {
		return false
	}
	a, b := &t.words.results[now], &t.words.results[then]
	return (a.Err == nil) != (b.Err == nil) || a.Object.UID != b.Object.UID || a.Object.Version != b.Object.Version
}

// befall makes a change of the store or of a kind on a world.
func (x *state) befall(o op, k int) error {
	switch bit := uint64(1) << k; o {
	case opRewind:
		x.rewinds--
		return x.restore()
	case opSick:
		x.outages--
		x.down |= bit
		x.tellLater(k, false)
		x.w.Down(x.w.Kinds[k].Kind, true)
		return x.w.Sicken(k, whySick)
	case opRecover:
		x.down &^= bit
		x.w.Down(x.w.Kinds[k].Kind, false)
		if err := x.w.Recover(k); err != nil {
			return err
		}
		x.tellLater(k, true)
		return nil
	}
	return fmt.Errorf("op %d: no such move", o)
}

// tellLater notes that an engine has heard nothing of a kind's listing. If so asked, it
// begins the listing. Otherwise it notes that there is none.
func (x *state) tellLater(k int, begins bool) {
	for i := range x.w.Sides {
		x.unreported[i] &^= 1 << k
		if begins {
			x.w.List(i, k)
			x.unreported[i] |= 1 << k
		}
	}
}

func (x *state) restore() error {
	x.actions = nil
	x.w.Store, x.w.Ledger, x.w.Zombies = x.first.Store, x.first.Ledger.Clone(), nil
	for i, s := range x.w.Sides {
		s.Sets = nil
		for k := range s.Streams {
			s.Streams[k].Fences, s.Streams[k].Events = nil, nil
		}
		for c := range s.Calls {
			if x.w.Uncommitted(i, c) {
				s.Calls[c].Answer.Err, s.Calls[c].Committed = errLost, true
			}
		}
		if err := s.Engine.Observe(x.w.Now, graph.Event{Type: graph.Rewound, Reason: whyRestored}); err != nil {
			return err
		}
	}
	for k := range x.w.Kinds {
		x.tellLater(k, true)
	}
	return nil
}

// upheavals returns the possible changes of the store and of its kinds.
func (x *state) upheavals() (out []move) {
	if x.rewinds > 0 && x.down == 0 {
		out = append(out, move{op: opRewind})
	}
	for k := range x.w.Kinds {
		if x.down>>k&1 != 0 {
			continue
		}
		if x.outages > 0 {
			out = append(out, move{op: opSick, at: k})
		}
	}
	return slices.Clip(out)
}
