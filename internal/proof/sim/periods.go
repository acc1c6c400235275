package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// drawPeriods draws the kinds whose objects have grace periods: all, or some. It uses its own numbers,
// so that every other draw stays the same.
func (o *options) drawPeriods() {
	r := rand.New(rand.NewPCG(o.seed, 0x96ac))
	var all []graph.Kind
	for _, k := range o.infos() {
		all = append(all, k.Kind)
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if o.periods = all; r.IntN(2) == 0 {
		o.periods = all[:1+r.IntN(len(all))]
	}
}

// markSome deletes some of the first objects with a grace period, as users had done before.
func (o options) markSome(start []graph.Object) []graph.Object {
	if !o.has(periods) {
		return start
	}
	r := rand.New(rand.NewPCG(o.seed, 0x96ae))
	for i := range start {
		x := &start[i]
		if x.Deleting || x.Propagation() != graph.Unset || r.IntN(3) > 0 {
			continue
		}
		x.Deleting, x.GraceSeconds = true, []int64{30, 20, 5, 2, 1}[r.IntN(5)]
		if !x.HasFinalizer(graph.FinalizerHold) || r.IntN(2) == 0 {
			x.Finalizers = append(x.Finalizers, graph.FinalizerForeground)
		}
	}
	return start
}

// periodMove draws a user's deletion with a grace period, or the end of one by an agent.
func (s *sim) periodMove(objects []graph.Object) step {
	if s.rng.IntN(3) == 0 {
		for range 4 {
			if o := &objects[s.rng.IntN(len(objects))]; o.Deleting && o.GraceSeconds > 0 {
				st := s.acts(opUser, graph.Object{Key: o.Key})
				st.action.Verb = oracle.Grace0
				return st
			}
		}
	}
	st := s.acts(opUser, graph.Object{Key: s.periodRoot(objects).Key, Deleting: true})
	st.action.Object.GraceSeconds = []int64{30, 30, 20, 5, 2, 1, 0}[s.rng.IntN(7)]
	st.action.Verb = []oracle.Verb{oracle.Foreground, oracle.Foreground, oracle.Background, oracle.Orphan}[s.rng.IntN(4)]
	return st
}

// periodRoot draws an object to delete with a period. It prefers unmarked owners of unmarked objects.
func (s *sim) periodRoot(objects []graph.Object) *graph.Object {
	for range 8 {
		d := &objects[s.rng.IntN(len(objects))]
		if d.Deleting || len(d.Owners) == 0 {
			continue
		}
		k := d.Owners[s.rng.IntN(len(d.Owners))].Key
		if i := slices.IndexFunc(objects, func(o graph.Object) bool { return o.Key == k && !o.Deleting }); i >= 0 {
			return &objects[i]
		}
	}
	return s.target(objects)
}

// graces judges the periods of deletes by the whole history of a store: each object with all owners and
// periods that it has had.
type graces map[graph.Key]*grace

type grace struct {
	owners  map[graph.Key]bool // that it has named
	periods map[int64]bool     // of its marks in the foreground
	waited  bool               // it had such a mark
}

// note adds a version of an object to its history.
func (g graces) note(o *graph.Object) {
	x := g[o.Key]
	if x == nil {
		x = &grace{map[graph.Key]bool{}, map[int64]bool{}, false}
		g[o.Key] = x
	}
	for _, r := range o.Owners {
		x.owners[r.Key] = true
	}
	if o.Deleting && o.Propagation() == graph.Foreground && !o.MarkWithheld() {
		x.waited, x.periods[o.GraceSeconds] = true, true
	}
}

// notePeriod notes a change of the store.
func (s *sim) notePeriod(ev graph.Event) {
	if s.o.has(periods) && ev.Type == graph.Put {
		s.graces.note(&ev.Object)
	}
}

// judgePeriod judges a delete that carries the period of an owner: both kinds are named, the object is
// not marked, and some owner above it had that period in the foreground (RULES, E6).
func (s *sim) judgePeriod(before *world.Store, c engine.Call) error {
	if c.Type != engine.CallDelete || c.Options.GraceSeconds == nil || !c.Options.GraceAtMost {
		return nil
	}
	seconds := *c.Options.GraceSeconds
	switch o, _ := before.At(c.Key); {
	case !s.o.has(periods):
		return fmt.Errorf("E6: the delete of %s carries %d seconds, and no period passes on", c.Key, seconds)
	case o.Deleting:
		return fmt.Errorf("E6: the delete of %s carries %d seconds, and it is marked", o, seconds)
	case seconds <= 0 || !slices.Contains(s.o.periods, c.Key.Kind):
		return fmt.Errorf("E6: the delete of %s carries %d seconds, and its kind has no such period", c.Key, seconds)
	case !s.passedOn(c.Key, seconds):
		return fmt.Errorf("E6: the delete of %s carries %d seconds, and no owner above it had that period", c.Key, seconds)
	}
	s.carried++
	return nil
}

// passedOn reports whether an owner of a named kind had the period in the foreground. Between it and the
// object each owner was in the foreground.
func (s *sim) passedOn(of graph.Key, seconds int64) bool {
	reached := []graph.Key{of}
	for n := 0; n < len(reached); n++ {
		object := s.graces[reached[n]]
		if object == nil {
			continue
		}
		for k := range object.owners {
			x := s.graces[k]
			if x == nil || !x.waited || slices.Contains(reached, k) {
				continue
			}
			if x.periods[seconds] && slices.Contains(s.o.periods, k.Kind) {
				return true
			}
			reached = append(reached, k)
		}
	}
	return false
}
