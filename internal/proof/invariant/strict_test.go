package invariant_test

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/invariant"
)

// TestStrictLedger judges the end of an owner on a store of level 3 and on one of level 2.
// Each reference was committed after the mark of the owner.
func TestStrictLedger(t *testing.T) {
	for _, tc := range []struct{ owner, dependent, write, want, reason string }{
		{"a~[foreground]", "b -> a!", "release a foregroundDeletion", "S3:", "b blocks a"},
		{"a~[foreground]", "b -> a", "release a foregroundDeletion", "", "b does not block a"},
		{"a~[foreground]", "b -> a!?", "release a foregroundDeletion", "", "the store judged no unresolved reference"},
		{"a@1~[foreground]", "b -> a@2!", "release a@1 foregroundDeletion", "", "the reference names another incarnation"},
		{"a~[orphan]", "b -> a", "release a orphan", "S2:", "b refers to a"},
		{"a~[orphan,x]", "b -> a", "release a x", "", "another finalizer goes"},
		{"a~[orphan] -> a", "b", "release a orphan", "", "a reference of an object to itself does not count"},
	} {
		for _, strict := range []bool{false, true} {
			l := invariant.NewLedger([]graph.Object{parse(t, tc.owner)})
			l.Strict = strict
			l.Commit(graph.Event{Type: graph.Put, Object: parse(t, tc.dependent)})
			got, want := l.Clone().Judge(write(t, tc.write)), ""
			if strict {
				want = tc.want
			}
			if want == "" && got != nil || want != "" && (got == nil || !strings.HasPrefix(got.Error(), want)) {
				t.Errorf("%s; %s; %s; level 3 %t: got %v, want %q: %s", tc.owner, tc.dependent, tc.write, strict, got, want, tc.reason)
			}
		}
	}
}
