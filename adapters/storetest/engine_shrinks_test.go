//go:build !race

// The histories here are thousands of bubbles. Under the race detector Go's runtime
// (1.26.8) crashes now and then when a channel timer of a bubble fires: SIGSEGV in
// runtime.(*timer).maybeRunChan. TestEngineOnMemory runs such histories under the
// detector.

package storetest

import (
	"context"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TestEngineShrinks checks that a wrong end on a broken store is found and shrinks,
// although UIDs are random and the end depends on timing.
func TestEngineShrinks(t *testing.T) {
	for _, c := range []struct {
		name   string
		plant  func(TB, Subject) Subject
		want   string
		most   int // objects and actions
		reason string
	}{
		{"an end is not reported", losing(func() func(ownergraph.Event) bool {
			return func(e ownergraph.Event) bool { return e.Type == graph.Gone }
		}), "the collectors are idle, and work is left", 8, "an owner, a dependent, the owner's deletion, and some more, because the end depends on timing"},
		{"a finalizer is never dropped", patching(func(sound ownergraph.Store) patchFunc {
			return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
				c.DropFinalizer = ""
				return sound.Patch(ctx, key, pre, c)
			}
		}), "the collectors are idle, and work is left", 2, "an object and its deletion"},
	} {
		t.Run(c.name, func(t *testing.T) {
			message := find(t, 2, 100, engineTest(Config{New: func(tb TB) Subject { return c.plant(tb, memorySubject(tb)) }}))
			head, _, _ := strings.Cut(message, "to run it again")
			if !strings.Contains(head, c.want) || strings.Contains(message, "flaky") {
				t.Fatalf("it does not say %q: %s", c.want, message)
			}
			scenarioText, _, _ := strings.Cut(head, "the faults")
			if n := strings.Count(scenarioText, "\n  "); n > c.most {
				t.Errorf("%d objects and actions, want at most %d (%s):\n%s", n, c.most, c.reason, head)
			}
		})
	}
}
