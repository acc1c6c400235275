package script

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

func (r *runner) addObjects(text string) error {
	list, err := graph.Parse(text)
	r.objects = append(r.objects, list...)
	return err
}

// kind returns the index of a kind.
func (r *runner) kind(name string) (int, error) {
	i := slices.IndexFunc(r.w.Kinds, func(k graph.KindInfo) bool { return string(k.Kind) == name })
	if i < 0 {
		return 0, fmt.Errorf("there is no kind %q", name)
	}
	return i, nil
}

func (r *runner) list(arg string) error {
	s := r.w.Sides[r.side]
	if arg == "" {
		for k := range s.Streams {
			if !s.Streams[k].Begun && !s.Streams[k].Down {
				r.w.List(r.side, k)
			}
		}
		return nil
	}
	k, err := r.kind(arg)
	if err == nil {
		r.w.List(r.side, k)
	}
	return err
}

func (r *runner) see(arg string) error {
	s := r.w.Sides[r.side]
	if arg == "" {
		for k := range s.Streams {
			if err := r.deliver(k, len(s.Streams[k].Events)); err != nil {
				return err
			}
		}
		return nil
	}
	name, count, _ := strings.Cut(arg, " ")
	k, err := r.kind(name)
	if err != nil {
		return err
	}
	n := len(s.Streams[k].Events)
	if count != "" {
		if n, err = strconv.Atoi(count); err != nil || n > len(s.Streams[k].Events) {
			return errUsage
		}
	}
	if n == 0 {
		r.printf("nothing")
	}
	return r.deliver(k, n)
}

func (r *runner) deliver(kind, n int) error {
	st := &r.w.Sides[r.side].Streams[kind]
	if st.Down || n == 0 {
		return nil
	}
	var texts []string
	for range n {
		text := eventText(st.Events[0])
		if err := r.w.Deliver(r.side, kind); errors.Is(err, graph.ErrInvalid) {
			text += " (refused)"
		} else if err != nil {
			return err
		}
		texts = append(texts, text)
	}
	r.printf("%s: %s", r.w.Kinds[kind].Kind, strings.Join(texts, "; "))
	return nil
}

// issueArgs parses the lanes and the limit of "issue".
func issueArgs(arg string) (lanes []engine.Lane, limit int, err error) {
	lanes, limit = []engine.Lane{engine.LaneStore, engine.LaneControl, engine.LaneHandler}, 1<<20
	for _, word := range strings.Fields(arg) {
		if i := slices.IndexFunc(lanes, func(l engine.Lane) bool { return l.String() == word }); i >= 0 {
			lanes = lanes[i : i+1]
		} else if limit, err = strconv.Atoi(word); err != nil {
			return nil, 0, errUsage
		}
	}
	return lanes, limit, nil
}

func (r *runner) issue(arg string) error {
	lanes, limit, err := issueArgs(arg)
	if err != nil {
		return err
	}
	n := 0
	for _, lane := range lanes {
		for n < limit {
			c, ok, err := r.take(lane)
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			n++
			text := callText(c)
			if c.Type == engine.CallFence {
				text += fmt.Sprintf(" %d", r.w.Sides[r.side].Token)
			}
			r.printf("> %s", text)
		}
	}
	if n == 0 {
		r.printf("> nothing")
	}
	return nil
}

func (r *runner) complete(arg string) error {
	fault, words := world.NoFault, strings.Fields(arg)
	if n := len(words); n > 0 {
		if f, ok := world.ParseFault(words[n-1]); ok {
			fault, words = f, words[:n-1]
		}
	}
	if len(words) == 0 {
		for n := len(r.w.Sides[r.side].Calls); n > 0; n-- {
			if err := r.completeOne(0, fault); err != nil {
				return err
			}
		}
		return nil
	}
	i, err := r.call(words)
	if err != nil {
		return err
	}
	return r.completeOne(i, fault)
}

// call returns the index of the call under way that a key or a number names.
func (r *runner) call(words []string) (int, error) {
	calls := r.w.Sides[r.side].Calls
	if len(words) != 1 {
		return 0, errUsage
	}
	i, err := strconv.Atoi(words[0])
	if i--; err != nil {
		i = slices.IndexFunc(calls, func(f world.InFlight) bool { return f.Key.String() == words[0] })
	}
	if i < 0 || i >= len(calls) {
		return 0, errUsage
	}
	return i, nil
}

func (r *runner) commit(arg string) error {
	i, err := r.call(strings.Fields(arg))
	if err == nil {
		r.w.Commit(r.side, i)
	}
	return err
}

func (r *runner) completeOne(i int, fault world.Fault) error {
	c := r.w.Sides[r.side].Calls[i].Call
	res, err := r.w.CompleteAs(r.side, i, fault)
	r.printf("< %s: %s", callText(c), resultText(c, res))
	return err
}

func (r *runner) crash(string) error {
	r.shadows[r.side] = nil
	return r.w.Crash(r.side)
}

func (r *runner) late(string) error {
	for len(r.w.Zombies) > 0 {
		c := r.w.Zombies[0]
		if err := r.w.CompleteZombie(0); err != nil {
			return err
		}
		r.printf("late %s", callText(c))
	}
	return nil
}

func (r *runner) advance(arg string) error {
	d, err := time.ParseDuration(arg)
	r.w.Now = r.w.Now.Add(d)
	return err
}

func (r *runner) run(string) error {
	if err := r.w.RunToRest(); err != nil {
		return err
	}
	r.calm = true
	state := r.state()
	if state == "" {
		state = "(empty)"
	}
	r.printf("store: %s", state)
	for i := range r.w.Sides {
		r.printHeld(i)
	}
	for _, text := range r.reports {
		r.printf("reported %s", text)
	}
	r.reports = nil
	r.printf("requests: %s", r.requests())
	return nil
}
