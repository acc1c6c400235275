package storetest

import (
	"context"
	"flag"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/portion"
)

// inBubble runs a property in bubbles, where time costs nothing. The number of
// cases is rapid's, multiplied by times. The cases are the same in each run, except
// with -rapid.seed.
func inBubble(times int, property func(*rapid.T)) func(*testing.T) {
	return func(t *testing.T) {
		t.Helper()
		seed := flag.Lookup("rapid.seed")
		was := seed.Value.String()
		given := was != seed.DefValue
		defer seed.Value.Set(was)
		for i := range times {
			if !given {
				if err := seed.Value.Set(fmt.Sprint(1 + i)); err != nil {
					t.Fatal(err)
				}
			}
			rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, property) })
			if given {
				return // the other rounds would be the same
			}
		}
	}
}

// TestModelOfMemory compares the memory store and its watch with the map, with
// every hook, and without any.
func TestModelOfMemory(t *testing.T) {
	t.Run("hooks", inBubble(portion.Number(1, 3), modelTest(Config{New: memorySubject})))
	t.Run("none", inBubble(portion.Number(1, 3), modelTest(Config{New: bare})))
}

// TestKindsOfClient checks that objects are only of the kinds of Config.Kinds.
func TestKindsOfClient(t *testing.T) {
	c := Config{Kinds: []ownergraph.Kind{"pod"}, New: func(tb TB) Subject {
		s := memorySubject(tb)
		u := &wrappedClient{Client: s.Client}
		u.create = func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
			if o.Kind != "pod" {
				return o, fmt.Errorf("create %s: %w", o.Key, graph.ErrRefused)
			}
			return u.Client.Create(ctx, o)
		}
		s.Client = u
		return s
	}}
	t.Run("model", inBubble(1, modelTest(c)))
	t.Run("engine", inBubble(1, engineTest(c)))
}

// bare is a memory store of level 1 without optional powers and hooks.
func bare(tb TB) Subject {
	s := memorySubject(tb)
	return Subject{Store: basicStore{s.Store}, Client: s.Client}
}

// basicStore is a store with only the four methods.
type basicStore struct{ ownergraph.Store }
