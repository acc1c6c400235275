package main

import (
	"context"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/internal/proof/storefaults/judge"
)

var seed = flag.Uint64("seed", uint64(time.Now().UnixNano()%1_000_000), "seed of the random tests")

// TestMain is also the program of the collectors and writers, because a test starts its own executable.
func TestMain(m *testing.M) {
	if run, ok := subcommand(); ok {
		exit(run(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// start starts the database of a store for a test.
func start(t *testing.T, store string) site {
	t.Helper()
	s, err := newSite(t.Context(), store, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// play runs a round that has to be judged.
func play(t *testing.T, r *round) *result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	res, err := r.run(ctx)
	if err != nil {
		t.Fatalf("seed %d: %v", r.seed, err)
	}
	return res
}

// TestRounds plays a share of the rounds. The command plays more of them.
func TestRounds(t *testing.T) {
	t.Logf("-seed %d", *seed)
	for _, tc := range []struct {
		store  string
		rounds uint64
		reason string
	}{
		{"sqlite", 6, "every fault of a file"},
		{"postgres", 4, "every fault of a server"},
		{"etcd", 4, "every fault of a server"},
	} {
		t.Run(tc.store, func(t *testing.T) {
			s := start(t, tc.store)
			for i := range tc.rounds {
				r := &round{site: s, seed: *seed + i}
				if res := play(t, r); len(res.breaches) > 0 {
					t.Errorf("go run . -store %s -seed %d -rounds 1: %s\n%s\n%s", tc.store, r.seed, tc.reason, judge.Text(res.breaches), res.history())
				}
			}
		})
	}
}

// TestMistakesAreFound plants mistakes into a store. Few rounds find each of them.
func TestMistakesAreFound(t *testing.T) {
	sites := map[string]site{}
	for _, store := range []string{"sqlite", "postgres"} {
		sites[store] = start(t, store)
	}
	const atMost = 8
	for _, tc := range []struct {
		bug, store, only, rule string
		reason                 string
	}{
		{unknownIsConflict, "postgres", "lose-answers", "definite", "a creation whose answer is lost has happened"},
		{unknownIsAbsent, "postgres", "lose-answers", "", "a deletion whose answer is lost has happened, or the object is there"},
		{refusedIsDone, "sqlite", "read-only", "definite", "a deletion that a read-only database refuses has not happened"},
		{watchLies, "sqlite", killCollector, "deleted", "a collector deletes the dependents of a living owner"},
		{getLies, "postgres", "cut", "deleted", "an error of a read is no proof of absence"},
		{policiesUnset, "sqlite", killCollector, "deleted", "a collector deletes objects that no reference of theirs deletes"},
	} {
		t.Run(tc.bug, func(t *testing.T) {
			for i := range uint64(atMost) {
				from := *seed + i
				if tc.bug == policiesUnset {
					from *= 3 // such rounds have policies
				}
				res := play(t, &round{site: sites[tc.store], seed: from, only: tc.only, bug: tc.bug, within: 2 * time.Second})
				for _, b := range res.breaches {
					if tc.rule == "" || b.Rule == tc.rule {
						t.Logf("found in round %d: %s", i+1, b)
						return
					}
				}
			}
			t.Errorf("-seed %d: %d rounds with the fault %s have not found the mistake: %s", *seed, atMost, tc.only, tc.reason)
		})
	}
}
