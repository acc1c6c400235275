package storetest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/portion"
)

// TestModelShrinks checks that the model's findings shrink to a few steps. Some failures
// show only after a wait.
func TestModelShrinks(t *testing.T) {
	for _, c := range []struct {
		name   string
		plant  func(TB, Subject) Subject
		want   string // or one of several, between bars
		most   int    // steps
		reason string
	}{
		{"an owned object's second deletion does nothing", deleting(ownedTwice), "Get(", 4,
			"create its owner and it, delete it twice"},
		{"an end is not reported", losing(func() func(ownergraph.Event) bool {
			return func(e ownergraph.Event) bool { return e.Type == graph.Gone }
		}), "the watch has not reported all objects of the store|a fence passed a kind before the watch had reported its objects", 5, "create, sync, delete, drop the finalizer, sync: the rest of the watch shows it, or a fence"},
		{"versions are all the same", renaming(func(n *renamed) {
			n.version = func(ownergraph.Object) ownergraph.Version { return "v" }
		}), "version no. 1 names two states", 2, "create and change"},
		{"a deletion fails", deleting(func(ownergraph.Store) deleteFunc {
			return func(_ context.Context, key ownergraph.Key, _ ownergraph.DeleteOptions) error {
				return &changingError{key.UID, time.Now()}
			}
		}), "an error of its own", 2, "create and delete"},
	} {
		t.Run(c.name, func(t *testing.T) {
			message := find(t, 3, 500, modelTest(Config{New: func(tb TB) Subject { return c.plant(tb, countedSubject(tb)) }}))
			before, _, _ := strings.Cut(message, "the steps:\n")
			says := func(want string) bool { return strings.Contains(before, want) }
			if !slices.ContainsFunc(strings.Split(c.want, "|"), says) || strings.Contains(message, "flaky") {
				t.Fatalf("it does not say %q: %s", c.want, message)
			}
			if n := len(stepsOf(message)); n < 1 || n > c.most {
				t.Errorf("%d steps, want at most %d (%s):\n%s", n, c.most, c.reason, message)
			}
		})
	}
}

// stepsOf returns the steps that a failure of the model prints.
func stepsOf(message string) (steps []string) {
	_, rest, _ := strings.Cut(message, "the steps:\n")
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, "  ") {
			break
		}
		steps = append(steps, strings.TrimSpace(line))
	}
	return steps
}

// ownedTwice ignores the deletion of an object that is being deleted and has
// owners.
func ownedTwice(sound ownergraph.Store) deleteFunc {
	return func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
		if live, err := sound.Get(ctx, key); err == nil && live.Deleting && len(live.Owners) > 0 {
			return nil
		}
		return sound.Delete(ctx, key, opts)
	}
}

// changingError is an error whose text differs each time.
type changingError struct {
	uid graph.UID
	at  time.Time
}

func (e *changingError) Error() string { return string(e.uid) + " failed at " + e.at.String() }

// TestWaitTimes checks that the first failure is waited for as long as the store
// may take, and later ones as long as the store was seen to need.
func TestWaitTimes(t *testing.T) {
	for _, c := range []struct {
		patience, slowest time.Duration
		failed            bool
		want              time.Duration
		reason            string
	}{
		{10 * time.Second, 0, false, 10 * time.Second, "nothing has failed"},
		{10 * time.Second, time.Minute, false, 10 * time.Second, "patience is a promise"},
		{10 * time.Second, time.Microsecond, true, minWait, "a busy machine may need that"},
		{10 * time.Second, 250 * time.Millisecond, true, time.Second, "a slow store is given its time"},
		{10 * time.Second, 5 * time.Second, true, 10 * time.Second, "and never more than patience"},
		{time.Millisecond, 0, true, time.Millisecond, "and never more than patience"},
	} {
		p := newWaitTimes(c.patience)
		p.slowest, p.failed = c.slowest, c.failed
		if got := p.limit(); got != c.want {
			t.Errorf("patience %s, slowest %s, failed %t: %s, want %s: %s", c.patience, c.slowest, c.failed, got, c.want, c.reason)
		}
	}
}

// TestMutantsShrink checks that the model shows each planted bug that it finds in
// at most five steps.
func TestMutantsShrink(t *testing.T) {
	longer := map[string]int{"rewind/versions": 6} // backup, write, read, restore, write, and watch
	enough := portion.Number(8, 25)
	found := 0
	for _, m := range portion.Of(3, undetected(slices.Concat(broadBugs(), mutants()))) {
		search := func(seed, checks int) string { // a search remembers its failure, so each one is new
			return find(t, seed, checks, modelTest(Config{New: func(tb TB) Subject { return m.plant(tb, countedSubject(tb)) }}))
		}
		message := search(1, 5)
		if message == "" {
			continue // by chance, or because the bug needs input that no history has
		}
		found++
		most := max(5, longer[m.law])
		// A call that returns while its context ends may answer either way. The shrinking of such a
		// failure may end early, so another search begins.
		for seed := 2; seed <= 64 && len(stepsOf(message)) > most; seed++ {
			message = cmp.Or(search(seed, 20), message)
		}
		if n := len(stepsOf(message)); n > most || strings.Contains(message, "[rapid]") {
			t.Errorf("%s: %d steps, want at most %d: %s\n%s", m.name, n, most, m.reason, message)
		}
	}
	if found < enough {
		t.Errorf("the model found %d planted bugs, want %d at least", found, enough)
	}
}
