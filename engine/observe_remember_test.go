package engine

import (
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

func memoryKey(n int) graph.Key {
	return graph.Key{Kind: "pod", Scope: fmt.Sprint("s", n%3), Name: fmt.Sprint("n", n), UID: graph.UID(fmt.Sprint("u", n))}
}

// TestRememberShare: the memory of owners that are gone stays small beside the memory of
// the former graph.
func TestRememberShare(t *testing.T) {
	e, err := New(Level2, Config{})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 4 * fewestAbsent {
		e.remember(memoryKey(n), 0)
	}
	if got := e.absent.Len(); got != fewestAbsent {
		t.Errorf("%d keys are remembered beside a small graph, want %d", got, fewestAbsent)
	}
	if !e.absent.Has(memoryKey(4*fewestAbsent - 1)) {
		t.Error("the last one is forgotten")
	}
}
