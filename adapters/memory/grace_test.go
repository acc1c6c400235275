package memory

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TestKeepsGrace: the store keeps the period of a deletion. An object has no period of its own, so
// DeleteOptions.GraceAtMost changes nothing.
func TestKeepsGrace(t *testing.T) {
	s := newStore(t, "", 0)
	if g, ok := ownergraph.As[ownergraph.Gracer](s); !ok || !g.KeepsGrace() {
		t.Error("the store keeps no grace periods")
	}
	seconds := func(n int64) *int64 { return &n }
	for i, c := range []struct {
		object  string
		options graph.DeleteOptions
		want    string
		reason  string
	}{
		{"", graph.DeleteOptions{GraceSeconds: seconds(30)}, "~30", "a period marks an object"},
		{"", graph.DeleteOptions{GraceSeconds: seconds(0)}, "", "a period of 0 is none"},
		{"", graph.DeleteOptions{}, "", "without a period it goes"},
		{"[example.org/x]", graph.DeleteOptions{Propagation: graph.Foreground, GraceSeconds: seconds(7)}, "~7[example.org/x,foreground]", "a period goes with a propagation"},
		{"[example.org/x]", graph.DeleteOptions{}, "~[example.org/x]", "a mark without a period"},
	} {
		for _, atMost := range []bool{false, true} {
			for _, together := range []bool{false, true} {
				name := fmt.Sprintf("node/n%d-%t-%t", i, atMost, together)
				put(t, s, name+c.object)
				opts := c.options
				opts.GraceAtMost = atMost
				if got := shown(t, s, key(t, name), opts, together); got != c.want {
					t.Errorf("%s: %q, want %q: %s", name, got, c.want, c.reason)
				}
			}
		}
	}
}

// shown deletes an object, alone or in a batch, and prints the part behind its key.
func shown(t *testing.T, s *Store, k graph.Key, opts graph.DeleteOptions, together bool) string {
	t.Helper()
	if together {
		results, err := s.Batch(t.Context(), []graph.Write{{Type: graph.WriteDelete, Key: k, Options: opts}})
		do(t, errors.Join(append(results, err)...))
	} else {
		do(t, s.Delete(t.Context(), k, opts))
	}
	now, err := s.Get(t.Context(), k)
	if errors.Is(err, graph.ErrNotFound) {
		return ""
	}
	do(t, err)
	now.Version, now.Generation = "", 0
	return strings.TrimPrefix(now.String(), now.Key.String())
}
