package storetest

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// mutant is a sound store with one bug.
type mutant struct {
	name   string
	law    string // the law that names it
	reason string // the usual cause
	plant  func(tb TB, s Subject) Subject
	races  bool // the bug is a data race, which the race detector reports by itself
}

// undetected leaves out the bugs that the race detector of this build finds. It fails a test of a bug
// that is a data race, whatever the kit says of it.
func undetected(all []mutant) []mutant {
	return slices.DeleteFunc(all, func(m mutant) bool { return m.races && detectsRaces })
}

// racedShare is the share of the bugs that are judged with the race detector, as the inverse. The
// detector looks for races of the kit, and a test takes ten times as long with it.
const racedShare = 6

// judged returns the bugs that the kit judges in this build.
func judged(all []mutant) (some []mutant) {
	for i, m := range undetected(all) {
		if !detectsRaces || i%racedShare == 0 {
			some = append(some, m)
		}
	}
	return some
}

func mutants() []mutant {
	return slices.Concat(mutantsOfReads(), mutantsOfErrors(), mutantsOfPatch(), mutantsOfDelete(), mutantsOfVersions(),
		mutantsOfWatch(), mutantsOfSinks(), mutantsOfGaps(), mutantsOfLists(), mutantsOfFences(), mutantsOfKinds(), mutantsOfHistory(), mutantsOfCalls(), mutantsOfClients(), mutantsOfSelectors(),
		mutantsOfText(), mutantsOfPolicies(), mutantsOfEpochs(), mutantsOfSearch(), mutantsOfSeconds(), mutantsOfCommits(), mutantsOfBatches(), mutantsOfRecords(), mutantsOfArguments(), mutantsOfReferences(), mutantsOfStrict(),
		mutantsOfEnds(), mutantsOfRestores(), mutantsOfKept(), mutantsOfBeginnings())
}

// shortSearch is some rounds, because the bugs show in the first one.
const shortSearch = 20 * time.Millisecond

// TestMutants checks that each bug breaks the law that names it, and no other. Laws
// that rest on a broken one are not judged. Time is virtual, so a wait for an event
// that never comes costs nothing.
func TestMutants(t *testing.T) {
	for _, m := range judged(mutants()) {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := Judge(t.Context(), Config{Search: shortSearch, New: func(tb TB) Subject { return m.plant(tb, memorySubject(tb)) }})
				var got []string
				for _, x := range r.Of(Broken) {
					got = append(got, x.Law)
				}
				if !slices.Equal(got, []string{m.law}) {
					t.Errorf("breaks %q, want %q alone: %s\n%v", got, m.law, m.reason, r.Err())
				}
			})
		})
	}
}

// TestEveryLawHasAMutant checks that some bug breaks each law. A law that no bug
// breaks may be unable to fail.
func TestEveryLawHasAMutant(t *testing.T) {
	caught := map[string]bool{}
	for _, m := range mutants() {
		caught[m.law] = true
	}
	for _, l := range laws() {
		if !caught[l.name] {
			t.Errorf("no mutant breaks the law %s", l.name)
		}
		delete(caught, l.name)
	}
	for name := range caught {
		t.Errorf("there is no law %s", name)
	}
}

// TestWrappersAreSound checks that the parts of the mutants break nothing by
// themselves.
func TestWrappersAreSound(t *testing.T) {
	through := func() func(ownergraph.Event, sinkFunc) error {
		return func(e ownergraph.Event, sink sinkFunc) error { return sink(e) }
	}
	for _, tc := range []struct {
		name   string
		plant  func(TB, Subject) Subject
		reason string
	}{
		{"nothing", func(_ TB, s Subject) Subject { return s }, "the memory store is sound"},
		{"renaming", renaming(func(*renamed) {}), "objects are shown as they are"},
		{"watching", watching(through), "events are reported as they are"},
		{"counting", countingUIDs(false, false), "a counter behind a hash, which never goes back, makes sound UIDs"},
		{"listing", relists(func(sound ownergraph.Lister, _ *runningWatches, _ *signal) listFunc { return sound.List }, nil), "a list of watches changes no watch"},
		{"selecting", chosen(func(_ Subject, sound selectFunc) selectFunc { return sound }), "labels are selected as they are"},
		{"noting", func(tb TB, s Subject) Subject {
			s.Store = notingFences(tb, s.Store, &fences{})
			return s
		}, "fences are begun as they are"},
		{"users", withUsers(func(*wrappedClient) {}), "users write as they are asked to"},
		{"batching", batching(func(sound batchFunc) batchFunc { return sound }), "batches are carried out as they are"},
		{"recording", recording(func(*recorder, ownergraph.Records) {}), "records are kept as they are"},
		{"strict", strictBug(strictWrites{}), "references are checked as at level 3"},
		{"refusing policies", refusingPolicies(graph.ErrInvalid), "a store without a place for a policy refuses it"},
		{"restarting", restarting(func(_ TB, s Subject) Subject { return s }), "the restarted store is sound too"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if err := Check(t.Context(), Config{Search: shortSearch, New: func(tb TB) Subject { return tc.plant(tb, memorySubject(tb)) }}); err != nil {
					t.Errorf("%v: %s", err, tc.reason)
				}
			})
		})
	}
}
