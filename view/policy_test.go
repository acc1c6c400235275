package view

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestPolicyWords: references without a policy have no word, and a mixture names all of its policies.
func TestPolicyWords(t *testing.T) {
	for _, c := range []struct {
		of     []graph.OnDelete
		want   string
		reason string
	}{
		{nil, "", "a plan may know no reference"},
		{[]graph.OnDelete{graph.OnDeleteUnset}, "", "a picture without policies has no words for them"},
		{[]graph.OnDelete{graph.OnDeleteCascade}, "cascade", "a policy has its name"},
		{[]graph.OnDelete{graph.OnDeleteRestrict, graph.OnDeleteUnset}, "unset, restrict", "the reference without a policy is a part of the flaw"},
		{[]graph.OnDelete{graph.OnDeleteCascade, graph.OnDeleteRelease}, "release, cascade", "the order is fixed"},
		{[]graph.OnDelete{200}, "unknown policy", "a later version may have stored it"},
	} {
		var s policies
		for _, d := range c.of {
			s |= policyOf(d)
		}
		if got := s.word(); got != c.want {
			t.Errorf("%v: %q, want %q: %s", c.of, got, c.want, c.reason)
		}
	}
}

// TestPolicyLegend: a legend explains the policies of its picture, and no others.
func TestPolicyLegend(t *testing.T) {
	p := Picture{nodes: make([]node, 2), edges: []edge{{lower: 1, policies: policyOf(graph.OnDeleteUnset)}}}
	if got := p.legend(true); got != nil {
		t.Errorf("without policies: %q", got)
	}
	p.edges[0].policies |= policyOf(graph.OnDeleteCascade)
	if plain, drawn := p.legend(false), p.legend(true); len(plain) != 1 || len(drawn) != 1 || drawn[0] != "two lines, "+plain[0] {
		t.Errorf("with cascade: %q, drawn %q", plain, drawn)
	}
}
