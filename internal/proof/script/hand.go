package script

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

var (
	errByHand  = errors.New("a world by hand has no store and no users")
	errNotHand = errors.New("the watch and the answers are the world's: want the option hand")
	errLost    = errors.New("connection reset")
)

// handError returns the result of an answer without an object, and whether it is one.
func handError(text string) (err error, ok bool) {
	switch text {
	case "ok":
		return nil, true
	case "not-found":
		return graph.ErrNotFound, true
	case "conflict":
		return graph.ErrConflict, true
	case "refused":
		return graph.ErrRefused, true
	case "unknown":
		return graph.ErrKindUnknown, true
	case "lost":
		return errLost, true
	}
	return nil, false
}

// allows returns an error for a command of another sort of world.
func (r *runner) allows(verb string) error {
	switch verb {
	case "issue", "advance", "control", "held", "graph", "decide", "orders", "stats", "pause", "resume", "paused":
	case "watch", "pass", "answer":
		if !r.opt.hand {
			return errNotHand
		}
	default:
		if r.opt.hand {
			return errByHand
		}
	}
	return nil
}

// open lists every kind as empty, so that the engine has observed a store.
func (r *runner) open() error {
	if len(r.objects) > 0 {
		return errByHand
	}
	for _, k := range r.w.Kinds {
		if r.opt.cold || k.Unwatched {
			continue
		}
		if err := r.w.Observe(0, graph.Event{Type: graph.ListBegun, Kind: k.Kind}, graph.Event{Type: graph.ListEnded, Kind: k.Kind}); err != nil {
			return err
		}
	}
	return nil
}

// watch delivers events.
func (r *runner) watch(arg string) error {
	for text := range strings.SplitSeq(arg, ";") {
		text = strings.TrimSpace(text)
		verb, rest, _ := strings.Cut(text, " ")
		if verb == "broke" || verb == "ended" {
			r.w.Sides[r.side].Engine.WatchEnded(r.w.Now, "connection reset", verb == "broke")
			continue
		}
		events, err := handEvents(verb, strings.TrimSpace(rest), text)
		if err != nil {
			return err
		}
		for _, ev := range events {
			if err := r.w.Observe(r.side, ev); errors.Is(err, graph.ErrInvalid) {
				r.printf("refused: %s", text)
			} else if err != nil {
				return err
			}
		}
	}
	return nil
}

// handEvents parses one event, or a listing without objects.
func handEvents(verb, rest, text string) ([]graph.Event, error) {
	kind, more, _ := strings.Cut(rest, " ")
	ev := graph.Event{Kind: graph.Kind(kind)}
	var err error
	switch verb {
	case "gone":
		ev.Type, ev.Kind = graph.Gone, ""
		ev.Key, err = graph.ParseKey(rest)
	case "begin":
		ev.Type = graph.ListBegun
	case "end":
		ev.Type, ev.Version = graph.ListEnded, graph.Version(more)
	case "empty":
		begun := graph.Event{Type: graph.ListBegun, Kind: ev.Kind}
		ev.Type = graph.ListEnded
		return []graph.Event{begun, ev}, nil
	case "kinds":
		ev.Type, ev.Kind = graph.KindsKnown, ""
		for k := range strings.SplitSeq(rest, ",") {
			ev.Kinds = append(ev.Kinds, kindInfo(k))
		}
	case "vanished":
		ev.Type = graph.KindVanished
	case "sick":
		ev.Type, ev.Reason = graph.KindSick, more
	case "recovered":
		ev.Type = graph.KindRecovered
	case "rewound":
		ev.Type, ev.Kind, ev.Reason, ev.Epoch = graph.Rewound, "", "restored", rest
	case "garbled":
		ev.Type, ev.Kind = graph.Put, ""
		ev.Object.Key, err = graph.ParseKey(rest)
	default:
		ev.Type = graph.Put
		ev.Object, err = graph.ParseObject(text)
	}
	return []graph.Event{ev}, err
}

// pass lets kinds pass a fence: the newest one, or the N-th. Without a name every watched kind and
// the set of kinds pass.
func (r *runner) pass(arg string) error {
	id, words := r.fence, strings.Fields(arg)
	if len(words) > 0 {
		if n, err := strconv.ParseUint(words[0], 10, 64); err == nil {
			id, words = n, words[1:]
		}
	}
	if len(words) == 0 {
		for _, k := range r.w.Sides[r.side].Engine.Kinds() {
			words = append(words, string(k.Kind))
		}
		words = append(words, "*")
	}
	for _, k := range words {
		ev := graph.Event{Type: graph.FencePassed, Kind: graph.Kind(k), Fence: id}
		if k == "*" {
			ev.Kind = ""
		}
		if err := r.w.Observe(r.side, ev); err != nil {
			return err
		}
	}
	return nil
}

// take hands out the next call of a lane. By hand a fence and a listing are begun, and
// nothing else happens.
func (r *runner) take(lane engine.Lane) (engine.Call, bool, error) {
	if !r.opt.hand {
		return r.w.Issue(r.side, lane)
	}
	s := r.w.Sides[r.side]
	for {
		c, at := s.Engine.Next(r.w.Now, lane)
		switch {
		case c.Type == engine.CallFence, c.Type == engine.CallList:
			var res engine.Result
			if c.Type == engine.CallFence { // the token of the N-th fence is N
				r.fence++
				res.Fence, s.Token = r.fence, r.fence
			}
			if r.w.Control != world.NoFault {
				res.Err = errLost
			}
			r.w.Control = world.NoFault
			return c, true, s.Engine.Done(r.w.Now, c.ID, res)
		case c.Type != engine.CallUnset:
			s.Calls = append(s.Calls, world.InFlight{Call: c})
			return c, true, nil
		case at.IsZero() || at.After(r.w.Now):
			return c, false, nil
		}
	}
}

// answer completes a call with an answer that the scenario gives.
func (r *runner) answer(arg string) error {
	name, text, _ := strings.Cut(arg, " ")
	i, err := r.call([]string{name})
	if err != nil {
		return err
	}
	s := r.w.Sides[r.side]
	c := s.Calls[i].Call
	var res engine.Result
	if fault, ok := handError(text); ok {
		res.Err = fault
	} else if c.Type == engine.CallSelect {
		res.Selected, err = handPage(text)
	} else {
		res.Object, err = graph.ParseObject(text)
	}
	if err != nil {
		return err
	}
	s.Calls = slices.Delete(s.Calls, i, i+1)
	return s.Engine.Done(r.w.Now, c.ID, res)
}

// handPage parses a page of a selection: a value, then objects with versions that carry
// it. "..." at the end says that there are more.
func handPage(text string) (p ownergraph.SelectPage, err error) {
	words := strings.Fields(text)
	if n := len(words); n > 0 && words[n-1] == "..." {
		p.More, words = "more", words[:n-1]
	}
	for i, word := range words {
		if i == 0 {
			continue
		}
		o, err := graph.ParseObject(word)
		if err != nil {
			return p, fmt.Errorf("page: %w", err)
		}
		p.Objects = append(p.Objects, graph.LabelMatch{Key: o.Key, Version: o.Version, Value: words[0]})
	}
	return p, nil
}

// stats prints whether the engine is idle, and the counts that are not zero.
func (r *runner) stats(string) error {
	e := r.w.Sides[r.side].Engine
	s, text := e.Stats(), "busy"
	if e.Idle() {
		text = "idle"
	}
	for _, c := range []struct {
		name string
		n    uint64
	}{
		{"losses", s.Losses}, {"rewinds", s.Rewinds}, {"rings", s.Rings}, {"sweeping", uint64(s.Sweeps.Running)},
		{"swept", s.Sweeps.Ended}, {"unguarded", s.Sweeps.Unguarded},
	} {
		if c.n > 0 {
			text += fmt.Sprintf(", %s %d", c.name, c.n)
		}
	}
	r.printf("%s", text)
	return nil
}
