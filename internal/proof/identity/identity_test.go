package identity

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestFault: each sort of fault has its words.
func TestFault(t *testing.T) {
	before := map[string][]string{"a": {}, "b": {"a:unset"}, "c": {"a:release"}, "d": {"a:unset", "b:cascade"}}
	for _, c := range []struct {
		after  map[string][]string
		by     graph.Propagation
		want   string
		reason string
	}{
		{before, graph.Background, "", "all are there"},
		{map[string][]string{"a": {}, "b": {"a:unset"}, "c": {}, "d": {"b:cascade"}}, graph.Background, "", "a trimmed and a released reference are forgotten"},
		{map[string][]string{"a": {}, "b": {}, "c": {}, "d": {"b:cascade"}}, graph.Background, "b has lost its only reference a:unset", "no deletion but orphan takes it"},
		{map[string][]string{"a": {}, "b": {}, "c": {}, "d": {"b:cascade"}}, graph.Orphan, "", "orphan takes it"},
		{map[string][]string{"a": {}, "b": {"a:cascade"}, "c": {}, "d": {}}, graph.Background, "b has the new reference a:cascade", "another policy"},
		{map[string][]string{"a": {}, "b": {"a:unset"}, "c": {}}, graph.Background, "d is missing", "an object is lost"},
		{map[string][]string{"a": {}, "b": {"a:unset"}, "c": {}, "d": {}, "e": {}}, graph.Background, "e is new", "an object of nowhere"},
	} {
		if got := Fault(before, c.after, c.by); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}
