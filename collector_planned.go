package ownergraph

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/run"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// allowTargets returns the reason for which the deletions of a plan may not begin, though the plan
// is still valid: a guard does not hold a target yet, or the request refuses protected objects.
func (c *Collector) allowTargets(p *plan.Plan, targets []Object) (err error) {
	c.locked(func(e engine.Driver, _ time.Time) {
		for i := range targets {
			if err = e.Unguarded(&targets[i]); err != nil {
				return
			}
		}
		if p.Request.RefuseProtected {
			err = refuseProtected(e, p, targets)
		}
	})
	return err
}

// refuseProtected returns an error that names the targets that are protected, or may be, and the
// objects that a plan keeps for this reason.
func refuseProtected(e engine.Driver, p *plan.Plan, targets []Object) error {
	var names []string
	for i := range targets {
		if protected, unknown := e.Protection(&targets[i]); protected || unknown {
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
func isProtected(e engine.Driver, k Key) bool {
	n, ok := e.Node(k)
	if !ok || n.State() != graph.Observed {
		return false
	}
	o := n.Object()
	protected, unknown := e.Protection(&o)
	return protected || unknown
}

// knowTargets waits until the store has told whether labels protect the targets of a request.
func (c *Collector) knowTargets(ctx context.Context, req *plan.Request) error {
	wait := false
	c.locked(func(e engine.Driver, _ time.Time) {
		for _, t := range req.Delete {
			if n, ok := e.Node(t.Key); ok && e.IsObserved(t.Key) {
				o := n.Object()
				_, unknown := e.Protection(&o)
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
