package fault_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/fault"
)

// plain is a store without optional powers.
type plain struct{ ownergraph.Store }

func TestBreak(t *testing.T) {
	in(t, func(t *testing.T) {
		r := onto(t, "break@6", "", fault.Config{})
		tp := r.watch()
		tp.want(t, "at first", begun)
		r.create("x1")
		synctest.Wait()
		select {
		case err := <-tp.done:
			tp.done <- err
			if !errors.Is(err, fault.ErrBroken) {
				t.Errorf("the watch ended: %v, want %v", err, fault.ErrBroken)
			}
		default:
			t.Error("the watch goes on")
		}
		r.fired(fault.Break, 1)
		r.watch().want(t, "when it is begun again", "kinds:x,y x( +x1 )x y( )y")
	})
}

// TestDrop checks that the lost events come with a new listing. A fence that passed
// in the gap comes after the listing.
func TestDrop(t *testing.T) {
	for _, c := range []struct {
		name   string
		lister bool
		again  string
		reason string
	}{
		{"lister", true, "x( +x1 +x2 )x |1x", "the kind alone is listed anew"},
		{"no lister", false, "kinds:x,y x( +x1 +x2 )x |1x y( +y1 )y", "without a Lister everything is"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				r := onto(t, "drop@1", "", fault.Config{})
				if !c.lister {
					r = over(t, fencing{plain{r.memory}, r.memory}, r.memory, fault.Config{Plan: plan(t, "drop@1")})
				}
				tp := r.watch()
				tp.want(t, "at first", begun)
				r.create("x1")
				r.create("x2")
				r.create("y1")
				if _, err := r.Fence(t.Context()); err != nil {
					t.Fatal(err)
				}
				tp.want(t, "in the gap", "+y1 |1y |1")
				<-time.After(time.Second)
				tp.want(t, c.reason, c.again)
				r.fired(fault.Drop, 1)
			})
		})
	}
}

// fencing is a store that has a fence and no List.
type fencing struct {
	plain
	ownergraph.Fencer
}

func plan(t testing.TB, s string) fault.Plan {
	t.Helper()
	p, err := fault.ParsePlan(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestDropInListing checks that a listing with a lost event does not end. Its end
// would prove the lost object absent.
func TestDropInListing(t *testing.T) {
	in(t, func(t *testing.T) {
		r := onto(t, "drop@2", "x/x1; x/x2; x/x3", fault.Config{})
		tp := r.watch()
		tp.want(t, "at first", "kinds:x,y x( +x1 y( )y")
		<-time.After(time.Second)
		tp.want(t, "later", "x( +x1 +x2 +x3 )x")
	})
}

func TestDuplicate(t *testing.T) {
	in(t, func(t *testing.T) {
		r := onto(t, "duplicate@1 duplicate@3", "", fault.Config{})
		tp := r.watch()
		tp.want(t, "at first", begun)
		r.create("x1")
		r.create("x2")
		r.remove("x2")
		tp.want(t, "then", "+x1 +x1 +x2 -x2 -x2")
		r.fired(fault.Duplicate, 2)
	})
}

func TestDelay(t *testing.T) {
	in(t, func(t *testing.T) {
		r := onto(t, "delay@1", "", fault.Config{Lag: time.Minute})
		tp := r.watch()
		tp.want(t, "at first", begun)
		r.create("x1")
		r.create("y1")
		r.create("x2")
		if _, err := r.Fence(t.Context()); err != nil {
			t.Fatal(err)
		}
		tp.want(t, "at once", "+y1 |1y |1")
		<-time.After(59 * time.Second)
		tp.want(t, "before the lag is over", "")
		<-time.After(2 * time.Second)
		tp.want(t, "in order, when it is over,", "+x1 +x2 |1x")
		r.fired(fault.Delay, 1)
	})
}

func TestReorder(t *testing.T) {
	in(t, func(t *testing.T) {
		r := onto(t, "reorder@1", "", fault.Config{Lag: time.Minute})
		tp := r.watch()
		tp.want(t, "at first", begun)
		r.create("x1")
		r.create("x2")
		tp.want(t, "while nothing overtakes", "")
		r.create("y1")
		tp.want(t, "when another kind has overtaken", "+y1 +x1 +x2")
		r.fired(fault.Reorder, 1)
	})
}

// TestCompact checks that the same watch lists every kind again. It repeats a fence
// that the former inner watch had not reported.
func TestCompact(t *testing.T) {
	in(t, func(t *testing.T) {
		hidden := onto(t, "none", "", fault.Config{})
		compacted := 0
		hooks := fault.Config{Plan: plan(t, "compact@6"), Compact: func(context.Context) error { compacted++; return nil }}
		r := over(t, &deaf{Store: hidden.memory}, hidden.memory, hooks)
		tp := r.watch()
		tp.want(t, "at first", begun)
		if _, err := r.Fence(t.Context()); err != nil {
			t.Fatal(err)
		}
		tp.want(t, "for a store that ignores the fence", "")
		r.create("x1")
		tp.want(t, "then", "+x1 kinds:x,y x( +x1 )x y( )y |9x |9y |9")
		r.fired(fault.Compact, 1)
		if compacted != 1 {
			t.Errorf("the hook was called %d times, want once", compacted)
		}
	})
}

// deaf is a store that ignores the first fence.
type deaf struct {
	*memory.Store
	asked int
}

func (d *deaf) Fence(ctx context.Context) (token uint64, err error) {
	if d.asked++; d.asked == 1 {
		return 9, nil
	}
	return d.Store.Fence(ctx)
}

func TestMute(t *testing.T) {
	in(t, func(t *testing.T) {
		r := onto(t, "mute@1x2", "", fault.Config{})
		tp := r.watch()
		tp.want(t, "at first", begun)
		r.create("x1")
		if got, want := tp.text(), "+x1"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		r.create("x2")
		if got, want := tp.text(), "+x2 >x >y"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		r.fired(fault.Mute, 2)
	})
}

func TestLose(t *testing.T) {
	in(t, func(t *testing.T) {
		r := onto(t, "lose@1", "", fault.Config{})
		tp := r.watch()
		tp.want(t, "at first", begun)
		r.create("x1")
		r.create("x2")
		<-time.After(time.Hour)
		tp.want(t, "for ever", "+x2")
		r.fired(fault.Lose, 1)
	})
}

// TestWatchEnds checks that a watch with faults ends as a watch without faults
// does.
func TestWatchEnds(t *testing.T) {
	in(t, func(t *testing.T) {
		r := onto(t, "delay@1", "x/x1", fault.Config{Lag: time.Hour})
		tp := r.watch()
		tp.cancel()
		synctest.Wait()
		err := <-tp.done
		tp.done <- err
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		enough := errors.New("enough")
		if err := r.Watch(t.Context(), func([]graph.Event) error { return enough }); !errors.Is(err, enough) {
			t.Errorf("the sink failed: %v", err)
		}
		bad := over(t, panicking{plain{r.memory}}, r.memory, fault.Config{})
		if err := bad.Watch(t.Context(), func([]graph.Event) error { return nil }); err == nil {
			t.Error("the inner watch panicked: no error")
		}
	})
}

type panicking struct{ plain }

func (panicking) Watch(context.Context, func([]graph.Event) error) error { panic("no") }

// TestBackPressure checks that the inner watch runs ahead of a slow sink only up to
// a bound.
func TestBackPressure(t *testing.T) {
	in(t, func(t *testing.T) {
		inner := &endless{}
		r := over(t, inner, nil, fault.Config{})
		ctx, cancel := context.WithCancel(t.Context())
		tokens, taken := make(chan struct{}), 0
		done := make(chan error, 1)
		go func() {
			done <- r.Watch(ctx, func(batch []graph.Event) error { taken += len(batch); <-tokens; return nil })
		}()
		synctest.Wait()
		before, first := inner.reported, taken
		if before > 2000 {
			t.Errorf("the inner watch reported %d events to a sink that took none", before)
		}
		for range 10 {
			tokens <- struct{}{}
		}
		synctest.Wait()
		if more := taken - first; more < 10 || inner.reported != before+more {
			t.Errorf("%d events more for %d that were taken", inner.reported-before, more)
		}
		cancel()
		close(tokens)
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
}

// endless is a store whose watch always has more events.
type endless struct {
	plain
	reported int
}

func (f *endless) Watch(_ context.Context, sink func([]graph.Event) error) error {
	for {
		if err := sink([]graph.Event{{Type: graph.Progress, Kind: "x"}}); err != nil {
			return err
		}
		f.reported++
	}
}
