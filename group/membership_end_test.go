package group_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
	"github.com/ownergraph/ownergraph/share"
)

// TestRunLeaves: at the end of its context, Run gives the share up, then ends the lease, and
// returns nil. It does not wait for a coordinator that hangs.
func TestRunLeaves(t *testing.T) {
	for _, c := range []struct {
		renew, leave func(context.Context) error
		leaves       int
		reason       string
	}{
		{nil, nil, 1, "the lease is ended"},
		{nil, failing, 1, "the lease ends by itself"},
		{nil, hanging, 1, "the lease ends by itself"},
		{hanging, nil, 1, "a renewal is under way, which may begin a lease"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, newStore(t), &leases{renew: c.renew}, group.Config{Name: "a"}).start()
			<-time.After(renewal / 2)
			writes := share.All()
			r.co.hold(c.renew, func(ctx context.Context) error {
				writes = r.writes()
				if ctx.Err() != nil {
					t.Errorf("%s: the context of the Leave has ended before it", c.reason)
				}
				if c.leave != nil {
					return c.leave(ctx)
				}
				return nil
			})
			if err := r.stop(); err != nil {
				t.Errorf("%s: %v", c.reason, err)
			}
			if writes != share.None() || r.co.count("leave") != c.leaves {
				t.Errorf("%s: %v when it leaves, calls %q, want none and %d", c.reason, writes, r.co.calls, c.leaves)
			}
			r.expect(0, group.StateOut, share.None(), c.reason)
		})
	}
}

// TestCollectorEndsFirst: Run returns nil after the collector has ended, and ends the lease. A
// collector that has ended before has no lease.
func TestCollectorEndsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newStore(t), &leases{}, group.Config{Name: "a"})
		kill := runs(t, r.c.Run)
		synctest.Wait()
		ended := make(chan error, 1)
		go func() { ended <- r.Run(t.Context()) }()
		r.expect(0, group.StateMember, share.All(), "both run")
		if err := kill(); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Errorf("the collector has ended: %v", err)
		}
		r.expect(0, group.StateOut, share.None(), "the collector has ended")
		if n := r.co.count("leave"); n != 1 {
			t.Errorf("calls %q, want a leave", r.co.calls)
		}
		if _, err := group.New(r.c, r.co, group.Config{}); !errors.Is(err, ownergraph.ErrClosed) {
			t.Errorf("New after the end of the collector: %v, want ErrClosed", err)
		}
	})
}

// TestBrokenCollector: Run returns nil after the engine has broken, too. The collector's own Run has
// the error.
func TestBrokenCollector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		breaks := ownergraph.Config{OnDecision: func(ownergraph.DecisionEvent) { panic("boom") }}
		r := newRigOf(t, newStore(t), &leases{}, group.Config{Name: "a"}, breaks)
		member := make(chan error, 1)
		go func() { member <- r.Run(t.Context()) }()
		if err := r.c.Run(t.Context()); !errors.Is(err, ownergraph.ErrBroken) {
			t.Errorf("the collector: %v, want ErrBroken", err)
		}
		if err := <-member; err != nil {
			t.Errorf("the membership: %v", err)
		}
	})
}

// TestRunsOnce: Run runs once, and needs a context.
func TestRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newStore(t), &leases{}, group.Config{Name: "a"})
		var none context.Context
		if err := r.Run(none); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("without a context: %v, want ErrInvalid", err)
		}
		r.start().expect(0, group.StateMember, share.All(), "both run")
		if err := r.Run(t.Context()); !errors.Is(err, ownergraph.ErrRunning) {
			t.Errorf("beside a Run: %v, want ErrRunning", err)
		}
		if err := r.stop(); err != nil {
			t.Fatal(err)
		}
		if err := r.Run(t.Context()); !errors.Is(err, ownergraph.ErrClosed) {
			t.Errorf("after its Run: %v, want ErrClosed", err)
		}
	})
}

// TestStuckCoordinator: a coordinator that ignores its contexts costs the share at the end of the
// lease. Run leaves its call behind, and says so.
func TestStuckCoordinator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newStore(t), &leases{}, group.Config{Name: "a"}).start()
		r.expect(0, group.StateMember, share.All(), "the coordinator works")
		release := make(chan struct{})
		r.co.hold(func(context.Context) error { <-release; return nil }, nil)
		r.expect(lease, group.StateLost, share.None(), "the lease has ended")
		if want := "the lease has ended, and its renewal has no answer"; r.Status().Reason != want {
			t.Errorf("reason %q, want %q", r.Status().Reason, want)
		}
		if n := r.co.count("renew"); n != 2 {
			t.Errorf("%d renewals, want no further one beside the one that hangs", n)
		}
		if err := r.stop(); !errors.Is(err, ownergraph.ErrStuck) {
			t.Errorf("Run: %v, want ErrStuck", err)
		}
		close(release)
	})
}

// badError is an error whose text panics.
type badError struct{}

func (badError) Error() string { panic("no text") }

// TestCoordinatorPanics: a panic of the coordinator is an error of the call, and so is a call that
// ends its goroutine.
func TestCoordinatorPanics(t *testing.T) {
	for _, c := range []struct {
		call   func(context.Context) error
		want   string
		reason string
	}{
		{func(context.Context) error { panic("boom") }, "panic: boom", "the call panics"},
		{func(context.Context) error { return badError{} }, "panic: no text", "the error panics"},
		{func(context.Context) error { runtime.Goexit(); return nil }, "the call has ended its goroutine", "the call does not return"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, newStore(t), &leases{renew: c.call, leave: c.call}, group.Config{Name: "a"}).start()
			r.expect(time.Minute, group.StateJoining, share.None(), c.reason)
			if s := r.Status(); s.Reason != c.want {
				t.Errorf("%s: %v, want %s", c.reason, s, c.want)
			}
			r.co.hold(nil, c.call)
			r.expect(renewal, group.StateMember, share.All(), c.reason+" no longer")
			if err := r.stop(); err != nil {
				t.Errorf("%s: %v", c.reason, err)
			}
		})
	}
}
