package ownergraph_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

var pauseSeed = flag.Uint64("ownergraph.pauseseed", 0, "seed of TestPauseHard, 0 for several")

// pauses pauses a collector, and expects a confirmation within an hour of the test's time.
func (r *rig) pauses(what engine.Extent) engine.PauseReport {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	x, err := r.Pause(ctx, what)
	if err != nil {
		r.t.Fatal(err)
	}
	return x
}

func (r *rig) resumes(what engine.Extent) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	if err := r.Resume(ctx, what); err != nil {
		r.t.Fatal(err)
	}
}

// TestPauseStopsWrites: no write begins after the confirmation, and everything else goes on.
// The work goes on after the end.
func TestPauseStopsWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a; c -> b; o; d -> o")
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		if x := r.pauses(everything); x.What != everything || x.Since.IsZero() || x.Recorded || len(x.UnderWay)+len(x.Unknown) > 0 {
			t.Errorf("the report is %+v", x)
		}
		s.delete(t, "a", ownergraph.Background)
		s.delete(t, "o", ownergraph.Orphan)
		held := r.idle()
		if got := lines(held); got != "b: the engine is paused (everything)\nd: the engine is paused (everything)\no: dependents hold it (d)" {
			t.Errorf("held:\n%s", got)
		}
		if s.count("delete")+s.count("patch") > 0 || s.count("fence") == 0 {
			t.Errorf("calls %v, want fences and no write", s.calls)
		}
		if x := r.Paused(); len(x) != 1 || x[0].What != everything {
			t.Errorf("paused: %+v", x)
		}
		p, err := r.Plan(t.Context(), plan.Request{})
		if err != nil || p.Cost.Writes != 4 || !strings.Contains(p.Text(), "assumed: the pause everything ends") {
			t.Errorf("the plan, error %v:\n%s", err, p.Text())
		}
		r.resumes(everything)
		r.resumes(everything)
		r.idle()
		s.contains(t, "d")
	})
}

// TestPauseLetsUsersWrite: the user's own writes through the collector are no writes of the
// engine.
func TestPauseLetsUsersWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a")
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		r.pauses(everything)
		p, err := r.Plan(t.Context(), plan.Request{Delete: []plan.Target{{Key: keyOf(t, "a")}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.DeletePlanned(t.Context(), p); err != nil {
			t.Error(err)
		}
		r.idle()
		s.contains(t, "b -> a")
	})
}

// freezer notes the writes and runs of handlers that begin while a confirmed pause covers
// them.
type freezer struct {
	mu     sync.Mutex
	frozen []engine.Extent
	wrong  []string
	calls  int
}

func (f *freezer) freeze(what engine.Extent) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.frozen = append(f.frozen, what)
}

func (f *freezer) thaw(what engine.Extent) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.frozen = slices.DeleteFunc(f.frozen, func(x engine.Extent) bool { return x == what })
}

// begins notes the beginning of a call for an object.
func (f *freezer) begins(verb string, k ownergraph.Key) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	for _, x := range f.frozen {
		if x.All || x.Kind == k.Kind && x.Kind != "" || x.InScope && x.Scope == k.Scope {
			f.wrong = append(f.wrong, fmt.Sprintf("%s %s while %s is paused", verb, k, x))
		}
	}
}

// hardWorld is a store that takes its time and loses answers, with users who begin cascades.
type hardWorld struct {
	*batched
	freezer
	rnd *rand.Rand
	mu  sync.Mutex // of rnd
	n   int
}

func (w *hardWorld) draw(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rnd.IntN(n)
}

// takes lets a call take some time, and loses some of the answers.
func (w *hardWorld) takes(do func() error) error {
	if d := w.draw(5); d > 0 {
		pass(time.Duration(d) * time.Millisecond)
	}
	switch w.draw(20) {
	case 0:
		return errTest
	case 1:
		_ = do()
		return errTest
	}
	return do()
}

func newHardWorld(t *testing.T, seed uint64, most int) *hardWorld {
	w := &hardWorld{batched: &batched{tap: newTap(t, "a; b; p/s/x; p/r/x"), most: most}, rnd: rand.New(rand.NewPCG(seed, 7))}
	w.call = func(_ context.Context, verb string, k ownergraph.Key, do func() error) error {
		if verb == "delete" || verb == "patch" {
			w.begins(verb, k)
			return w.takes(do)
		}
		return do()
	}
	w.answer = func(_ context.Context, writes []ownergraph.Write, do func() ([]error, error)) (out []error, err error) {
		for _, x := range writes {
			w.begins("batch", x.Key)
		}
		err = w.takes(func() (err error) { out, err = do(); return err })
		return out, err
	}
	return w
}

// cascade creates owners with dependents in two kinds and two scopes as a user, and deletes the
// owners.
func (w *hardWorld) cascade(t *testing.T) {
	w.n++
	owner := fmt.Sprintf("a/%d", w.n)
	if w.draw(2) == 0 {
		owner = fmt.Sprintf("a/%d[x.io/h]", w.n)
	}
	w.create(t, owner)
	key := keyOf(t, fmt.Sprintf("a/%d", w.n))
	o, err := w.Store.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 + w.draw(12) {
		o := graph.Object{Key: graph.Key{Kind: "b", Name: fmt.Sprintf("%d-%d", w.n, i)}, Owners: []graph.Owner{{Key: o.Key, Block: w.draw(2) == 0}}}
		if i%2 == 0 {
			o.Kind, o.Scope = "p", []string{"r", "s"}[w.draw(2)]
		}
		if _, err := w.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	p := []graph.Propagation{graph.Background, graph.Foreground, graph.Orphan}[w.draw(3)]
	if err := w.Store.Delete(t.Context(), key, ownergraph.DeleteOptions{Propagation: p}); err != nil {
		t.Fatal(err)
	}
}

// TestPauseHard: with many workers, prefetched calls, batches, handlers and lost answers, no
// covered call begins between the confirmation and the end of a pause.
func TestPauseHard(t *testing.T) {
	seeds := []uint64{1, 2, 3, 4, 5, 6}
	if *pauseSeed != 0 {
		seeds = []uint64{*pauseSeed}
	}
	extents := []engine.Extent{everything, {Kind: "p"}, {Kind: "b"}, {Kind: "a"}, {InScope: true, Scope: "s"}, {InScope: true}}
	for _, seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			t.Logf("seed %d: -ownergraph.pauseseed=%d", seed, seed)
			w := newHardWorld(t, seed, []int{1, 8}[seed%2])
			var store ownergraph.Store = w.batched
			if w.most == 1 {
				store = w.tap
			}
			handler := func(_ context.Context, o graph.Object) error {
				w.begins("handle", o.Key)
				pass(time.Duration(w.draw(9)+1) * time.Millisecond)
				return nil
			}
			r := collectOn(t, store, w.tap, ownergraph.Config{
				Workers: 1 + int(seed)*2, Handlers: map[string]finalizer.Handler{"x.io/h": handler},
			})
			r.idle()
			for range 60 {
				w.cascade(t)
				pass(time.Duration(w.draw(12)) * time.Millisecond)
				var now []engine.Extent
				for range 1 + w.draw(2) {
					what := extents[w.draw(len(extents))]
					r.pauses(what)
					w.freeze(what)
					now = append(now, what)
				}
				w.cascade(t)
				pass(time.Duration(w.draw(100)) * time.Millisecond)
				for _, what := range now {
					w.thaw(what)
					r.resumes(what)
				}
			}
			r.idle()
			if len(w.wrong) > 0 {
				t.Errorf("seed %d: %d of %d calls: %s", seed, len(w.wrong), w.freezer.calls, w.wrong[0])
			}
			for _, o := range w.Objects() {
				if o.Deleting || o.Kind == "a" && o.Name != "a" {
					t.Errorf("seed %d: %s is left, held:\n%s", seed, o, lines(r.Held(9)))
				}
			}
		})
	}
}

// TestPauseBatch: a batch that is filled with covered and uncovered writes does not take the
// covered ones along after the confirmation.
func TestPauseBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHardWorld(t, 1, 8)
		open := make(chan struct{})
		w.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
			if verb == "delete" {
				<-open
			}
			return do()
		}
		w.answer = func(_ context.Context, writes []ownergraph.Write, do func() ([]error, error)) ([]error, error) {
			for _, x := range writes {
				w.begins("batch", x.Key)
			}
			<-open
			return do()
		}
		r := collectOn(t, w.batched, w.tap, ownergraph.Config{Workers: 1})
		r.idle()
		o, _ := w.Store.Get(t.Context(), keyOf(t, "a"))
		for i := range 8 {
			for _, k := range []graph.Kind{"b", "p"} {
				x := graph.Object{Key: graph.Key{Kind: k, Name: fmt.Sprint(i)}, Owners: []graph.Owner{{Key: o.Key}}}
				if k == "p" {
					x.Scope = "s"
				}
				if _, err := w.Create(t.Context(), x); err != nil {
					t.Fatal(err)
				}
			}
		}
		r.idle()
		w.delete(t, "a", ownergraph.Background)
		synctest.Wait() // the first call hangs, and the other writes wait for the next batch
		before := strings.Count(strings.Join(w.seen(), " "), "p/s/")
		p := engine.Extent{Kind: "p"}
		confirmed := make(chan engine.PauseReport)
		go func() {
			x := r.pauses(p)
			w.freeze(p)
			confirmed <- x
		}()
		synctest.Wait()
		close(open)
		<-confirmed
		r.idle()
		if len(w.wrong) > 0 {
			t.Errorf("%v", w.wrong)
		}
		if got := strings.Count(w.shape(), "p/s/") - 1; before == 0 || before == 8 || got != 8-before || strings.Contains(w.shape(), "b/") {
			t.Errorf("%d writes to the paused kind before the pause, and %s", before, w.shape())
		}
		w.thaw(p)
		r.resumes(p)
		r.idle()
		w.contains(t, "b; p/r/x; p/s/x")
	})
}

// TestPauseUnknown: a pause names the writes of unknown outcome until the watch has shown their
// outcome.
func TestPauseUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a; c -> a")
		late := func() error { return nil }
		s.call = func(_ context.Context, verb string, k ownergraph.Key, do func() error) error {
			if verb != "delete" {
				return do()
			}
			if k.Kind == "b" { // the store carries it out later
				late = func() error { return s.Store.Delete(t.Context(), k, ownergraph.DeleteOptions{}) }
			}
			return errTest
		}
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		synctest.Wait()
		x := r.pauses(everything)
		if len(x.Unknown) != 2 || x.Unknown[0].Key.Kind != "b" || x.Unknown[0].Type != engine.CallDelete || x.Unknown[0].Since.IsZero() {
			t.Errorf("unknown: %+v, want both deletes", x.Unknown)
		}
		r.idle()
		pass(time.Hour)
		if x := r.Paused(); len(x[0].Unknown) != 2 {
			t.Errorf("unknown: %+v after reads that found both objects, want both deletes", x[0].Unknown)
		}
		if err := late(); err != nil {
			t.Fatal(err)
		}
		r.idle()
		if x := r.pauses(everything); len(x.Unknown) != 1 || x.Unknown[0].Key.Kind != "c" {
			t.Errorf("unknown: %+v, want the delete of c", x.Unknown)
		}
	})
}

// TestPauseNotConfirmed: a pause whose context ends stays in force, and its error names the
// calls under way.
func TestPauseNotConfirmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open := make(chan struct{})
		s := newTap(t, "a[x.io/h]; b[x.io/h]")
		handler := func(context.Context, graph.Object) error { <-open; return nil }
		r := collect(t, s, ownergraph.Config{HandlerWorkers: 1, Handlers: map[string]finalizer.Handler{"x.io/h": handler}})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		s.delete(t, "b", ownergraph.Background)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		x, err := r.Pause(ctx, everything)
		want := `pause everything: in force, and not confirmed: under way: handle "x.io/h" of `
		if !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), want) || len(x.UnderWay) != 1 {
			t.Errorf("error %v, report %+v, want %s", err, x, want)
		}
		close(open)
		held := r.idle()
		if len(held) != 2 || held[0].Reason != policy.Paused || held[1].Reason != policy.Paused || s.count("patch") > 0 {
			t.Errorf("held:\n%s\nand %d patches, want both paused", lines(held), s.count("patch"))
		}
		if x := r.pauses(everything); len(x.UnderWay) > 0 {
			t.Errorf("under way: %v", x.UnderWay)
		}
		r.resumes(everything)
		r.idle()
		s.contains(t, "")
	})
}

// TestPauseResumedMeanwhile: a pause that ends before its confirmation is not confirmed.
func TestPauseResumedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deletes := newGate()
		s, _ := gated(t, map[string]gate{"delete": deletes})
		r := collect(t, s, ownergraph.Config{Workers: 2})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		synctest.Wait()
		result := make(chan error)
		go func() { _, err := r.Pause(t.Context(), everything); result <- err }()
		synctest.Wait()
		r.resumes(everything)
		if err := <-result; !errors.Is(err, ownergraph.ErrConflict) {
			t.Errorf("error %v, want that it was resumed", err)
		}
		close(deletes.open)
		r.idle()
		s.contains(t, "")
	})
}

// TestPauseBeforeAndAfterRun: a pause before Run is in force from the first call on. After the end
// of the collector there is nothing to pause.
func TestPauseBeforeAndAfterRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a")
		s.delete(t, "a", ownergraph.Background)
		c, err := ownergraph.New(s, ownergraph.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Pause(t.Context(), everything); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- c.Run(ctx) }()
		if held, err := c.WaitIdle(t.Context()); err != nil || len(held) != 1 || held[0].Reason != policy.Paused {
			t.Errorf("held %v, error %v", held, err)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		_, err = c.Pause(t.Context(), everything)
		if !errors.Is(err, ownergraph.ErrClosed) || !errors.Is(c.Resume(t.Context(), everything), ownergraph.ErrClosed) {
			t.Errorf("error %v, want that the collector has ended", err)
		}
		s.contains(t, "b -> a")
	})
}

// TestPauseNoContext: a nil context pauses nothing, and ends no pause.
func TestPauseNoContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := collect(t, newTap(t, "a"), ownergraph.Config{})
		r.idle()
		var none context.Context
		if _, err := r.Pause(none, everything); !errors.Is(err, ownergraph.ErrInvalid) || err.Error() != "pause everything: context: nil: invalid" {
			t.Errorf("Pause: %v", err)
		}
		if n := len(r.Paused()); n > 0 {
			t.Errorf("%d pauses", n)
		}
		r.pauses(everything)
		if err := r.Resume(none, everything); !errors.Is(err, ownergraph.ErrInvalid) || len(r.Paused()) != 1 {
			t.Errorf("Resume: %v, %d pauses, want one", err, len(r.Paused()))
		}
	})
}
