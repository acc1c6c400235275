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
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/policy"
)

const (
	maxHeld  = 1000
	maxLines = 20 // held objects in an error's text

	maxReported = 200 // lines of the journal in a failed test's log

	rereadHeld = 50 * time.Millisecond // between two reads of the held objects, which send no request
)

// WaitIdle returns when the cascade has ended. Then the engine has decided about every
// earlier change and has no work left. No object waits for another client, except in
// the cases below. So WaitIdle waits for the finalizers that the operator under test
// handles. Give the context a deadline.
//
// WaitIdle does not wait for objects that no client of this server will free:
//
//   - objects that only finalizers of Config.Unhandled hold.
//   - grace periods.
//   - Namespaces.
//   - objects with bad owner references.
//
// Held returns them.
//
// WaitIdle waits for the whole server. A parallel test (t.Parallel) waits for its own
// namespace, with WaitIdleIn.
//
// Errors: a *HeldError if ctx ends first, which names the held objects with their
// reasons. ErrClosed after Stop.
//
//test:by TestWaitIdle TestWaitIdleWaitsForOperator TestWaitIdleNamesCause TestWaitIdleGrace
//test:by TestWaitIdleUnhandled
func (c *Collector) WaitIdle(ctx context.Context) error {
	return c.wait(ctx, c.engine.WaitIdle, c.Held)
}

// WaitIdleIn is WaitIdle for the objects of one namespace. It ignores work in other
// namespaces, so tests with a namespace each may run in parallel. It waits for work on
// objects without a namespace, because they may own objects in the namespace. It does
// not wait for such an object that is held. A HeldError names only objects of the
// namespace.
//
// Errors: those of WaitIdle.
//
//test:by TestWaitIdleIn TestWaitIdleInNamesCause TestParallel
func (c *Collector) WaitIdleIn(ctx context.Context, namespace string) error {
	idle := func(ctx context.Context) ([]engine.Held, error) { return c.engine.WaitIdleIn(ctx, namespace) }
	return c.wait(ctx, idle, func() []engine.Held { return c.engine.HeldIn(namespace, maxHeld) })
}

// wait waits until the engine is idle and no held object is awaited.
func (c *Collector) wait(ctx context.Context, idle func(context.Context) ([]engine.Held, error), now func() []engine.Held) error {
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
			case <-time.After(rereadHeld):
			}
		}
	}
}

// awaited reports whether time or the operator under test can free the object. A
// kubelet ends grace periods, and a controller ends Namespaces. Neither runs here.
func (c *Collector) awaited(h engine.Held) bool {
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

// HeldError explains why a cascade has not ended. It is immutable, and wraps the reason
// of the wait's end.
type HeldError struct {
	// Held has all held objects by key, with reasons and waits. It is empty while there
	// is only work in flight.
	Held []engine.Held
	// Sick has the kinds that cannot be watched, with the reasons.
	Sick []engine.KindStatus
	err  error
}

// Error names the held objects, one in each line, and at most 20.
func (e *HeldError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the cascade has not ended: %v", e.err)
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

// Unwrap returns the reason of the wait's end: the context's error, or ErrClosed.
func (e *HeldError) Unwrap() error { return e.err }

// unfinished returns the error of a wait that has ended early.
func (c *Collector) unfinished(err error, held func() []engine.Held) error {
	select {
	case <-c.ended:
		return errors.Join(ownergraph.ErrClosed, c.err)
	default:
	}
	sick := slices.DeleteFunc(c.engine.Kinds(), func(k engine.KindStatus) bool { return k.Sick == "" })
	return &HeldError{held(), sick, err}
}

func texts(held []engine.Held) []string {
	out := make([]string, 0, len(held))
	for _, h := range held {
		out = append(out, h.String())
	}
	return out
}

// listed returns the first lines and the number of the others.
func listed(lines []string) string {
	if len(lines) <= maxLines {
		return indented(lines)
	}
	return fmt.Sprintf("%s\n  and %d more", indented(lines[:maxLines]), len(lines)-maxLines)
}

func indented(lines []string) string {
	if len(lines) == 0 {
		return "  nothing"
	}
	return "  " + strings.Join(lines, "\n  ")
}
