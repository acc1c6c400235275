package draft

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// TestTargets: a deletion that the engine repeats is one in the foreground.
func TestTargets(t *testing.T) {
	x := NewIndex(parts(t, "k/a; k/b; k/c -> k/a"))
	target := func(name string, p graph.Propagation) plan.Target {
		return plan.Target{Key: keyOf(t, name), Propagation: p}
	}
	got := x.Targets(
		[]plan.Target{target("k/a", graph.Background), target("k/b", graph.Orphan), target("k/z", graph.Background)},
		[]plan.Step{{Key: keyOf(t, "k/a"), Reason: policy.OrderNeedsForeground}, {Key: keyOf(t, "k/b"), Reason: policy.DependentsFree}},
	)
	if want := map[int32]graph.Propagation{0: graph.Foreground, 1: graph.Orphan}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v: a is repeated, b is not, and z is no part", got, want)
	}
}

// possibleOf returns the possible objects of one deletion, sorted.
func possibleOf(t *testing.T, line, at string, p graph.Propagation) []string {
	t.Helper()
	q, list := questionOf(t, line, at, p)
	return namesOf(list, Possible(q))
}

// questionOf is about one deletion. The finalizer x stays.
func questionOf(t *testing.T, line, at string, p graph.Propagation) (Question, []excerpt.Part) {
	t.Helper()
	list := parts(t, line)
	q := Question{Parts: list, Dependents: make([][]int32, len(list)), Targets: map[int32]graph.Propagation{}, Stays: func(f string) bool { return f == "x" }}
	x := NewIndex(list)
	for i := range list {
		for _, r := range list[i].Object.Owners {
			if o, ok := x.Of(r.Key); ok {
				q.Dependents[o] = append(q.Dependents[o], int32(i))
			}
		}
	}
	target, _ := x.Of(keyOf(t, at))
	q.Targets[target] = p
	return q, list
}

// namesOf returns the keys of the marked parts, sorted.
func namesOf(list []excerpt.Part, marked []bool) (got []string) {
	for i, is := range marked {
		if is {
			got = append(got, list[i].Object.Key.String())
		}
	}
	slices.Sort(got)
	return got
}

// TestPossible has a case of each rule, and cases whose ends do not depend on the order.
func TestPossible(t *testing.T) {
	for _, c := range []struct {
		line, target string
		propagation  graph.Propagation
		want, reason string
	}{
		{"k/a[orphan] -> k/r; k/b -> k/r, k/a; k/r", "k/r", graph.Foreground, "k/b", "rule 1: the case of P3"},
		{"k/a; k/b -> k/a, k/r; k/c -> k/b; k/r", "k/r", graph.Orphan, "", "a stays, so b does"},
		{"k/a[x] -> k/r; k/b -> k/a, k/r; k/r", "k/r", graph.Foreground, "k/a k/b", "rules 2 and 3: a stays, waiting or solid"},
		{"k/a -> k/r!; k/b[x] -> k/a; k/r", "k/r", graph.Foreground, "", "a blocks r, so its delete is in the foreground"},
		{"k/a -> k/r; k/b[x] -> k/a!; k/r", "k/r", graph.Foreground, "k/a k/b", "rule 3: r may end before the delete of a"},
		{"k/a -> k/r; k/b -> k/a; k/r", "k/r", graph.Foreground, "", "nothing stays, so all go"},
		{"k/a -> k/r; k/b -> k/r; k/c -> k/a, k/b; k/r", "k/r", graph.Background, "", "a diamond goes whole"},
		{"k/a[orphan] -> k/r; k/b -> k/r, k/a; k/c -> k/b; k/r", "k/r", graph.Background, "k/b k/c", "rule 4: c hangs below b"},
		{"k/a -> k/r, k/b; k/b -> k/r, k/a; k/r", "k/r", graph.Foreground, "k/a k/b", "a ring below a foreground deletion"},
	} {
		got := possibleOf(t, c.line, c.target, c.propagation)
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s; delete %s %s: possible %v, want %q: %s", c.line, c.target, c.propagation, got, c.want, c.reason)
		}
	}
}

// TestPossibleOfLongChain: a chain of owners may be as long as a store allows.
func TestPossibleOfLongChain(t *testing.T) {
	const n = 200_000
	q := Question{
		Parts: make([]excerpt.Part, n), Dependents: make([][]int32, n), Targets: map[int32]graph.Propagation{0: graph.Foreground},
		Stays: func(string) bool { return false },
	}
	for i := range q.Parts {
		name := strconv.Itoa(i)
		o := graph.Object{Key: graph.Key{Kind: "k", Name: name, UID: graph.UID(name)}}
		if i > 0 {
			q.Dependents[i-1], o.Owners = []int32{int32(i)}, []graph.Owner{{Key: q.Parts[i-1].Object.Key}}
		}
		q.Parts[i] = excerpt.Part{Object: o, State: excerpt.Exists, Member: true}
	}
	if slices.Contains(Possible(q), true) {
		t.Error("an object of a chain is possible, and nothing stays")
	}
}
