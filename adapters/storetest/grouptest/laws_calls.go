package grouptest

import (
	"context"
	"errors"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
)

func lawsOfCalls() []law {
	return []law{
		{name: "call/arguments", run: (*trial).arguments, why: "a wrong setting looks like a group that works"},
		{name: "call/context", run: (*trial).endedContext, why: "a collector does not stop, or writes after its deadline"},
		{name: "call/outage", run: (*trial).outage, outage: true, why: "a member believes that it has a lease, or that it has left"},
	}
}

// arguments: a member or a time that no system can have is refused, and is no member.
func (t *trial) arguments() {
	a, b := t.two()
	for _, c := range []struct {
		m      group.Member
		lease  time.Duration
		reason string
	}{
		{group.Member{Instance: "i"}, long, "no name"},
		{group.Member{Name: "x"}, long, "no instance"},
		{member("x"), 0, "no lease"},
		{member("x"), -time.Second, "a negative lease"},
		{member("x"), group.MaxLease + 1, "a lease above the most"},
	} {
		if l, err := a.try(c.m, c.lease); !errors.Is(err, graph.ErrInvalid) || l.members != nil {
			t.breach("Renew with %s: %v, error %v, want ErrInvalid", c.reason, l.members, err)
		}
	}
	y := member("y")
	t.shows(b.renew(y, long), y)
}

// endedContext: a call whose context has ended returns, and its error wraps that of the context.
func (t *trial) endedContext() {
	a, _ := t.two()
	x := member("x")
	a.renew(x, long)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	late, stop := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer stop()
	for _, ctx := range []context.Context{canceled, late} {
		for name, call := range map[string]func() error{
			"Renew": func() error { _, err := a.Renew(ctx, x, long); return err },
			"Leave": func() error { return a.Leave(ctx, x) },
		} {
			if err := t.returns(name, call); !errors.Is(err, ctx.Err()) {
				t.breach("%s after the end of its context: %v, want %v", name, err, ctx.Err())
			}
		}
	}
	a.renew(x, long)
}

// returns calls a function, which returns within the patience.
func (t *trial) returns(name string, call func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- call() }()
	timer := time.NewTimer(t.patience)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		t.breach("%s does not return within %s", name, t.patience)
		return nil
	}
}

// outage: calls fail while the system is out of reach. Then all goes on.
func (t *trial) outage() {
	a, b := t.two()
	x, y := member("x"), member("y")
	a.renew(x, long)
	b.renew(y, long)
	end := t.system.Outage()
	for name, call := range map[string]func(context.Context) error{
		"Renew": func(ctx context.Context) error { _, err := a.Renew(ctx, x, long); return err },
		"Leave": func(ctx context.Context) error { return b.Leave(ctx, y) },
	} {
		err := t.returns(name, func() error {
			ctx, cancel := context.WithTimeout(t.Context(), t.lease/2)
			defer cancel()
			return call(ctx)
		})
		if err == nil || errors.Is(err, group.ErrTaken) || errors.Is(err, graph.ErrInvalid) || errors.Is(err, graph.ErrRefused) {
			t.breach("%s in an outage: %v, want an error without a meaning", name, err)
		}
	}
	end()
	t.poll("x renews after the outage", 0, func() bool { _, err := a.try(x, long); return err == nil })
	t.poll("y leaves after the outage", 0, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), t.patience)
		defer cancel()
		return b.Leave(ctx, y) == nil
	})
	t.shows(a.renew(x, long), x)
}
