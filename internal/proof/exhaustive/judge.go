package exhaustive

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// judge has the permitted end states of one graph.
type judge struct {
	start []graph.Object
	cfg   oracle.Config
	ends  map[string]ends // by actions
	last  []oracle.Action // of the last question
	found ends
	saw   func(end string) // in tests
}

// ends are permitted end states, sorted, with a number that stands for them.
type ends struct {
	lines  []string
	number uint64
}

func newJudge(start []graph.Object, cfg oracle.Config) *judge {
	return &judge{start: start, cfg: cfg, ends: map[string]ends{}}
}

// permitted returns the end states after the actions.
func (j *judge) permitted(actions []oracle.Action) ends {
	if n := len(actions); n > 0 && n == len(j.last) && &actions[0] == &j.last[0] {
		return j.found
	}
	var b strings.Builder
	for _, a := range actions {
		b.WriteString(a.String())
		b.WriteString("; ")
	}
	e, ok := j.ends[b.String()]
	if !ok {
		e.lines = oracle.Ends(j.start, actions, j.cfg)
		p := printer{hash: seed}
		for _, line := range e.lines {
			p.text(line)
		}
		e.number = p.hash
		j.ends[b.String()] = e
	}
	j.last, j.found = actions, e
	return e
}

// quiet judges a state in which no move is left.
func (j *judge) quiet(x *state) error {
	end := oracle.Line(x.w.Store.Objects())
	if j.saw != nil {
		j.saw(end)
	}
	if p := j.permitted(x.actions); !slices.Contains(p.lines, end) {
		return fmt.Errorf("ends with %q, permitted are %q, held %v", end, p.lines, x.w.Sides[0].Engine.Held(8))
	}
	if err := judgeUndone(x.w, j.start, j.cfg); err != nil {
		return err
	}
	for _, s := range x.w.Sides {
		if err := probe.Check(s.Engine); err != nil {
			return err
		}
	}
	return nil
}
