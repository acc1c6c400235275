package linear

import (
	"testing"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/graph"
)

func newMemory(t storetest.TB) *memory.Store { return newMemoryOf(t, false) }

func newMemoryOf(t storetest.TB, strict bool) *memory.Store {
	store, err := memory.New(memory.Config{Kinds: []graph.KindInfo{{Kind: "node"}, {Kind: "pod", Scoped: true}}, UIDPrefix: "u", Strict: strict})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return store
}

func TestMemoryIsLinearizable(t *testing.T) {
	Test(t, storetest.Config{New: func(t storetest.TB) storetest.Subject {
		store := newMemory(t)
		return storetest.Subject{Store: store, Client: store}
	}})
}

// TestStrictMemoryIsLinearizable runs the same at level 3, without owners.
func TestStrictMemoryIsLinearizable(t *testing.T) {
	Test(t, storetest.Config{New: func(t storetest.TB) storetest.Subject {
		store := newMemoryOf(t, true)
		return storetest.Subject{Store: store, Client: store}
	}})
}
