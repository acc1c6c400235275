package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/judge"
)

// TestStrictUnderLoad: users add references to owners while other users delete these. In the order
// of the changes no owner gets a dependent after its mark.
func TestStrictUnderLoad(t *testing.T) {
	t.Logf("-seed %d", *seed)
	for _, store := range []string{"sqlite", "postgres"} {
		t.Run(store, func(t *testing.T) { strictUnderLoad(t, start(t, store)) })
	}
}

func strictUnderLoad(t *testing.T, s site) {
	if err := s.fresh(t.Context(), *seed); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.end(); err != nil {
			t.Error(err)
		}
	}()
	of := s.target().of(*seed, true)
	c, err := of.open()
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	u := &crowd{store: c, history: &judge.History{}, timeout: 10 * time.Second}
	rnd := rand.New(rand.NewPCG(*seed, 1))
	for i := range 30 {
		race(t.Context(), u, i, rnd)
	}
	content, err := s.content(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	content.Strict = true
	raced := false
	for _, b := range judge.Judge(u.history, content) {
		raced = true
		if b.Rule != "waiting" { // no collector runs
			t.Errorf("-seed %d: %s", *seed, b)
		}
	}
	if !raced {
		t.Error("no owner was deleted before its dependents")
	}
}

// race creates dependents of a new owner, and deletes the owner meanwhile.
func race(ctx context.Context, u *crowd, i int, rnd *rand.Rand) {
	team := graph.Object{Key: graph.Key{Kind: kindTeam, Name: fmt.Sprintf("team%d", i)}}
	owner := u.call(ctx, judge.Call{Verb: judge.Create, Key: team.Key, Object: team}, func(ctx context.Context) (graph.UID, error) {
		made, err := u.store.create(ctx, team, false)
		return made.UID, err
	}).Key
	var all sync.WaitGroup
	for n := range 6 {
		wait := time.After(time.Duration(rnd.IntN(1500)) * time.Microsecond)
		all.Go(func() {
			<-wait // any order is right; the pause only mixes the writers
			if n == 0 {
				u.deleteOne(ctx, owner, []graph.Propagation{graph.Foreground, graph.Orphan}[i%2])
				return
			}
			o := graph.Object{Key: graph.Key{Kind: kindBucket, Scope: "a", Name: fmt.Sprintf("bucket%d-%d", i, n)}}
			o.Owners = []graph.Owner{{Key: owner, Block: n%2 == 0}}
			u.call(ctx, judge.Call{Verb: judge.Create, Key: o.Key, Object: o}, func(ctx context.Context) (graph.UID, error) {
				made, err := u.store.create(ctx, o, false)
				return made.UID, err
			})
		})
	}
	all.Wait()
}
