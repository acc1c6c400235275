package exhaustive

import (
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
)

// live is an engine that runs.
type live struct {
	number uint32
	engine *engine.Engine
	now    time.Time
	calls  []engine.CallID // in flight, in the order of their issue
	token  uint64          // of the last fence that it began
	asked  engine.CallID   // the call for that fence, 0 once it has returned

	guard   Guard         // its settings
	paused  bool          // by a user
	mask    uint8         // its share
	judging engine.Call   // for a verdict that it has not got yet
	verdict engine.Result // the result of that call
}

// input is an event or a result for an engine. Afterwards the engine goes on as the
// scope says.
type input struct {
	op       inputOp
	slot     uint8  // of the call that ends; 1 for a present verdict; a share
	room     uint8  // for calls
	empty    uint8  // the kinds without pending events, a bit each
	fenced   bool   // the kind of the first event passes a fence after it
	one, two uint32 // events; the result in one
	wait     time.Duration
}

type inputOp uint8

const (
	inputPump inputOp = iota
	inputEvents
	inputSet
	inputDone
	inputToken
	inputVerdict
	inputTime
	inputRewound
	inputSick
	inputWell
	inputPause
	inputResume
	inputShare
)

// said is the output of an engine: the kinds that it lists, and the fences and late
// judgements that it begins, in order, its calls, and a broken rule.
type said struct {
	control []int8
	calls   []uint32
	bad     error
}

// fence stands for a fence among the kinds that are listed.
const fence = -1

func (in input) hash(n uint32) uint64 {
	bits := uint64(in.op)<<40 | uint64(in.slot)<<32 | uint64(in.room)<<24 | uint64(in.empty)<<16 | uint64(btoi(in.fenced))
	return hash(uint64(n)<<32|uint64(in.one), bits, uint64(in.two), uint64(in.wait))
}

func (l *live) clone() *live {
	c := *l
	c.engine = probe.Clone(l.engine)
	c.calls = append([]engine.CallID(nil), l.calls...)
	return &c
}

// idle reports whether a pump would find no move.
func (l *live) idle() bool {
	for _, lane := range [...]engine.Lane{engine.LaneControl, engine.LaneStore} {
		if at, ok := probe.Wake(l.engine, lane); ok && !at.After(l.now.Add(1)) {
			return false
		}
	}
	return true
}

func (l *live) due() time.Duration {
	if l.engine.Idle() {
		return -1
	}
	var next time.Time
	for _, lane := range [...]engine.Lane{engine.LaneStore, engine.LaneControl, engine.LaneHandler} {
		if at, ok := probe.Wake(l.engine, lane); ok && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	if next.IsZero() {
		return -1
	}
	return next.Sub(l.now)
}

// run gives an engine an input, and lets it go on.
func (e *engines) run(l *live, in input, out *said) error {
	heads := uint8(0) // the kinds that pass the fence next
	switch in.op {
	case inputEvents:
		for _, n := range [...]uint32{in.one, in.two} {
			if n == 0 {
				continue
			}
			ev := e.words.events[n]
			if ev.Type == graph.Put {
				ev.Object = ev.Object.Clone()
			}
			if err := l.engine.Observe(l.now, ev); err != nil {
				return err
			}
		}
		heads = uint8(btoi(in.fenced)) << e.words.kinds[in.one]
	case inputPump:
	case inputSet:
		if err := l.passed(""); err != nil {
			return err
		}
	case inputDone:
		id := l.calls[in.slot]
		l.calls = append(l.calls[:in.slot], l.calls[in.slot+1:]...)
		r := e.words.results[in.one]
		r.Object = r.Object.Clone()
		if err := l.engine.Done(l.now, id, r); err != nil {
			return err
		}
	case inputToken:
		if err := l.named(); err != nil {
			return err
		}
	case inputVerdict:
		if err := l.judgedAs(in.slot == 1); err != nil {
			return err
		}
	case inputTime:
		l.now = l.now.Add(in.wait)
		probe.Tick(l.engine, l.now)
	case inputPause, inputResume:
		if err := l.pause(in.op == inputPause); err != nil {
			return err
		}
	case inputShare:
		if err := l.setShare(e.sets, in.slot); err != nil {
			return err
		}
	default:
		for _, ev := range e.news(in) {
			if err := l.engine.Observe(l.now, ev); err != nil {
				return err
			}
		}
	}
	if e.late && in.op != inputPump {
		return e.pass(l, &heads)
	}
	return e.pump(l, in, heads, out)
}

func (l *live) passed(k graph.Kind) error {
	return l.engine.Observe(l.now, graph.Event{Type: graph.FencePassed, Kind: k, Fence: l.token})
}

// begin begins a fence, whose token comes now or later. A fence that was given up gets its
// token, which counts for nothing.
func (l *live) begin(id engine.CallID, later bool) error {
	err := l.named()
	l.token++
	if l.asked = id; err == nil && !later {
		err = l.named()
	}
	return err
}

// named gives the engine the token of its last fence, if it has not got it yet.
func (l *live) named() error {
	id := l.asked
	if l.asked = 0; id == 0 {
		return nil
	}
	return l.engine.Done(l.now, id, engine.Result{Fence: l.token})
}

func (e *engines) pass(l *live, heads *uint8) error {
	for k := range e.kinds {
		if *heads>>k&1 != 0 {
			if err := l.passed(e.kinds[k].Kind); err != nil {
				return err
			}
		}
	}
	*heads = 0
	return nil
}

// pump does the same as state.pump.
func (e *engines) pump(l *live, in input, heads uint8, out *said) error {
	empty := in.empty
	for {
		if err := e.pass(l, &heads); err != nil {
			return err
		}
		c, ok := l.next(engine.LaneControl)
		if ok {
			if err := e.judge(l, c); err != nil {
				return err
			}
			switch c.Type {
			case engine.CallFence:
				heads = empty
				out.control = append(out.control, fence)
				if err := l.begin(c.ID, e.tokens); err != nil {
					return err
				}
				continue
			case engine.CallJudge:
				if e.later {
					out.control = append(out.control, judged)
				}
				if err := l.judgeFor(c, e.later); err != nil {
					return err
				}
				continue
			case engine.CallList:
				k := e.kind(c.Kind)
				empty &^= 1 << k
				out.control = append(out.control, int8(k))
			default:
				return fmt.Errorf("%s in the control lane", c.Type)
			}
			if err := l.engine.Done(l.now, c.ID, engine.Result{}); err != nil {
				return err
			}
			continue
		}
		if len(out.calls) == int(in.room) {
			return l.engine.Err()
		}
		if c, ok = l.next(engine.LaneStore); !ok {
			return l.engine.Err()
		}
		switch c.Type {
		case engine.CallRead, engine.CallPatch, engine.CallDelete:
		default:
			return errors.New("a " + c.Type.String() + " in the store lane")
		}
		if err := e.judge(l, c); err != nil {
			return err
		}
		l.calls = append(l.calls, c.ID)
		out.calls = append(out.calls, e.words.call(c))
	}
}

// judge judges a call that an engine begins.
func (e *engines) judge(l *live, c engine.Call) error {
	if l.paused {
		if err := whilePaused(c); err != nil {
			return err
		}
	}
	if e.sets == nil {
		return nil
	}
	return outside(l.engine, c, e.sets[l.mask])
}

// next takes the next call of a lane, if there is one.
func (l *live) next(lane engine.Lane) (engine.Call, bool) {
	for {
		c, at := l.engine.Next(l.now, lane)
		if c.Type != engine.CallUnset {
			return c, true
		}
		if at.IsZero() || at.After(l.now) {
			return c, false
		}
	}
}

func (e *engines) kind(name graph.Kind) int {
	for k := range e.kinds {
		if e.kinds[k].Kind == name {
			return k
		}
	}
	return 0
}
