package envtestgc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/policy"
)

const (
	mostHeld  = 1000
	mostLines = 20 // of what is held, in an error's text

	mostReported = 200 // lines of what was done, in a failed test's log

	lookAgain = 50 * time.Millisecond // at what is held: no request is made
)

// WaitIdle returns when the cascade is over: everything that was committed before
// the call is judged, nothing is left to do, and no object waits to be deleted
// for somebody else's sake. So it waits for the finalizers that the operator
// under test handles. It does not wait for what nobody will end here: finalizers
// of Config.Unhandled, grace periods, Namespaces, and objects that are kept
// because their owner references are bad. Held shows them. Give the context a
// deadline.
//
// It waits for the whole server. A test that runs beside others (t.Parallel) waits for
// its own namespace: see WaitIdleIn.
//
// Errors: a *HeldError when ctx ends before, which says what was held, by whom
// and why; ErrClosed after Stop. Held by TestWaitIdle, TestWaitIdleWaitsForOperator,
// TestWaitIdleNamesHolder, TestWaitIdleGrace and TestWaitIdleUnhandled.
func (c *Collector) WaitIdle(ctx context.Context) error {
	return c.wait(ctx, c.engine.WaitIdle, c.Held)
}

// WaitIdleIn is WaitIdle for the objects of one namespace. What other tests do in
// other namespaces is not waited for, so that tests which have a namespace each may
// run in parallel. Work on objects without a namespace is waited for, as they may own
// objects in it; what is held of them is not. A HeldError names the objects of the
// namespace alone.
//
// Errors: those of WaitIdle. Held by TestWaitIdleIn, TestWaitIdleInNamesHolder and
// TestParallel.
func (c *Collector) WaitIdleIn(ctx context.Context, namespace string) error {
	idle := func(ctx context.Context) ([]ownergraph.Held, error) { return c.engine.WaitIdleIn(ctx, namespace) }
	return c.wait(ctx, idle, func() []ownergraph.Held { return c.engine.HeldIn(namespace, mostHeld) })
}

// wait waits until idle returns and nothing is awaited of what is held.
func (c *Collector) wait(ctx context.Context, idle func(context.Context) ([]ownergraph.Held, error), now func() []ownergraph.Held) error {
	for {
		held, err := idle(ctx)
		switch {
		case err != nil:
			return c.unfinished(err, now)
		case !slices.ContainsFunc(held, c.awaited):
			return nil
		}
		for slices.ContainsFunc(now(), c.awaited) {
			select {
			case <-ctx.Done():
				return c.unfinished(context.Cause(ctx), now)
			case <-c.ended:
				return c.unfinished(ownergraph.ErrClosed, now)
			case <-time.After(lookAgain):
			}
		}
	}
}

// awaited reports whether time, or the operator under test, can be expected to
// end it. Grace periods are ended by a kubelet, and Namespaces by a controller:
// neither runs here.
func (c *Collector) awaited(h ownergraph.Held) bool {
	switch h.Reason {
	case policy.OnlySelf, policy.OwnedInRing, policy.OwnerUnknown, policy.ObjectFlawed, policy.ObserveOnly,
		policy.LevelTooLow, policy.UIDShared, policy.NeedGrace:
		return false
	case policy.NeedFinalizers:
		return slices.ContainsFunc(h.Detail, func(f string) bool {
			return f != clientgo.NamespaceFinalizer && !slices.Contains(c.config.Unhandled, f)
		})
	}
	return true
}

// HeldError says why a cascade is not over. It is immutable, and wraps why the
// wait ended.
type HeldError struct {
	// Held is all that is held, by key, with the reason and with whom it waits
	// for. It is empty while there is only work under way.
	Held []ownergraph.Held
	// Sick names the kinds that cannot be watched, with the reason.
	Sick []ownergraph.KindStatus
	err  error
}

// Error names what is held, a line for each, at most 20.
func (e *HeldError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the cascade is not over: %v", e.err)
	if lines := texts(e.Held); len(lines) > 0 {
		fmt.Fprintf(&b, "\nheld:\n%s", listed(lines))
	}
	if len(e.Sick) > 0 {
		var lines []string
		for _, k := range e.Sick {
			lines = append(lines, fmt.Sprintf("%s: %s", k.Kind, k.Sick))
		}
		fmt.Fprintf(&b, "\ncannot be watched:\n%s", listed(lines))
	}
	return b.String()
}

// Unwrap returns why the wait ended: the context's error, or ErrClosed.
func (e *HeldError) Unwrap() error { return e.err }

// unfinished says why a wait has ended, and what was held then.
func (c *Collector) unfinished(err error, held func() []ownergraph.Held) error {
	select {
	case <-c.ended:
		return errors.Join(ownergraph.ErrClosed, c.err)
	default:
	}
	sick := slices.DeleteFunc(c.engine.Kinds(), func(k ownergraph.KindStatus) bool { return k.Sick == "" })
	return &HeldError{held(), sick, err}
}

func texts(held []ownergraph.Held) []string {
	out := make([]string, 0, len(held))
	for _, h := range held {
		out = append(out, h.String())
	}
	return out
}

// listed returns the first lines, not more than a reader looks at.
func listed(lines []string) string {
	if len(lines) <= mostLines {
		return indented(lines)
	}
	return fmt.Sprintf("%s\n  and %d more", indented(lines[:mostLines]), len(lines)-mostLines)
}

func indented(lines []string) string {
	if len(lines) == 0 {
		return "  nothing"
	}
	return "  " + strings.Join(lines, "\n  ")
}
