package storetest

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
)

// mutant is a sound store with one bug.
type mutant struct {
	name   string
	law    string // the one that names it
	reason string // how one comes to write it
	spoil  func(tb TB, s Subject) Subject
}

func mutants() []mutant {
	return slices.Concat(mutantsOfReads(), mutantsOfErrors(), mutantsOfPatch(), mutantsOfDelete(), mutantsOfVersions(),
		mutantsOfWatch(), mutantsOfSinks(), mutantsOfGaps(), mutantsOfFences(), mutantsOfKinds(), mutantsOfHistory(), mutantsOfCalls(), mutantsOfClients(), mutantsOfSelectors(),
		mutantsOfText(), mutantsOfEpochs(), mutantsOfLuck(), mutantsOfSeconds(), mutantsOfCommits())
}

// shortSearch is some rounds: what the mutants do shows in the first.
const shortSearch = 20 * time.Millisecond

// TestMutants: each bug breaks the law that names it, and no other. Laws that
// rest on a broken one are not judged. Time is virtual: what a store never does
// is waited for in no time.
func TestMutants(t *testing.T) {
	for _, m := range mutants() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := Judge(t.Context(), Config{Search: shortSearch, New: func(tb TB) Subject { return m.spoil(tb, memorySubject(tb)) }})
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

// TestEveryLawHasAMutant: a law that no bug breaks may be unable to fail.
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

// TestUnbrokenDoors: what the mutants are made of breaks nothing by itself.
func TestUnbrokenDoors(t *testing.T) {
	through := func() func(ownergraph.Event, tell) error {
		return func(e ownergraph.Event, tell tell) error { return tell(e) }
	}
	for _, tc := range []struct {
		name   string
		spoil  func(TB, Subject) Subject
		reason string
	}{
		{"nothing", func(_ TB, s Subject) Subject { return s }, "the memory store is sound"},
		{"renaming", renaming(func(*renamed) {}), "objects are shown as they are"},
		{"watching", watching(through), "events are told as they are"},
		{"counting", countingUIDs(false, false), "a counter that never goes back, behind a hash, makes UIDs as good as any"},
		{"listing", relists(func(sound ownergraph.Lister, _ *roll, _ *bell) listFunc { return sound.List }, nil), "a list of watches changes none"},
		{"selecting", chosen(func(_ Subject, sound selectFunc) selectFunc { return sound }), "labels are looked at as they are"},
		{"noting", func(tb TB, s Subject) Subject {
			s.Store = noting(tb, s.Store, &fences{})
			return s
		}, "fences are begun as they are"},
		{"users", withUsers(func(*users) {}), "users do what they are asked to"},
		{"restarting", restarting(func(_ TB, s Subject) Subject { return s }), "what comes back is as good as before"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if err := Check(t.Context(), Config{Search: shortSearch, New: func(tb TB) Subject { return tc.spoil(tb, memorySubject(tb)) }}); err != nil {
					t.Errorf("%v: %s", err, tc.reason)
				}
			})
		})
	}
}
