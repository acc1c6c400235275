package policy_test

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

func TestAcknowledged(t *testing.T) {
	for _, tc := range []struct {
		object string
		want   bool
		reason string
	}{
		{"a~*", true, "a store without generations has nothing to wait for"},
		{"a~*%2/1", false, "the mark is not acknowledged"},
		{"a~*%2/2", true, "the mark is acknowledged"},
		{"a~*%2/3", true, "more than acknowledged"},
	} {
		o, err := graph.ParseObject(tc.object)
		if err != nil {
			t.Fatal(err)
		}
		if got := policy.Acknowledged(o.Generation, o.ObservedGeneration); got != tc.want {
			t.Errorf("Acknowledged(%s) = %t, want %t: %s", tc.object, got, tc.want, tc.reason)
		}
	}
}
