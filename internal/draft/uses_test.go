package draft

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestPossibleByPolicies: only an unset reference to an owner that orphans, beside another unset
// reference, makes an end depend on the order (RULES, E5).
func TestPossibleByPolicies(t *testing.T) {
	for _, c := range []struct {
		line         string
		propagation  graph.Propagation
		want, reason string
	}{
		{"k/a[orphan] -> k/r; k/b -> k/r, k/a; k/r", graph.Background, "k/b", "both references are unset"},
		{"k/a[orphan] -> k/r; k/b -> k/r:cascade, k/a; k/r", graph.Background, "", "the cascade reference decides"},
		{"k/a[orphan] -> k/r; k/b -> k/r, k/a:cascade; k/r", graph.Background, "", "the orphaning owner drops a cascade reference"},
		{"k/a[orphan] -> k/r; k/b -> k/r:release, k/a; k/r", graph.Background, "", "a release reference deletes nothing"},
		{"k/a[orphan] -> k/r; k/b -> k/r:restrict, k/a; k/r", graph.Background, "", "a restrict reference deletes nothing"},
		{"k/a[orphan] -> k/r; k/b -> k/r, k/a; k/c -> k/b:cascade; k/d -> k/b:release; k/r", graph.Background, "k/b k/c k/d", "c goes or stays with b, and d loses its reference or keeps it"},
		{"k/a[orphan] -> k/r; k/b -> k/r, k/a, k/c:restrict; k/c -> k/r; k/r", graph.Background, "k/b k/c", "b restricts c, as long as b is there"},
		{"k/a[x] -> k/r!; k/b -> k/a:release, k/r; k/r", graph.Foreground, "", "rule 2 is about owners that may delete b"},
		{"k/b -> k/r:release; k/r[x]", graph.Foreground, "k/b", "the wait of r ends before b drops the reference, or after it"},
		{"k/b -> k/r:release!; k/r[x]", graph.Foreground, "", "r waits for the reference"},
		{"k/b -> k/r:release; k/r[x]", graph.Background, "", "r waits for nothing, so the reference stays"},
		{"k/b -> k/r:release; k/r", graph.Foreground, "", "r ends, so the reference goes"},
		{"k/a -> k/r:restrict; k/b -> k/a; k/c -> k/b, k/a; k/r", graph.Background, "", "a is not below r, so nothing goes"},
		{"k/a[orphan] -> k/r; k/b -> k/r, k/a; k/d -> k/b:release; k/e -> k/d; k/f -> k/e:cascade; k/r", graph.Background, "k/b k/d", "d stays, so e and f stay"},
		{"k/a -> k/r, k/b:restrict; k/b -> k/a!; k/r", graph.Foreground, "", "a restrict reference closes no ring of waits"},
	} {
		if got := strings.Join(possibleOf(t, c.line, "k/r", c.propagation), " "); got != c.want {
			t.Errorf("%s; delete k/r %s: possible %q, want %q: %s", c.line, c.propagation, got, c.want, c.reason)
		}
	}
}

// TestMayEnd: a part of which only a reference is possible does not go, nor does an object below it.
func TestMayEnd(t *testing.T) {
	for _, c := range []struct{ line, want, reason string }{
		{"k/a[orphan] -> k/r; k/b -> k/r, k/a; k/c -> k/b:cascade; k/d -> k/b:release; k/r", "k/b k/c", "d keeps or loses a reference"},
		{"k/a[orphan] -> k/r; k/b -> k/r, k/a; k/d -> k/b:restrict; k/r", "k/b", "d restricts b or not"},
		{"k/a[orphan] -> k/r; k/b -> k/r, k/a; k/d -> k/b:release, k/r; k/e -> k/d; k/r", "k/b k/d k/e", "d goes because of r"},
	} {
		q, list := questionOf(t, c.line, "k/r", graph.Background)
		if got := strings.Join(namesOf(list, MayEnd(q)), " "); got != c.want {
			t.Errorf("%s: may go %q, want %q: %s", c.line, got, c.want, c.reason)
		}
	}
}
