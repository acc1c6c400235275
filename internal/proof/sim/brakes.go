package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// braking has the brakes of a world, by engine. It follows from the seed.
type braking [maxEngines]engine.Brake

// String returns it in one line.
func (y braking) String() string {
	line := "brakes"
	for _, b := range y {
		line += fmt.Sprintf(" %d %d/%v", b.PerCascade, b.Window, b.Per)
		if b.AwaitSick {
			line += " await"
		}
	}
	return line
}

// drawBrakes draws brakes from a generator of its own. Some engines have another brake than the
// first one, or none. Most worlds get more objects, and owners of many of them, so that cascades
// reach a limit.
func (o *options) drawBrakes() {
	r := rand.New(rand.NewPCG(o.seed, 0xb4a4))
	y := &o.braking
	y[0] = drawBrake(r)
	for i := 1; i < o.engines; i++ {
		switch r.IntN(3) {
		case 0:
			y[i] = y[0]
		case 1:
			y[i] = drawBrake(r)
		}
	}
	if i := r.IntN(o.engines); r.IntN(2) == 0 {
		y[0], y[i] = y[i], y[0]
	}
	await := rand.New(rand.NewPCG(o.seed, 0xb4a5)) // one of its own, so that the other draws stay
	for i := range y[:o.engines] {
		y[i].AwaitSick = await.IntN(4) == 0 && y[i].PerCascade > 0
	}
	if r.IntN(4) > 0 {
		o.objects = 6 + r.IntN(8)
		o.most = o.objects + 1 + r.IntN(3)
		o.shape = [...]shape{star, star, layers, chain}[r.IntN(4)]
	}
}

// drawBrake draws limits that small worlds reach.
func drawBrake(r *rand.Rand) (b engine.Brake) {
	if r.IntN(4) > 0 {
		b.PerCascade = 1 + r.IntN(2)
	}
	if b.PerCascade == 0 || r.IntN(4) == 0 {
		b.Window, b.Per = []int{1, 3, 40}[r.IntN(3)], time.Minute
	}
	return b
}

// brakes reports whether an engine limits the deletes of a cascade.
func (y braking) brakes(engines int) bool {
	for _, b := range y[:engines] {
		if b.PerCascade > 0 {
			return true
		}
	}
	return false
}

// brakeMove draws the answer of a user for a cascade that an engine holds.
func (s *sim) brakeMove(st step) step {
	st.number, st.answer = int16(s.rng.IntN(8)), [...]answer{approvesOne, approvesSome, approvesSome, refusesKeep, refusesOrphan}[s.rng.IntN(5)]
	return st
}

// answer is the answer of a user for a braked cascade.
type answer int8

const (
	approvesOne answer = iota
	approvesSome
	approvesAll
	refusesKeep
	refusesOrphan
)

var answerNames = [...]string{"approve-one", "approve-some", "approve-all", "keep", "orphan"}

// brake gives the answer of a user to one of the cascades that an engine holds.
func (s *sim) brake(st step) error {
	held := s.w.Sides[st.side].Engine.Braked(len(s.everStored) + 1)
	if len(held) == 0 {
		return nil
	}
	return s.answer(int(st.side), held[int(st.number)%len(held)].Key, st.answer)
}

// answer gives the answer of a user for a cascade.
func (s *sim) answer(side int, k graph.Key, how answer) error {
	e, x := s.w.Sides[side].Engine, &s.lives[side]
	x.noteHeld(e)
	s.noteRewinds(side)
	s.noteCause(side)
	delete(x.refused, k)
	a := engine.BrakeApproval{Until: s.clock(x).Add(time.Minute), AtMost: 1}
	switch how {
	case refusesKeep:
		x.refused[k] = engine.KeepHeld
		return e.RefuseCascade(s.w.Now, k, engine.KeepHeld)
	case refusesOrphan:
		x.refused[k] = engine.OrphanHeld
		return e.RefuseCascade(s.w.Now, k, engine.OrphanHeld)
	case approvesSome:
		a.AtMost = 3
	case approvesAll:
		a.Until, a.AtMost = a.Until.AddDate(5, 0, 0), 1<<20
	}
	x.grants[k] = &grant{until: a.Until, atMost: a.AtMost}
	delete(x.tripped, k)
	return e.ApproveCascade(s.w.Now, k, a)
}

// answerAll answers for each cascade that an engine holds, so that the world can come to rest.
// One in three is refused with orphan, once. It reports whether there was any.
func (s *sim) answerAll() (answered bool, err error) {
	if !s.o.has(brakes) {
		return false, nil
	}
	for i, side := range s.w.Sides {
		for n, b := range side.Engine.Braked(len(s.everStored) + 1) {
			how := approvesAll
			if b.Refused == engine.RefusalUnset && (n+int(s.o.seed))%3 == 0 {
				how = refusesOrphan
			}
			if answered, err = true, s.answer(i, b.Key, how); err != nil {
				return answered, err
			}
		}
	}
	return answered, nil
}

// crowd draws a new object below the owner of the most objects. One in four moves deletes that
// owner. So cascades reach a limit.
func (s *sim) crowd(objects []graph.Object) step {
	owner, most := &objects[s.rng.IntN(len(objects))], 0
	for i := range objects {
		n := 0
		for j := range objects {
			if slices.ContainsFunc(objects[j].Owners, func(r graph.Owner) bool { return r.Key == objects[i].Key }) {
				n++
			}
		}
		if n > most && !objects[i].Deleting {
			owner, most = &objects[i], n
		}
	}
	st := s.acts(opUser, graph.Object{Key: owner.Key})
	if most > 1 && s.rng.IntN(4) == 0 {
		st.action.Verb = verbs[s.rng.IntN(3)]
		return st
	}
	o := graph.Object{Key: s.w.Store.Next(s.pool[s.rng.IntN(len(s.pool))])}
	if owner.Scope == "" || owner.Scope == o.Scope {
		o.Owners = []graph.Owner{{Key: owner.Key, Block: s.rng.IntN(2) == 0}}
	}
	st.action.Verb, st.action.Object = oracle.Create, o
	return st
}
