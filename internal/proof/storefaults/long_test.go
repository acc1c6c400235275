package main

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/judge"
)

// TestLongRound plays a round of seconds with the processes of a round of an hour.
func TestLongRound(t *testing.T) {
	t.Logf("-seed %d", *seed)
	of := extent{lasts: 6 * time.Second, collectors: 3, writers: 8}
	for _, store := range []string{"sqlite", "postgres"} {
		t.Run(store, func(t *testing.T) {
			res := play(t, &round{site: start(t, store), seed: *seed, extent: of})
			if len(res.breaches) > 0 {
				t.Errorf("go run . -store %s -seed %d -rounds 1%s:\n%s\n%s", store, *seed, of.arguments(), judge.Text(res.breaches), res.history())
			}
			if res.outcomes[judge.Done] == 0 {
				t.Error("no call of a writer is done")
			}
		})
	}
}

// TestWriterIsKilled makes calls before, during and after the fault of the only writer.
func TestWriterIsKilled(t *testing.T) {
	s := start(t, "sqlite")
	if err := s.fresh(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	here, err := s.target().of(1, false).open()
	if err != nil {
		t.Fatal(err)
	}
	defer here.close()
	w, err := startWriters(t.Context(), here, s.target().of(1, false), t.TempDir(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.stop(); err != nil {
			t.Error(err)
		}
	}()
	u := &crowd{store: w, history: &judge.History{}, timeout: 10 * time.Second}
	rnd := rand.New(rand.NewPCG(1, 1))
	written(t, u, rnd, "the kill")
	last := u.history.Calls()[0].Key
	if _, err := w.Get(t.Context(), graph.Key{Kind: last.Kind, Scope: last.Scope, Name: "absent"}); judge.OutcomeOf(err) != judge.Absent {
		t.Errorf("get of an absent object: %v: the outcome is lost on its way", err)
	}
	if o, err := w.Get(t.Context(), last); err != nil || o.Key != last || len(o.Finalizers) == 0 {
		t.Errorf("get: %s, %v: the object is lost on its way", o, err)
	}
	wrong := graph.Precondition{UID: "other"}
	if err := w.Patch(t.Context(), last, wrong, graph.Change{DropFinalizer: "faults.example/x"}); judge.OutcomeOf(err) != judge.Refused {
		t.Errorf("patch of another UID: %v: the outcome is lost on its way", err)
	}
	end, err := w.kill(t.Context(), rnd)
	if err != nil {
		t.Fatal(err)
	}
	if got := write(t.Context(), u, rnd); got != judge.Refused {
		t.Errorf("a call without a writer: outcome %s, want refused", got)
	}
	if err := end(t.Context()); err != nil {
		t.Fatal(err)
	}
	written(t, u, rnd, "the end")
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// TestLearn gives the users of a long round the objects of a database.
func TestLearn(t *testing.T) {
	key := func(name string) graph.Key { return graph.Key{Kind: kindTeam, Name: name, UID: graph.UID(name)} }
	u := &crowd{}
	u.hear(known{key: key("gone")})
	u.hear(known{key: key("deleted"), deleted: graph.Orphan})
	before := u.hears()
	u.hear(known{key: key("new")})
	u.learn([]graph.Object{
		{Key: key("deleted"), Deleting: true, Finalizers: []string{graph.FinalizerForeground}},
		{Key: key("unknown"), Deleting: true, Finalizers: []string{judge.FinalizerHold}},
	}, before)
	want := []known{
		{key: key("deleted"), deleted: graph.Orphan, heard: 2}, // the users keep the propagation of their own deletion
		{key: key("new"), heard: 3},                            // created after the read began
		{key: key("unknown"), hold: true, deleted: graph.Background, heard: 4},
	}
	if !slices.Equal(u.known, want) {
		t.Errorf("known: %v, want %v", u.known, want)
	}
}
