package lint_test

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/lint"
)

// TestFatesWithEvidence: the end of an object by the engine is that with all evidence of its owners.
func TestFatesWithEvidence(t *testing.T) {
	for _, c := range []struct{ objects, want, reason string }{
		{"pod/s/a -> pod/s/b, pod/s/c; pod/s/b~[foreground]", "the collector deletes this now", "a waiting owner beside a missing one"},
		{"pod/s/a -> pod/s/b, pod/s/b; pod/s/b~[foreground]", "the collector deletes this now", "a waiting owner alone"},
		{"pod/s/a -> node/n, node/n, pod/s/b; pod/s/b~[foreground]; node/n", "kept, and the collector drops the reference now", "a waiting owner beside a solid one"},
		{"pod/s/a -> pod/s/b, pod/s/b; pod/s/b~[orphan]", "kept while an owner lives", "an orphaning owner is there until its end"},
		{"pod/s/a@u -> pod/s/c; rs/s/b@u", "kept for ever", "two objects have the UID"},
		{"pod/s/a -> secret/s/b?", "not known from this dump", "the dump does not list the kind of an unresolved owner"},
		{"node/a -> pod/s/b?", "kept for ever", "no scope of an unresolved owner helps a global object"},
		{"pod/s/a -> x/s/b, event/s/c; event/s/c", "kept for ever", "an owner that may not own outlasts one that the store may resolve"},
		{"pod/s/a -> x/s/b, pod/s/c@u; pod/t/c@u", "kept until the collector can resolve the owner", "and this one outlasts one that lives elsewhere"},
	} {
		in := input(t, c.objects)
		in.Kubernetes = false
		r, err := lint.Check(in, lint.Config{})
		if err != nil {
			t.Fatal(err)
		}
		fates := 0
		for _, f := range r.Findings {
			if f.Object.Name != "a" || f.Fate == lint.FateUnset {
				continue
			}
			if fates++; f.Fate.String() != c.want {
				t.Errorf("%s: %s: got %s, want %s", c.objects, c.reason, f.Fate, c.want)
			}
		}
		if fates == 0 {
			t.Errorf("%s: no fate:\n%s", c.objects, strings.TrimSpace(r.String()))
		}
	}
}
