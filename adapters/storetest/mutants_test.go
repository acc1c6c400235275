package storetest

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/portion"
	"github.com/ownergraph/ownergraph/internal/proof/kits"
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

// wholeKit is the share of the bugs that every law judges, as the inverse.
const wholeKit = 40

// lawsAlone returns the law, and the laws on which it rests directly or through others.
func lawsAlone(name string) (some []law) {
	wanted := map[string]bool{name: true}
	for _, l := range slices.Backward(laws()) {
		if wanted[l.name] {
			some = append(some, l)
			for _, basis := range l.basis() {
				wanted[basis] = true
			}
		}
	}
	slices.Reverse(some)
	return some
}

func mutants() []mutant {
	return slices.Concat(mutantsOfReads(), mutantsOfErrors(), mutantsOfPatch(), mutantsOfDelete(), mutantsOfVersions(),
		mutantsOfWatch(), mutantsOfSinks(), mutantsOfGaps(), mutantsOfLists(), mutantsOfFences(), mutantsOfKinds(), mutantsOfHistory(), mutantsOfCalls(), mutantsOfClients(), mutantsOfSelectors(),
		mutantsOfText(), mutantsOfPolicies(), mutantsOfEpochs(), mutantsOfSearch(), mutantsOfSeconds(), mutantsOfCommits(), mutantsOfBatches(), mutantsOfRecords(), mutantsOfArguments(), mutantsOfReferences(), mutantsOfStrict(), mutantsOfRestrict(),
		mutantsOfEnds(), mutantsOfRestores(), mutantsOfKept(), mutantsOfBeginnings(), mutantsOfArchive())
}

// shortSearch is some rounds, because the bugs show in the first one.
const shortSearch = 20 * time.Millisecond

// TestMutants checks that each bug breaks the law that names it, and no other, and that the
// first red line is of this law. Laws that rest on a broken one are not judged. Time is
// virtual, so a wait for an event that never comes costs nothing. By default, most bugs are
// judged only by the law that names them and by those on which it rests.
func TestMutants(t *testing.T) {
	for i, m := range undetected(mutants()) {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			list := laws()
			if i%portion.Number(wholeKit, 1) != 0 {
				list = lawsAlone(m.law)
			}
			synctest.Test(t, func(t *testing.T) {
				r := judgeBy(t.Context(), list, Config{Search: shortSearch, New: func(tb TB) Subject { return m.plant(tb, memorySubject(tb)) }})
				if got := lawsIn(r.Of(Broken)); !slices.Equal(got, []string{m.law}) {
					t.Errorf("breaks %q, want %q alone: %s\n%v", got, m.law, m.reason, r.Err())
				}
				if red := lawsIn(r.red()); len(red) == 0 || red[0] != m.law {
					t.Errorf("the red lines are %q, want %q first: %s", red, m.law, m.reason)
				}
			})
		})
	}
}

// TestEveryLawHasAMutant checks that some bug breaks each law. A law that no bug
// breaks may be unable to fail.
func TestEveryLawHasAMutant(t *testing.T) {
	var names, broken []string
	for _, l := range laws() {
		names = append(names, l.name)
	}
	for _, m := range mutants() {
		broken = append(broken, m.law)
	}
	kits.CheckLaws(t, names, broken)
}

// TestWrappersAreSound checks that the parts of the mutants break nothing by
// themselves. Each law tries some of them.
func TestWrappersAreSound(t *testing.T) {
	through := func() func(ownergraph.Event, sinkFunc) error {
		return func(e ownergraph.Event, sink sinkFunc) error { return sink(e) }
	}
	for i, tc := range []struct {
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
		{"archiving", archiving(func(*Subject, *archiver) {}), "entries are kept as they are"},
		{"strict", strictBug(strictWrites{}), "references are checked as at level 3"},
		{"refusing policies", refusingPolicies(graph.ErrInvalid), "a store without a place for a policy refuses it"},
		{"restarting", restarting(func(_ TB, s Subject) Subject { return s }), "the restarted store is sound too"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			list := portion.Of(4, laws()[i%4:])
			if portion.Whole() {
				list = laws()
			}
			synctest.Test(t, func(t *testing.T) {
				r := judgeBy(t.Context(), list, Config{Search: shortSearch, New: func(tb TB) Subject { return tc.plant(tb, memorySubject(tb)) }})
				if err := r.Err(); err != nil {
					t.Errorf("%v: %s", err, tc.reason)
				}
			})
		})
	}
}
