package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// plan is a history that can be made again: a world and its steps.
type plan struct {
	o      options
	pool   []graph.Key
	start  []graph.Object
	steps  []step
	defect func(*sim, step)
	every  int // steps between two full checks, 0 for one
}

func (p plan) begin() (*sim, error) {
	return beginWith(p.o, rand.New(rand.NewPCG(p.o.seed, 0xca1f)), p.pool, p.start)
}

// Explain runs a failing history again, leaves out the superfluous steps, and returns
// the trace. It leaves out steps as long as the same invariant is broken. It returns ""
// if the history does not fail.
func (h History) Explain() string { return h.explain(nil) }

func (h History) explain(defect func(*sim, step)) string {
	r := h.run(nil, defect, true)
	if r.Broken == nil {
		return ""
	}
	rng := rand.New(rand.NewPCG(h.Seed, 0x0eed))
	o := h.draw(rng)
	p := plan{o: o, pool: o.pool(rng), steps: r.steps, defect: defect}
	p.start = o.start(rng, p.pool)
	short, broken := shrink(p, rule(r.Broken))
	if broken == nil {
		return fmt.Sprintf("%v\n%s\n%s\n%d steps do not fail again: the run is not deterministic\n", r.Broken, o, graph.Format(p.start), len(r.steps))
	}
	return trace(short, broken, len(r.steps))
}

// rule returns the invariant that an error names.
func rule(err error) string {
	text := err.Error()
	if i := strings.Index(text, "engine "); i == 0 {
		_, text, _ = strings.Cut(text, ": ")
	}
	for _, word := range strings.Split(text, ": ") {
		if len(word) > 1 && len(word) < 5 && strings.ContainsRune("SLREPGH", rune(word[0])) {
			return word
		}
	}
	return text
}

// maxReplays bounds the cost of shrinking.
const maxReplays = 1500

// shrink leaves out steps and objects as long as the rule is still broken.
func shrink(p plan, want string) (plan, error) {
	left := maxReplays
	fails := func(p plan) (plan, error) {
		left--
		at, broken := replay(p, nil)
		if broken == nil || rule(broken) != want {
			return p, nil
		}
		p.steps = p.steps[:at]
		return p, broken
	}
	p, broken := fails(p)
	if broken == nil { // a check in between breaks another rule before
		p.every = recheck
		p, broken = fails(p)
	}
	if broken == nil {
		return p, nil
	}
	for size := max(1, len(p.steps)/2); ; size = max(1, size/2) {
		before := len(p.steps)
		for from := 0; from < len(p.steps) && left > 0; {
			q := p
			q.steps = slices.Delete(slices.Clone(p.steps), from, min(from+size, len(p.steps)))
			if q, err := fails(q); err != nil {
				p, broken = q, err
			} else {
				from += size
			}
		}
		if left <= 0 || size == 1 && len(p.steps) == before {
			break
		}
	}
	for i := len(p.start) - 1; i >= 0 && left > 0; i-- {
		q := p
		q.start = slices.Delete(slices.Clone(p.start), i, i+1)
		if q, err := fails(q); err != nil {
			p, broken = q, err
		}
	}
	for q := range p.simpler() {
		if q, err := fails(q); err != nil && left > 0 {
			return q, err
		}
	}
	return p, broken
}

// trace returns a history in words: the world, its objects, and one line for each step.
// A line has the objects of the store if the step changed them.
func trace(p plan, broken error, long int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n%s\n%s\n%d steps, of %d:\n", broken, p.o, graph.Format(p.start), len(p.steps), long)
	last, printed := "", ""
	line := func(s *sim, next string) {
		now := oracle.Line(s.w.Store.Objects())
		if last != "" && now == printed {
			fmt.Fprintf(&b, "  %s\n", last)
		} else if last != "" {
			fmt.Fprintf(&b, "  %-40s %s\n", last, now)
		}
		last, printed = next, now
	}
	var end *sim
	_, _ = replay(p, func(s *sim, st step) {
		line(s, s.label(st))
		end = s
	})
	if end != nil {
		line(end, "")
	}
	fmt.Fprintf(&b, "  %v\n", broken)
	return b.String()
}

// label returns the step in one line, with the event that it delivers or the call that
// it completes.
func (s *sim) label(st step) string {
	if st.op == numOps || st.op == opConverge {
		return "faults end, users rest"
	}
	line := st.text(s.w)
	side := s.w.Sides[st.side]
	switch st.op {
	case opComplete, opAbandon, opExecute, opRenew, opReturn:
		if int(st.number) < len(side.Calls) {
			c := side.Calls[st.number]
			line += ": " + c.Type.String() + " " + c.Key.String() + c.Finalizer
			if c.Type == engine.CallSelect {
				line += selectionText(side.Calls[st.number])
			}
		}
	case opLateWrite:
		if int(st.number) < len(s.w.Zombies) {
			line += ": " + s.w.Zombies[st.number].Type.String() + " " + s.w.Zombies[st.number].Key.String()
		}
	case opDeliver, opTwice:
		if events := side.Streams[st.kind].Events; len(events) > 0 {
			line += ": " + eventText(events[0])
		}
	case opDuplicate:
		line += " with UID " + string(st.action.Object.UID)
	}
	return line
}

func eventText(e graph.Event) string {
	switch e.Type {
	case graph.Put:
		return e.Object.String()
	case graph.Gone:
		return e.Key.String() + " is gone"
	}
	return e.Type.String()
}
