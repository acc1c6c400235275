package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// Liveness mode may cost each engine eachCosts decisions and calls for each object and
// reference, and baseCosts besides.
const (
	eachCosts = 32
	baseCosts = 96
)

// converge ends all faults and runs the world to rest. Then it checks the conditions of
// a world at rest.
func (s *sim) converge() error {
	before, extent := s.costs(), s.extent()
	if err := s.calm(); err != nil {
		return err
	}
	if n, most := s.costs()-before, len(s.w.Sides)*(eachCosts*extent+baseCosts); n > most {
		return fmt.Errorf("L1: %d decisions and calls for an extent of %d, want at most %d", n, extent, most)
	}
	if err := s.checkRest(); err != nil {
		return err
	}
	if s.o.day {
		if err := s.checkDay(); err != nil {
			return err
		}
	}
	if s.o.empties {
		return s.checkEmpty()
	}
	return nil
}

// calm ends all faults and runs the world to rest. It also lets the longest time pass
// after which an engine tries something again by itself. Late writes come last, when the engines no
// longer expect them.
func (s *sim) calm() error {
	if err := s.repair(); err != nil {
		return err
	}
	if err := errors.Join(s.restInGaps(), s.coverAll(), s.broken); err != nil {
		return err
	}
	for {
		for range 3 {
			if err := s.runAnswered(); err != nil {
				return err
			}
			s.w.Now = s.w.Now.Add(6*time.Minute + s.o.tuning.rests())
			s.noteCauses()
		}
		if err := s.runAnswered(); err != nil || len(s.w.Zombies) == 0 {
			s.calmed = err == nil
			return err
		}
		for len(s.w.Zombies) > 0 {
			if err := errors.Join(s.w.CompleteZombie(0), s.broken); err != nil {
				return err
			}
		}
	}
}

// repair ends all faults of the world.
func (s *sim) repair() error {
	s.w.Control, s.w.LateSets, s.w.LateTokens = world.NoFault, false, false
	if s.latest.After(s.w.Now) { // a clock that went back has caught up
		s.w.Now = s.latest
	}
	for i, side := range s.w.Sides {
		for len(side.Sets) > 0 {
			if err := s.w.PassSet(i); err != nil {
				return err
			}
		}
		for k := range side.Streams { // garbled events are refused
			if err := errors.Join(s.moveWatch(step{op: opAll, side: int8(i), kind: int8(k)}), s.relisted(i, k)); err != nil {
				return err
			}
		}
	}
	for k := range s.w.Kinds {
		if how := s.down[k]; how != opList {
			if err := s.health(step{op: cured(how), kind: int8(k)}); err != nil {
				return err
			}
		}
	}
	return errors.Join(s.resumeAll(), s.broken)
}

// runAnswered is runToRest with an answer for each cascade that the engines hold.
func (s *sim) runAnswered() error {
	for again := true; again; {
		err := s.runToRest()
		if err != nil {
			return err
		}
		if again, err = s.answerAll(); err != nil {
			return err
		}
	}
	return nil
}

// runToRest makes all possible moves until none is left.
func (s *sim) runToRest() error {
	const most = 5000
	for range most {
		moved, err := s.round()
		if err = errors.Join(err, s.broken); err != nil {
			return err
		}
		if !moved {
			if s.endWaits(); !s.w.Advance() {
				return nil
			}
			s.noteCauses()
		}
	}
	return fmt.Errorf("L1: still moving after %d rounds: %s", most, s.w.Held())
}

// round lets each engine make each of its possible moves once, as World.Round does. It
// also judges the decisions of the engines. Batches come first.
func (s *sim) round() (bool, error) {
	batched, err := s.roundOfBatches()
	if err != nil {
		return true, err
	}
	moved, err := s.w.Round()
	moved = moved || batched
	if err == nil && !moved {
		for i := range s.w.Sides {
			err = errors.Join(err, s.idles(i))
		}
	}
	return moved, err
}

// costs returns the number of decisions and calls of all engines.
func (s *sim) costs() int {
	n := uint64(0)
	for _, side := range s.w.Sides {
		x := side.Engine.Stats()
		n += x.Decisions + probe.Requests(x) + x.Calls.Of(engine.CallList) + x.Calls.Of(engine.CallHandle)
	}
	return int(n)
}

// extent returns the number of objects and references in the store.
func (s *sim) extent() int {
	n := 0
	for _, o := range s.w.Store.Objects() {
		n += 1 + len(o.Owners)
	}
	return n
}

// checkRest checks the conditions of a world at rest.
func (s *sim) checkRest() error {
	if err := s.check(); err != nil {
		return err
	}
	want, err := s.w.Rebuilt()
	if err != nil {
		return err
	}
	for i, side := range s.w.Sides {
		if !side.Engine.Idle() {
			return fmt.Errorf("L1: engine %d is not idle, and waits for nothing", i)
		}
		if got := world.Seen(side.Engine); got != want {
			return fmt.Errorf("S22: engine %d has\n%s, a graph built from a new listing\n%s", i, got, want)
		}
		stats := side.Engine.Stats()
		if err := s.witnesses[i].Phantoms(stats.Nodes, stats.Objects); err != nil {
			return fmt.Errorf("engine %d: %w", i, err)
		}
		if err := s.checkReported(side.Engine); err != nil {
			return fmt.Errorf("L9: engine %d: %w", i, err)
		}
		if err := s.checkForeign(i); err != nil {
			return err
		}
	}
	if err := errors.Join(s.checkSweeps(), s.checkWaits(), s.checkGuards()); err != nil {
		return err
	}
	if s.o.has(duplicateUIDs) || slices.ContainsFunc(s.w.Store.Objects(), garbled) || slices.ContainsFunc(s.w.Store.Objects(), s.o.flawed) { // the oracle knows neither
		return nil
	}
	if !s.isQuiet(s.w.Store.Objects()) {
		return fmt.Errorf("L1: at rest, but the collector has something left to do: %s", s.w.Held())
	}
	return nil
}

// garbled reports whether an object is flawed by a name that is no text.
func garbled(o graph.Object) bool {
	bad := func(name string) bool {
		return !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl)
	}
	return bad(o.Name) || bad(o.Scope) || slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return bad(r.Name) || bad(r.Scope) })
}

// checkReported checks that each marked object that stays is reported with a reason.
func (s *sim) checkReported(e *engine.Engine) error {
	held := e.Held(len(s.w.Store.Objects()))
	for _, o := range s.w.Store.Objects() {
		if !o.Deleting {
			continue
		}
		i := slices.IndexFunc(held, func(h engine.Held) bool { return h.Key == o.Key })
		if i < 0 || held[i].Reason == 0 {
			return fmt.Errorf("%s is marked and stays, and no reason is reported", o.Key)
		}
	}
	return nil
}

// forOracle returns the objects as the oracle gets them. A reference to a kind that is
// never served is unknown, and leads to no object.
func forOracle(objects []graph.Object) []graph.Object {
	out := make([]graph.Object, len(objects))
	for i, o := range objects {
		o = o.Clone()
		for j, r := range o.Owners {
			if r.Kind == unserved {
				o.Owners[j].Unresolved, o.Owners[j].UID = true, "unserved/"+r.UID
			}
		}
		out[i] = o
	}
	return out
}

// forOracle returns the settings of the engines as the oracle gets them.
func (o options) forOracle() oracle.Config {
	cfg := oracle.Config{Override: o.override, Strict: o.level >= ownergraph.Level3, Policies: o.policied(0)}
	if o.absent {
		cfg.Scope = oracle.ScopeAbsent
	}
	if o.misnamed {
		cfg.OwnerName = oracle.NameAbsent
	}
	return cfg
}

// checkDay lets 24 hours pass. They may cost no request, and no more decisions than the
// audits make.
func (s *sim) checkDay() error {
	before := make([]engine.Stats, len(s.w.Sides))
	for i, side := range s.w.Sides {
		before[i] = side.Engine.Stats()
	}
	const most = 2000 // an audit in ten minutes makes 144 for each engine
	end := s.w.Now.Add(24 * time.Hour)
	for n := 0; s.w.Now.Before(end); n++ {
		if n == most {
			return fmt.Errorf("L2: there is something to do %d times in less than a day of rest", most)
		}
		next := end
		for _, side := range s.w.Sides {
			for _, lane := range lanes {
				if at, ok := probe.Wake(side.Engine, lane); ok && at.Before(next) {
					next = at
				}
			}
		}
		s.w.Now = next
		s.noteCauses()
		for moved := true; moved; {
			var err error
			if moved, err = s.w.Round(); err != nil {
				return err
			}
		}
	}
	for i, side := range s.w.Sides {
		x, b := side.Engine.Stats(), before[i]
		if n := probe.Requests(x) + x.Calls.Of(engine.CallList) - probe.Requests(b) - b.Calls.Of(engine.CallList); n > 0 {
			return fmt.Errorf("L2: engine %d makes %d requests in a day of rest", i, n)
		}
		looked := x.Objects
		if x.Sweeps.Running > 0 { // a walk decides holders and members too, and each may cause the other's decision
			looked *= 4
		}
		if n := x.Decisions - b.Decisions; n > (x.Audits-b.Audits+1)*uint64(looked) || x.Audits-b.Audits < 120 && !s.o.has(clocks) {
			return fmt.Errorf("L2: engine %d makes %d decisions in a day of rest, in %d audits of %d objects", i, n, x.Audits-b.Audits, x.Objects)
		}
	}
	return s.broken
}

// checkEmpty lets users delete everything. Then no part of it may be left anywhere.
func (s *sim) checkEmpty() error {
	s.unrestrict()
	for len(s.w.Store.Objects()) > 0 {
		k := s.w.Store.Objects()[0].Key
		for _, name := range [...]string{graph.FinalizerHold, graph.FinalizerNew, graph.FinalizerProtect} {
			s.w.Drop(k, name)
		}
		for _, verb := range [...]oracle.Verb{oracle.Strip, oracle.Finish, oracle.Background, oracle.Grace0} {
			s.w.Do(oracle.Action{Verb: verb, Object: graph.Object{Key: k}})
		}
		if s.stores(k) {
			return fmt.Errorf("the simulator cannot delete %s", k)
		}
	}
	if err := s.calm(); err != nil {
		return err
	}
	for i, side := range s.w.Sides {
		if x := side.Engine.Stats(); x.Nodes != 0 || x.ByStatus.Of(engine.StatusQueued) != 0 || x.Held() != 0 || x.InFlight != 0 || !side.Engine.Idle() {
			return fmt.Errorf("L10: everything is gone, and engine %d has %d nodes, %d keys, %d reports, %d calls", i, x.Nodes, x.ByStatus.Of(engine.StatusQueued), x.Held(), x.InFlight)
		}
	}
	return nil
}
