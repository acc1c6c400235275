package ownergraph

import (
	"context"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/draft"
	"github.com/ownergraph/ownergraph/internal/run"
)

// Retired is the result of Retire. It is a value.
type Retired struct {
	// Objects counts the objects from which a finalizer was taken.
	Objects int
	// Left has marked roots that a guard holds, by key. Each of them needs an Approve.
	Left []Key
}

// Retire takes a finalizer off all observed objects, after its guard or sweep was taken out of
// the settings. Without that the finalizer would block the objects for ever. The name
// graph.FinalizerHold stands for both finalizers of guards. Retire leaves an object that a guard
// of the settings selects. It also leaves a marked root, because that would approve its cascade.
//
// It is a write of the caller, as Approve is.
//
// Retire carries the UID and the version of each object, and tries again after a conflict. The
// error wraps ErrInvalid for a finalizer that the settings use, or that is a propagation's. After
// an error the result counts the objects so far, and Retire may be called again.
//
//test:by TestRetire TestRetireErrors
func (c *Collector) Retire(ctx context.Context, finalizer string) (out Retired, err error) {
	if ctx == nil {
		return out, draft.ErrNoContext
	}
	if cause := c.engine.WhyUsed(finalizer); cause != "" {
		return out, fmt.Errorf("retire %q: %s: %w", finalizer, cause, ErrInvalid)
	}
	r, names := run.Retiring{Patch: c.patchOnce, Read: c.readOnce, Tries: maxPlanTries}, []string{finalizer}
	if finalizer == graph.FinalizerHold { // new goes first: hold alone keeps a root that is marked in between
		names = []string{graph.FinalizerNew, graph.FinalizerHold}
	}
	for from, done := graph.NodeID(1), false; !done; {
		var found []Object
		c.locked(func(e engine.Driver, _ time.Time) { found, from, done = e.Carriers(names, from) })
		for _, o := range found {
			retired, err := r.Retire(ctx, o, names)
			switch {
			case err != nil:
				return out, fmt.Errorf("retire %q: %w", finalizer, err)
			case retired:
				out.Objects++
			default:
				out.Left = append(out.Left, o.Key)
			}
		}
	}
	return out, nil
}
