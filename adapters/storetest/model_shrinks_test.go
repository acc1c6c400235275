package storetest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TestModelShrinks: what the model finds on a store whose UIDs are random, and
// so differ from run to run, shrinks to a few steps all the same; also where
// each failure has to be waited for.
func TestModelShrinks(t *testing.T) {
	for _, c := range []struct {
		name   string
		spoil  func(TB, Subject) Subject
		want   string
		most   int // steps
		reason string
	}{
		{"an owned object's second deletion does nothing", deleting(ownedTwice), "Get(", 4,
			"create its owner and it, delete it twice"},
		{"an end is not told", losing(func() func(ownergraph.Event) bool {
			return func(e ownergraph.Event) bool { return e.Type == graph.Gone }
		}), "the watch has not shown what there is", 5, "create, see, delete, end what holds it, see"},
		{"versions are all the same", renaming(func(n *renamed) {
			n.version = func(ownergraph.Object) ownergraph.Version { return "v" }
		}), "version no. 1 names two states", 2, "create and change"},
		{"a deletion fails", deleting(func(ownergraph.Store) deleteFunc {
			return func(_ context.Context, key ownergraph.Key, _ ownergraph.DeleteOptions) error {
				return &odd{key.UID, time.Now()}
			}
		}), "an error of its own", 2, "create and delete"},
	} {
		t.Run(c.name, func(t *testing.T) {
			said := find(t, 3, 500, modelTest(Config{New: func(tb TB) Subject { return c.spoil(tb, memorySubject(tb)) }}))
			before, _, _ := strings.Cut(said, "the steps:\n")
			if !strings.Contains(before, c.want) || strings.Contains(said, "flaky") {
				t.Fatalf("it does not say %q: %s", c.want, said)
			}
			if n := len(stepsOf(said)); n < 1 || n > c.most {
				t.Errorf("%d steps, want at most %d (%s):\n%s", n, c.most, c.reason, said)
			}
		})
	}
}

// stepsOf returns the steps that a failure of the model prints.
func stepsOf(said string) (steps []string) {
	_, rest, _ := strings.Cut(said, "the steps:\n")
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, "  ") {
			break
		}
		steps = append(steps, strings.TrimSpace(line))
	}
	return steps
}

// ownedTwice does nothing at the deletion of an object that is being deleted and
// has owners.
func ownedTwice(sound ownergraph.Store) deleteFunc {
	return func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
		if live, err := sound.Get(ctx, key); err == nil && live.Deleting && len(live.Owners) > 0 {
			return nil
		}
		return sound.Delete(ctx, key, opts)
	}
}

// odd is an error that reads otherwise each time.
type odd struct {
	uid ownergraph.UID
	at  time.Time
}

func (o *odd) Error() string { return string(o.uid) + " failed at " + o.at.String() }

// TestPace: the first failure is waited for as long as the store may take, those
// behind it as long as it was seen to need.
func TestPace(t *testing.T) {
	for _, c := range []struct {
		patience, slowest time.Duration
		failed            bool
		want              time.Duration
		reason            string
	}{
		{10 * time.Second, 0, false, 10 * time.Second, "nothing has failed"},
		{10 * time.Second, time.Minute, false, 10 * time.Second, "patience is a promise"},
		{10 * time.Second, time.Microsecond, true, leastWait, "a machine that is busy takes that for nothing"},
		{10 * time.Second, 250 * time.Millisecond, true, time.Second, "a slow store is given its time"},
		{10 * time.Second, 5 * time.Second, true, 10 * time.Second, "and never more than patience"},
		{time.Millisecond, 0, true, time.Millisecond, "and never more than patience"},
	} {
		p := newPace(c.patience)
		p.slowest, p.failed = c.slowest, c.failed
		if got := p.limit(); got != c.want {
			t.Errorf("patience %s, slowest %s, failed %t: %s, want %s: %s", c.patience, c.slowest, c.failed, got, c.want, c.reason)
		}
	}
}

// TestMutantsShrink: what the model finds of the planted bugs, it shows in five
// steps at most.
func TestMutantsShrink(t *testing.T) {
	longer := map[string]int{"rewind/versions": 6} // note, write, see, go back, write, and look from afar
	const enough = 25
	found := 0
	for _, m := range slices.Concat(blunders(), mutants()) {
		said := find(t, 1, 5, modelTest(Config{New: func(tb TB) Subject { return m.spoil(tb, memorySubject(tb)) }}))
		if said == "" {
			continue // by chance, or since it takes what no history has
		}
		found++
		if n := len(stepsOf(said)); n > max(5, longer[m.law]) || strings.Contains(said, "[rapid]") {
			t.Errorf("%s: %d steps, want at most 5: %s\n%s", m.name, n, m.reason, said)
		}
	}
	if found < enough {
		t.Errorf("the model found %d planted bugs, want %d at least", found, enough)
	}
}
