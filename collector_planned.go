package ownergraph

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/run"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// allowTargets returns the reason for which the deletions of a plan may not begin, though the plan
// still holds: a guard does not hold a target yet, or the request refuses protected objects.
func (c *Collector) allowTargets(p *plan.Plan, targets []Object) (err error) {
	c.locked(func(e *Engine, _ time.Time) {
		for i := range targets {
			if err = unguarded(e, &targets[i]); err != nil {
				return
			}
		}
		if p.Request.RefuseProtected {
			err = refuseProtected(e, p, targets)
		}
	})
	return err
}

// unguarded returns an error for an unmarked target that a guard selects, and that lacks a
// finalizer of guards. Its deletion mark would pass by the guard. An engine that writes nothing
// guards no root.
func unguarded(e *Engine, o *Object) error {
	g, name := e.guards.Of(o)
	if g == nil || o.Deleting || e.cfg.ObserveOnly || e.level == Level0 {
		return nil
	}
	if k, known := e.graph.Kind(o.Kind); known && k.NoOwner { // policy.GuardUnfit
		return nil
	}
	for _, f := range []string{graph.FinalizerHold, graph.FinalizerNew} {
		if !o.HasFinalizer(f) {
			return fmt.Errorf("%s: finalizers: guard %s selects it, and %s is not on yet: %w", o.Key, name, f, plan.ErrChanged)
		}
	}
	return nil
}

// refuseProtected returns an error that names the targets that are protected, or may be, and the
// objects that a plan keeps for this reason.
func refuseProtected(e *Engine, p *plan.Plan, targets []Object) error {
	var names []string
	for i := range targets {
		if protected, unknown := protection(e, &targets[i]); protected || unknown {
			names = append(names, targets[i].Key.String())
		}
	}
	for _, o := range p.Objects {
		if o.Container != (Key{}) && isProtected(e, o.Key) && !slices.Contains(names, o.Key.String()) {
			names = append(names, o.Key.String())
		}
		if o.Outcome == plan.Held && (o.Reason == policy.Protected || o.Reason == policy.ProtectionUnknown) && !slices.Contains(names, o.Key.String()) {
			names = append(names, o.Key.String())
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", plan.ErrProtected, run.FirstNames(names, len(names)))
}

// isProtected reports whether the observed object with the key is protected, or may be.
func isProtected(e *Engine, k Key) bool {
	n, ok := e.graph.Lookup(k)
	if !ok || n.State() != graph.Observed {
		return false
	}
	o := n.Object()
	protected, unknown := protection(e, &o)
	return protected || unknown
}

// protection reports whether an object is protected, or whether a selection has to tell.
func protection(e *Engine, o *Object) (protected, unknown bool) {
	rule := e.protect.Protects(o)
	if rule != "" || !e.labels.Any() {
		return rule != "", false
	}
	n, ok := e.graph.Lookup(o.Key)
	if !ok {
		return false, true
	}
	rule, unknown = e.labelState(n.ID(), o)
	return rule != "", unknown
}

// knowTargets waits until the store has told whether labels protect the targets of a request.
func (c *Collector) knowTargets(ctx context.Context, req *plan.Request) error {
	wait := false
	c.locked(func(e *Engine, _ time.Time) {
		for _, t := range req.Delete {
			if n, ok := e.graph.Lookup(t.Key); ok && e.isObserved(t.Key) {
				o := n.Object()
				_, unknown := protection(e, &o)
				wait = wait || unknown
			}
		}
	})
	if !wait {
		return nil
	}
	_, err := c.waitSelected(ctx)
	return err
}
