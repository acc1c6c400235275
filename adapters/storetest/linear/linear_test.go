package linear

import (
	"testing"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/graph"
)

func newMemory(t storetest.TB) *memory.Store {
	store, err := memory.New(memory.Config{Kinds: []graph.KindInfo{{Kind: "node"}, {Kind: "pod", Scoped: true}}, UIDPrefix: "u"})
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
