package memory

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestConfig: New accepts the zero value, copies each setting to the State, and refuses a
// wrong setting by name.
func TestConfig(t *testing.T) {
	for _, tc := range []struct {
		config Config
		want   string
		reason string
	}{
		{Config{}, "", "the zero value works"},
		{Config{Limits: graph.Limits{Text: -1}}, "new store: Limits: negative", "no object could be written"},
		{Config{Kinds: []graph.KindInfo{{}}}, `new store: Kinds[0]: "" is empty or there twice`, "a kind has a name"},
		{Config{Objects: []graph.Object{{}}}, `new store: Objects[0]: "": kind: empty: invalid`, "an object has a kind"},
		{Config{Propagation: map[graph.Kind]graph.Propagation{"pod": 9}}, `new store: Propagation["pod"]: propagation(9) means nothing`, "no guess"},
	} {
		s, err := New(tc.config)
		if got := text(err); got != tc.want || (s == nil) != (err != nil) {
			t.Errorf("New: %v, want %q: %s", err, tc.want, tc.reason)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
