package sim

import (
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/portion"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// TestStorms: a user creates a member as soon as there is none, for an hour. Sweeps
// then cost a few calls for each member and each wave. They end when the user stops. Without
// -whole there are fewer worlds.
func TestStorms(t *testing.T) {
	storms := portion.Number(6, 20)
	calm := strings.Join(faultNames[:sweeps], ",") + ",guards" // without other faults
	found, wild := 0, 0
	for seed := uint64(1); found < storms; seed++ {
		s, err := begin(History{Seed: seed, Without: calm})
		if err != nil {
			t.Fatal(err)
		}
		if !s.o.has(sweeps) || s.o.level < ownergraph.Level2 ||
			strings.Contains(strings.Join(s.o.tenancy.names, ""), "-") { // then fewer objects may be deleted, or none
			continue
		}
		found++
		if err := s.calm(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		made, cost, err := s.storm(time.Hour)
		if err != nil {
			t.Fatalf("seed %d: after %d members: %v", seed, made, err)
		}
		each := 24
		for _, p := range s.sweeps.Plans() { // and a selection of each kind
			each += len(p.LabelledMembers()) * len(s.w.Kinds)
		}
		if most := len(s.w.Sides) * (each*made + 400); cost > most {
			t.Errorf("seed %d: %s: %d members in an hour cost %d decisions and calls, want at most %d", seed, s.o, made, cost, most)
		}
		if made > 60 {
			wild++
		}
		if err := s.converge(); err != nil {
			t.Errorf("seed %d: after the storm: %v", seed, err)
		}
	}
	if wild < storms/2 { // the sweeps of some tenants delete nothing: no finalizer guarded them, or they orphan
		t.Errorf("%d of %d were storms", wild, storms)
	}
}

// storm lets a user delete the first tenant, and make a member of it whenever there is
// none, until the time is over. It returns the number of members and their cost.
func (s *sim) storm(length time.Duration) (made, cost int, err error) {
	tenant := s.o.tenancy.names[0]
	key := s.pool[0]
	s.w.Do(oracle.Action{Verb: oracle.Create, Object: graph.Object{Key: s.w.Store.Next(key), Finalizers: []string{"foreign"}}})
	if err := s.runToRest(); err != nil {
		return 0, 0, err
	}
	if o, ok := s.w.Store.At(key); ok {
		s.w.Do(oracle.Action{Verb: oracle.Background, Object: graph.Object{Key: o.Key}})
	}
	place := graph.Key{Kind: "g", Name: tenant + "-storm"}
	if s.o.tenancy.suffix {
		place.Name = "storm-" + tenant
	}
	place.UID = graph.UID(place.Name)
	before := s.costs()
	for end := s.w.Now.Add(length); s.w.Now.Before(end); {
		if s.w.Do(oracle.Action{Verb: oracle.Create, Object: graph.Object{Key: s.w.Store.Next(place)}}) {
			made++
		}
		moved, err := s.round()
		if err == nil {
			err = s.broken
		}
		if err != nil {
			return made, 0, err
		}
		if !moved {
			if !s.w.Advance() {
				s.w.Now = s.w.Now.Add(time.Second)
			}
			s.noteCauses()
		}
	}
	return made, s.costs() - before, nil
}
