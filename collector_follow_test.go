package ownergraph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// followed is the outcome of a Follow that runs beside a test.
type followed struct {
	all []engine.Progress
	err error
}

// follow follows a deletion until it ends, for at most a minute of the test's time.
func (r *rig) follow(key ownergraph.Key) (f followed) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for p, err := range r.Follow(ctx, key) {
		if f.all, f.err = append(f.all, p), err; err != nil {
			return f
		}
	}
	return f
}

// follows begins to follow. The test calls the result to get the outcome.
func (r *rig) follows(key ownergraph.Key) (outcome func() followed) {
	done := make(chan followed, 1)
	go func() { done <- r.follow(key) }()
	synctest.Wait()
	return func() followed { return <-done }
}

// last returns the last progress as text.
func (f followed) last() string {
	if len(f.all) == 0 {
		return fmt.Sprint(f.err)
	}
	p := f.all[len(f.all)-1]
	return fmt.Sprintf("%d known, %d gone, %d left, %d held, done %v", p.Known, p.Gone, p.Left, p.Held, p.Done)
}

func (f followed) want(t *testing.T, want, reason string) {
	t.Helper()
	if got := f.last(); got != want || f.err != nil {
		t.Errorf("%s, %v; want %s: %s", got, f.err, want, reason)
	}
	for i, p := range f.all {
		if p.Known != p.Gone+p.Left || p.Held+p.Blocked > p.Left || len(p.By) > p.Held+p.Blocked || p.Done != (i == len(f.all)-1) || p.Since.IsZero() {
			t.Errorf("progress %d is %+v", i, p)
		}
	}
}

// TestFollow: Follow reports from the beginning to the end of a deletion.
func TestFollow(t *testing.T) {
	for _, c := range []struct {
		objects     string
		p           graph.Propagation
		change      func(t *testing.T, s *tap)
		last        string
		left        string
		reason      string
		atBeginning int
	}{
		{"p/s/a; p/s/b -> p/s/a; p/s/c -> p/s/b", ownergraph.Background, nil, "3 known, 3 gone, 0 left, 0 held, done true", "", "three levels", 3},
		{"p/s/a; p/s/b -> p/s/a!; p/s/c -> p/s/b!", ownergraph.Foreground, nil, "3 known, 3 gone, 0 left, 0 held, done true", "", "behind fences", 3},
		{"p/s/a; p/s/b -> p/s/a; p/s/c -> p/s/b", ownergraph.Orphan, nil, "1 known, 1 gone, 0 left, 0 held, done true", "p/s/b; p/s/c -> p/s/b", "the dependents stay", 3},
		{"p/s/a; p/s/x; p/s/b -> p/s/a, p/s/x; p/s/c -> p/s/b", ownergraph.Background, nil, "1 known, 1 gone, 0 left, 0 held, done true",
			"p/s/b -> p/s/x; p/s/c -> p/s/b; p/s/x", "another owner keeps a dependent, which is trimmed", 3},
		{"p/s/a; p/s/b* -> p/s/a!", ownergraph.Foreground, func(t *testing.T, s *tap) {
			s.create(t, "p/s/c -> p/s/b")
			pass(time.Second)
			s.finish(t, "p/s/b", "foreign")
		}, "3 known, 3 gone, 0 left, 0 held, done true", "", "an object is created below a member", 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, c.objects)
			r := collect(t, s, ownergraph.Config{})
			r.idle()
			root := keyOf(t, "p/s/a")
			outcome, other := r.follows(root), r.follows(root)
			s.delete(t, "p/s/a", c.p)
			if c.change != nil {
				c.change(t, s)
			}
			f := outcome()
			f.want(t, c.last, c.reason)
			other().want(t, c.last, c.reason+": a second follower sees the same")
			if first := f.all[0]; first.Begun || !first.Growing || first.Known != c.atBeginning {
				t.Errorf("begins with %+v, want %d objects of a deletion that has not begun: %s", first, c.atBeginning, c.reason)
			}
			s.contains(t, c.left)
			again := r.follow(root)
			again.want(t, "1 known, 1 gone, 0 left, 0 held, done true", "the deletion ended before the call: "+c.reason)
			if len(again.all) != 1 {
				t.Errorf("reports %d times after the end, want 1", len(again.all))
			}
		})
	}
}

// TestFollowHeld: a report names the held members, with their reasons. No two reports are
// closer than 100 ms, and nothing is reported without a change.
func TestFollowHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "p/s/a; p/s/b* -> p/s/a!; p/s/c -> p/s/a; p/s/x*")
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		var times []time.Time
		var last engine.Progress
		ended := make(chan error, 1)
		go func() {
			var err error
			for last, err = range r.Follow(context.Background(), keyOf(t, "p/s/a")) {
				times = append(times, time.Now())
			}
			ended <- err
		}()
		synctest.Wait()
		s.delete(t, "p/s/x", ownergraph.Background)
		s.delete(t, "p/s/a", ownergraph.Foreground)
		pass(time.Hour)
		if last.Held != 1 || last.Blocked != 1 || last.Left != 2 || last.Gone != 1 || last.Growing || last.Writes == 0 || last.Fences == 0 || last.Rate <= 0 {
			t.Errorf("%+v, want 1 held and 1 blocked of 2 left, 1 gone, and requests", last)
		}
		if got, want := lines(last.By), "p/s/a: dependents hold it (p/s/b)\np/s/b: finalizers hold it (foreign)"; got != want {
			t.Errorf("held: %s, want %s", got, want)
		}
		s.finish(t, "p/s/b", "foreign")
		if err := <-ended; err != nil || !last.Done {
			t.Errorf("ends with %+v, %v", last, err)
		}
		for i := range times[1:] {
			if d := times[i+1].Sub(times[i]); d < 100*time.Millisecond {
				t.Errorf("reports %d and %d are %v apart", i, i+1, d)
			}
		}
		if len(times) > 8 {
			t.Errorf("%d reports of 5 changes", len(times))
		}
	})
}

// TestFollowErrors: a wrong key, a root that was never seen and two roots are errors, and
// so are the end of the context and of the collector.
func TestFollowErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "p/s/a*; p/s/b; p/s/d -> p/s/never?; p/s/f* -> p/s/e@one; p/s/g* -> p/s/e@two")
		begin := make(chan struct{})
		s.watch = func(ctx context.Context, sink sinkFunc, do watchFunc) error {
			<-begin
			return do(ctx, sink)
		}
		r := collect(t, s, ownergraph.Config{})
		first := r.follow(keyOf(t, "p/s/b"))
		close(begin)
		if !errors.Is(first.err, ownergraph.ErrNotFound) || !strings.Contains(first.err.Error(), "does not watch its kind") {
			t.Errorf("before the watch has told its kinds: %v", first.err)
		}
		r.idle()
		for _, c := range []struct {
			key    ownergraph.Key
			is     error
			text   string
			reason string
		}{
			{ownergraph.Key{Name: "a"}, ownergraph.ErrInvalid, "no kind", "a key without a kind"},
			{keyOf(t, "p/s/x"), ownergraph.ErrNotFound, "p/s/x: not found", "never seen"},
			{ownergraph.Key{Kind: "p", Scope: "s", Name: "x"}, ownergraph.ErrNotFound, "follow: p/s/x", "never seen, without a UID"},
			{keyOf(t, "q/s/x"), ownergraph.ErrNotFound, "does not watch its kind", "of another kind"},
			{keyOf(t, "p/s/a@other"), ownergraph.ErrNotFound, "p/s/a@other", "another incarnation"},
			{ownergraph.Key{Kind: "p", Scope: "s", Name: "e"}, ownergraph.ErrInvalid, "ambiguous: UIDs one, two", "references name two objects that are gone"},
			{keyOf(t, "p/s/a"), context.DeadlineExceeded, "follow p/s/a: context deadline exceeded", "the context ends"},
		} {
			f := r.follow(c.key)
			if !errors.Is(f.err, c.is) || !strings.Contains(f.err.Error(), c.text) {
				t.Errorf("%v, want %q, %v: %s", f.err, c.text, c.is, c.reason)
			}
		}
		outcome := r.follows(ownergraph.Key{Kind: "p", Scope: "s", Name: "a"})
		if err := r.stop(); err != nil {
			t.Error(err)
		}
		if f := outcome(); !errors.Is(f.err, ownergraph.ErrClosed) || f.all[0].Root != keyOf(t, "p/s/a") {
			t.Errorf("%+v, want %v, and the UID of the root", f, ownergraph.ErrClosed)
		}
		if f := r.follow(keyOf(t, "p/s/a")); !errors.Is(f.err, ownergraph.ErrClosed) {
			t.Errorf("after the end: %v", f.err)
		}
	})
}

// TestFollowObserveOnly: a collector that only observes follows what another one does.
func TestFollowObserveOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "p/s/a; p/s/b -> p/s/a; p/s/c -> p/s/b")
		watcher := collect(t, s, ownergraph.Config{ObserveOnly: true})
		watcher.idle()
		outcome := watcher.follows(ownergraph.Key{Kind: "p", Scope: "s", Name: "a"})
		s.delete(t, "p/s/a", ownergraph.Background)
		pass(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := watcher.Await(ctx, keyOf(t, "p/s/a")); err == nil || !strings.Contains(err.Error(), "p/s/b (observing only: p/s/a, 2 s)") {
			t.Errorf("nothing acts, and Await says %v", err)
		}
		collect(t, s, ownergraph.Config{})
		f := outcome()
		f.want(t, "3 known, 3 gone, 0 left, 0 held, done true", "the other one acts")
		if p := f.all[len(f.all)-1]; p.Writes != 0 {
			t.Errorf("the watcher made %d writes", p.Writes)
		}
	})
}

// TestFollowRestart: a new collector follows a deletion that another one began. A root that
// is gone and that references name is known.
func TestFollowRestart(t *testing.T) {
	for _, c := range []struct {
		objects, last, reason string
	}{
		{"p/s/a~[foreground]; p/s/b* -> p/s/a!", "2 known, 2 gone, 0 left, 0 held, done true", "the root waits"},
		{"p/s/b* -> p/s/a; p/s/c -> p/s/a", "3 known, 3 gone, 0 left, 0 held, done true", "the root is gone"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, c.objects)
			s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
				if verb == "delete" {
					pass(time.Second)
				}
				return do()
			}
			r := collect(t, s, ownergraph.Config{})
			pass(100 * time.Millisecond)
			outcome := r.follows(keyOf(t, "p/s/a"))
			pass(time.Minute / 2)
			s.finish(t, "p/s/b", "foreign")
			outcome().want(t, c.last, c.reason)
		})
	}
}

// TestFollowRewind: a restore of the store brings members back. They are no longer gone, and
// Follow ends after their second end.
func TestFollowRewind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "p/s/a; p/s/b* -> p/s/a!; p/s/c -> p/s/a!")
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		outcome := r.follows(keyOf(t, "p/s/a"))
		s.delete(t, "p/s/a", ownergraph.Foreground)
		before := s.Inside(inside.Key{}).Snapshot()
		pass(time.Second)
		s.contains(t, "p/s/a~[foreground]; p/s/b~* -> p/s/a!")
		if err := s.Inside(inside.Key{}).Restore(before); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		s.finish(t, "p/s/b", "foreign")
		f := outcome()
		f.want(t, "3 known, 3 gone, 0 left, 0 held, done true", "each object counts once")
	})
}

// TestSweepProgress: the progress of a sweep has the counts that Follow gives for the
// holder. An object below a member counts in Follow alone.
func TestSweepProgress(t *testing.T) {
	testSweep(t, "tenant/1; pod/1-x/a[x.io/slow]; pod/1-x/b; secret/1-x/s; secret/2-x/t", sweeping(tenancy()), func(t *testing.T, r *rig) {
		outcome := r.follows(ownergraph.Key{Kind: "tenant", Name: "1"})
		r.delete(t, "tenant/1", graph.Unset)
		r.idle()
		r.create(t, "pod/1-x/late")
		pass(1500 * time.Millisecond)
		sweeps := r.Sweeps(1)
		if len(sweeps) != 1 {
			t.Fatalf("%d sweeps", len(sweeps))
		}
		got := sweeps[0].Progress()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for p, err := range r.Follow(ctx, got.Root) {
			if err != nil || p.Left != got.Left || p.Held != got.Held || p.Blocked != got.Blocked+1 {
				t.Errorf("Follow has %+v, %v, and the sweep %+v", p, err, got)
			}
			break
		}
		r.finish(t, "pod/1-x/a", "x.io/slow")
		r.idle()
		f := outcome()
		f.want(t, fmt.Sprintf("%d known, %[1]d gone, 0 left, 0 held, done true", got.Known), "the holder and its members")
	})
}

// TestFollowUnguarded: a holder goes before it carries the finalizer. Its members count if
// the sweep goes on without it, and are left out otherwise.
func TestFollowUnguarded(t *testing.T) {
	for _, c := range []struct {
		unguarded bool
		last      string
		reason    string
	}{
		{false, "1 known, 1 gone, 0 left, 0 held, done true", "the members stay"},
		{true, "3 known, 3 gone, 0 left, 0 held, done true", "by the setting the sweep goes on"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "tenant/1; volume/1-a; volume/1-b; volume/2-c")
			s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
				if verb == "patch" { // the finalizer comes too late
					pass(time.Second)
				}
				return do()
			}
			tenants := tenancy()
			tenants.Unguarded = c.unguarded
			r := collect(t, s, sweeping(tenants))
			pass(time.Millisecond)
			f := r.follows(keyOf(t, "tenant/1"))
			s.delete(t, "tenant/1", graph.Unset)
			f().want(t, c.last, c.reason)
		})
	}
}

// TestFollowSelected: a member of a sweep by its label counts.
func TestFollowSelected(t *testing.T) {
	cfg := sweeping(guard.Sweep{Finalizer: "x.io/tenant", Holder: "tenant", Members: []guard.Members{{By: guard.ByLabel, Label: "tenant"}}})
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "tenant/1; volume/a; volume/b")
		if _, err := s.Label(t.Context(), keyOf(t, "volume/a"), ownergraph.Precondition{}, map[string]string{"tenant": "1"}); err != nil {
			t.Fatal(err)
		}
		r := collect(t, s, cfg)
		r.idle()
		f := r.follows(keyOf(t, "tenant/1"))
		s.delete(t, "tenant/1", graph.Unset)
		f().want(t, "2 known, 2 gone, 0 left, 0 held, done true", "the labelled volume goes with its holder")
	})
}
