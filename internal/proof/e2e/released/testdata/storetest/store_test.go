// The kit and the check for linearizability judge a store.
package main

import (
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/adapters/storetest/linear"
)

func subject(tb storetest.TB) storetest.Subject {
	store, err := memory.New(memory.Config{Kinds: []ownergraph.KindInfo{{Kind: "node"}, {Kind: "pod", Scoped: true}}})
	if err != nil {
		tb.Fatalf("new store: %v", err)
	}
	return storetest.Subject{Store: store, Client: store}
}

func TestLinearizable(t *testing.T) { linear.Test(t, storetest.Config{New: subject}) }
