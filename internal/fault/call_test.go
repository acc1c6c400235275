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

// call makes a call of the verb on an object.
func (r *rig) call(verb, name string) error {
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Hour)
	defer cancel()
	switch verb {
	case "get":
		_, err := r.Get(ctx, key(name))
		return err
	case "patch":
		return r.Patch(ctx, key(name), graph.Precondition{}, graph.Change{AddFinalizer: "f"})
	case "delete":
		return r.Delete(ctx, key(name), graph.DeleteOptions{})
	case "list":
		return r.List(ctx, key(name).Kind)
	}
	token, err := r.Fence(ctx)
	r.token = token
	return err
}

// TestCallFaults checks the result of a call for each fault, and the time of the
// call: at once, later, or never.
func TestCallFaults(t *testing.T) {
	for _, c := range []struct {
		f      fault.Fault
		want   error
		now    bool
		later  bool
		reason string
	}{
		{fault.Conflict, graph.ErrConflict, false, false, "nothing was changed"},
		{fault.Refuse, graph.ErrRefused, false, false, "the store will not do it"},
		{fault.Transient, fault.ErrBusy, false, false, "nothing was done"},
		{fault.LostReply, fault.ErrNoAnswer, true, true, "the store did it, and the caller has no answer"},
		{fault.LostCall, fault.ErrNoAnswer, false, false, "the store did not do it, and the caller has no answer"},
		{fault.Late, fault.ErrNoAnswer, false, true, "done after the caller has given up"},
		{fault.Hang, context.DeadlineExceeded, false, false, "it hangs until the context ends it"},
	} {
		t.Run(c.f.String(), func(t *testing.T) {
			in(t, func(t *testing.T) {
				r := onto(t, c.f.String()+"@1", "x/x1; x/x2", fault.Config{Lag: 2 * time.Hour})
				if err := r.call("delete", "x1"); !errors.Is(err, c.want) {
					t.Errorf("%v, want %v: %s", err, c.want, c.reason)
				}
				if done := !r.has("x1"); done != c.now {
					t.Errorf("done at once: %t, want %t: %s", done, c.now, c.reason)
				}
				if err := r.call("delete", "x2"); err != nil {
					t.Errorf("the second call: %v", err)
				}
				<-time.After(3 * time.Hour)
				synctest.Wait()
				if done := !r.has("x1"); done != c.later {
					t.Errorf("done in the end: %t, want %t: %s", done, c.later, c.reason)
				}
				r.fired(c.f, 1)
			})
		})
	}
}

// TestLateAfterCalls checks that a late write comes after some calls.
func TestLateAfterCalls(t *testing.T) {
	in(t, func(t *testing.T) {
		r := onto(t, "late@1", "x/x1", fault.Config{Lag: time.Hour})
		_ = r.call("delete", "x1")
		for range 3 {
			if err := r.call("get", "x1"); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.call("get", "x1"); !errors.Is(err, graph.ErrNotFound) {
			t.Errorf("the fourth call later: %v, want the write to be made", err)
		}
	})
}

// TestTransientSaysWhen checks that one error in two has a time to try again.
func TestTransientSaysWhen(t *testing.T) {
	in(t, func(t *testing.T) {
		r := onto(t, "transient/1", "x/x1", fault.Config{Lag: time.Minute})
		reported := 0
		for range 4 {
			err := r.call("get", "x1")
			var after interface{ RetryAfter() time.Duration }
			if errors.As(err, &after) && after.RetryAfter() == time.Minute {
				reported++
			}
		}
		if reported != 2 {
			t.Errorf("%d of 4 errors say when to come back, want 2", reported)
		}
	})
}

// TestStaleAndAbsent checks the reads that break the contract.
func TestStaleAndAbsent(t *testing.T) {
	in(t, func(t *testing.T) {
		r := onto(t, "stale@2x2 absent@4x2", "x/x1", fault.Config{})
		before, err := r.Get(t.Context(), key("x1"))
		if err != nil {
			t.Fatal(err)
		}
		r.touch("x1")
		if o, err := r.Get(t.Context(), key("x1")); err != nil || !o.Equal(before) {
			t.Errorf("a stale read answers %v, %v, want %v", o, err, before)
		}
		r.touch("x1")
		r.remove("x1")
		if o, err := r.Get(t.Context(), key("x1")); err != nil || !o.Equal(before) {
			t.Errorf("a stale read of a removed object answers %v, %v, want %v", o, err, before)
		}
		r.fired(fault.Stale, 2)
		r.create("x2")
		if _, err := r.Get(t.Context(), key("x2")); !errors.Is(err, graph.ErrNotFound) {
			t.Errorf("a read of what lives: %v, want %v", err, graph.ErrNotFound)
		}
		r.fired(fault.Absent, 1)
		if _, err := r.Get(t.Context(), key("x1")); !errors.Is(err, graph.ErrNotFound) {
			t.Errorf("a read of a removed object: %v, want %v", err, graph.ErrNotFound)
		}
		r.fired(fault.Absent, 1)
	})
}

// TestHooks checks that a rewind, a jump and the three crashes happen at the call
// that the plan names. Without a hook they do not happen.
func TestHooks(t *testing.T) {
	for _, c := range []struct {
		f      fault.Fault
		now    bool
		later  bool
		fails  bool
		reason string
	}{
		{fault.Rewind, true, true, false, "before the call, which is then made"},
		{fault.Jump, true, true, false, "before the call, which is then made"},
		{fault.CrashBefore, false, false, true, "instead of the call"},
		{fault.CrashAmid, false, true, true, "the write is under way, and arrives"},
		{fault.CrashAfter, true, true, true, "the write is made, and the caller has no answer"},
	} {
		t.Run(c.f.String(), func(t *testing.T) {
			in(t, func(t *testing.T) {
				happened := 0
				hooks := fault.Config{
					Lag: time.Hour, Crash: func() { happened++ }, Jump: func() { happened++ },
					Rewind: func(context.Context) error { happened++; return nil },
				}
				r := onto(t, c.f.String()+"@2", "x/x1", hooks)
				if err := r.call("get", "x1"); err != nil || happened != 0 {
					t.Errorf("the first call: %v, and the hook was called %d times", err, happened)
				}
				if err := r.call("delete", "x1"); (err != nil) != c.fails || happened != 1 {
					t.Errorf("the second call: %v, and the hook was called %d times: %s", err, happened, c.reason)
				}
				if done := !r.has("x1"); done != c.now {
					t.Errorf("done at once: %t, want %t: %s", done, c.now, c.reason)
				}
				r.Calm()
				if done := !r.has("x1"); done != c.later {
					t.Errorf("done in the end: %t, want %t: %s", done, c.later, c.reason)
				}
				r.fired(c.f, 1)
				r = onto(t, c.f.String()+"/1", "x/x1", fault.Config{})
				if err := r.call("delete", "x1"); err != nil {
					t.Errorf("without a hook: %v", err)
				}
				r.fired(c.f, 0)
			})
		})
	}
}

// TestCrashOfWatch crashes a watch before it begins, amid its first listing, and
// after the listing.
func TestCrashOfWatch(t *testing.T) {
	for _, c := range []struct {
		f            fault.Fault
		seen, reason string
	}{
		{fault.CrashBefore, "", "before anything is reported"},
		{fault.CrashAmid, "kinds:x,y x( +x1", "amid a listing"},
		{fault.CrashAfter, "kinds:x,y x( +x1 +x2 )x", "behind a listing"},
	} {
		t.Run(c.f.String(), func(t *testing.T) {
			in(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				r := onto(t, c.f.String()+"@1", "x/x1; x/x2", fault.Config{Crash: cancel})
				tp := &tape{}
				if err := r.Watch(ctx, oneByOne(tp.take)); err == nil {
					t.Error("no error")
				}
				tp.want(t, c.reason, c.seen)
				r.fired(c.f, 1)
			})
		})
	}
}

// TestCalm checks that Calm ends all faults, for good.
func TestCalm(t *testing.T) {
	in(t, func(t *testing.T) {
		r := onto(t, "hang@1 late@2 sick@4 delay/1", "x/x1; x/x2; y/y1", fault.Config{Lag: 24 * time.Hour})
		hung := make(chan error, 1)
		go func() { hung <- r.call("get", "x1") }()
		synctest.Wait()
		_ = r.call("delete", "y2") // the first occasion of late
		_ = r.call("delete", "x1")
		_ = r.call("get", "y1")
		tp := r.watch()
		r.Calm()
		if err := <-hung; !errors.Is(err, fault.ErrNoAnswer) {
			t.Errorf("the call that hung: %v", err)
		}
		if r.has("x1") {
			t.Error("the late write has not been made")
		}
		if err := r.call("get", "y1"); err != nil {
			t.Errorf("of the kind that was sick: %v", err)
		}
		r.create("x3")
		if got := tp.quiet(); len(got) == 0 || got[len(got)-3:] != "+x3" {
			t.Errorf("the watch reported %q, want +x3 at the end and at once", got)
		}
		for range 100 {
			if err := r.call("patch", "x2"); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestKeepsGrace: faults change no declaration of the store below.
func TestKeepsGrace(t *testing.T) {
	in(t, func(t *testing.T) {
		r := onto(t, "none", "", fault.Config{})
		for _, c := range []struct {
			inner  ownergraph.Store
			want   bool
			reason string
		}{
			{r.memory, true, "the memory store keeps periods"},
			{r.Store, true, "so do two layers of faults"},
			{plain{r.memory}, false, "a store that is no Gracer keeps none"},
			{graceless{r.memory}, false, "the store declares that it keeps none"},
		} {
			if got := over(t, c.inner, r.memory, fault.Config{}).KeepsGrace(); got != c.want {
				t.Errorf("KeepsGrace over %T: %t, want %t: %s", c.inner, got, c.want, c.reason)
			}
		}
	})
}

// graceless is a memory store that declares that it keeps no grace periods.
type graceless struct{ *memory.Store }

func (graceless) KeepsGrace() bool { return false }

// TestPowers checks that the store has the optional powers of the inner store, and
// no others.
func TestPowers(t *testing.T) {
	in(t, func(t *testing.T) {
		r := onto(t, "none", "", fault.Config{})
		if got := ownergraph.LevelOf(r.Store); got != ownergraph.Level2 {
			t.Errorf("level %s, want that of the inner store", got)
		}
		if _, ok := ownergraph.As[ownergraph.VersionComparer](r.Store); !ok {
			t.Error("the inner store's versions compare")
		}
		bare := over(t, plain{r.memory}, r.memory, fault.Config{})
		if got := ownergraph.LevelOf(bare.Store); got != ownergraph.Level1 {
			t.Errorf("level %s, want that of the inner store", got)
		}
		if _, err := bare.Fence(t.Context()); !errors.Is(err, graph.ErrRefused) {
			t.Errorf("a fence without an inner Fencer: %v", err)
		}
		tp := bare.watch()
		tp.want(t, "at first", begun)
		if err := bare.List(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		tp.want(t, "a listing without an inner Lister", begun)
	})
}
