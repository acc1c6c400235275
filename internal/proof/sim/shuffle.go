package sim

import (
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/policy"
)

// shuffle makes moves in a random order, all of them without a fault. The engines' writes
// then come in an order that World.Round never has.
func (s *sim) shuffle(c *comparison, x *wish) error {
	rng, faults := s.rng, s.o.faults
	defer func() { s.rng, s.o.faults = rng, faults }()
	s.rng = rand.New(rand.NewPCG(x.salt, 0x571e))
	for f := range s.o.faults {
		s.o.faults[f] = s.o.faults[f] && slices.Contains(harmless[:], fault(f))
	}
	for range x.moves {
		if n := len(c.plan.Objects); n > 0 && s.rng.IntN(8) == 0 {
			s.others(c, c.plan.Objects[s.rng.IntN(n)].Key)
		}
		s.moves, s.weights = s.moves[:0], 0
		for i := range s.w.Sides {
			s.ofSide(int8(i))
		}
		st := s.draw()
		if s.traced {
			c.path = append(c.path, s.label(st))
		}
		if err := errors.Join(s.move(st), s.broken); err != nil {
			return err
		}
	}
	return nil
}

// harmless are the features of a world that are no faults.
var harmless = [...]fault{oneCall, lateAnswers, sweeps, tunings, lengths, periods, archives}

// noteOrphan notes an object that an engine decides to orphan while a plan is carried out.
func (s *sim) noteOrphan(d engine.DecisionEvent) {
	if s.orphaned != nil && d.Call != 0 && d.Action == policy.Orphan {
		s.orphaned[d.Key] = true
	}
}
