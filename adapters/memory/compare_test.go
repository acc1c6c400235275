package memory_test

import (
	"testing"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
)

func TestCompareVersions(t *testing.T) {
	s, err := memory.New(memory.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		a, b   graph.Version
		want   int
		reason string
	}{
		{"9", "10", -1, "by number, not by text"},
		{"10", "9", 1, "the other way round"},
		{"7", "7", 0, "the same"},
		{"x", "1", -1, "no version is older than every version"},
	} {
		if got := s.CompareVersions("any", tc.a, tc.b); got != tc.want {
			t.Errorf("%s with %s (%s): %d, want %d", tc.a, tc.b, tc.reason, got, tc.want)
		}
	}
}
