package exhaustive

import (
	"context"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// judged stands for a judgement among the kinds that are listed.
const judged = -2

// judgeFor takes the verdict of a guard by what the engine knows now. The engine gets it now
// or later. Before that it gets the verdict about a root that has changed, which counts for
// nothing.
func (l *live) judgeFor(c engine.Call, later bool) error {
	if l.judging.ID != 0 {
		if err := l.judgedAs(false); err != nil {
			return err
		}
	}
	l.judging = c
	l.verdict.Verdict, l.verdict.Err = ownergraph.Judge(context.Background(), l.engine, c)
	if later {
		return nil
	}
	return l.judgedAs(false)
}

// judgedAs gives the engine the verdict, or if so asked the present one.
func (l *live) judgedAs(present bool) error {
	c, r := l.judging, l.verdict
	l.judging, l.verdict = engine.Call{}, engine.Result{}
	if present {
		r.Verdict, r.Err = ownergraph.Judge(context.Background(), l.engine, c)
	}
	return l.engine.Done(l.now, c.ID, r)
}

// takeVerdict keeps the judgement that an engine has begun apart from its store calls.
func (x *state) takeVerdict(side int, later bool) error {
	if x.judging[side] != nil {
		if err := x.giveVerdict(side, false); err != nil {
			return err
		}
	}
	s := x.w.Sides[side]
	last := len(s.Calls) - 1
	f := s.Calls[last]
	s.Calls = s.Calls[:last:last]
	x.judging[side] = &f
	if later {
		return nil
	}
	return x.giveVerdict(side, false)
}

// giveVerdict gives an engine its verdict, or if so asked the present one.
func (x *state) giveVerdict(side int, present bool) error {
	f, e := *x.judging[side], x.w.Sides[side].Engine
	x.judging[side] = nil
	if present {
		f.Answer.Verdict, f.Answer.Err = ownergraph.Judge(context.Background(), e, f.Call)
	}
	return e.Done(x.w.Now, f.ID, f.Answer)
}

// verdict adds a verdict that the engine has not got yet.
func (p *printer) verdict(r engine.Result) {
	p.flags(r.Err != nil)
	p.text(r.Verdict.String())
}

func (p *printer) pending(f *world.InFlight) {
	if f != nil {
		p.verdict(f.Answer)
	}
}
