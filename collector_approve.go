package ownergraph

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seed"
	"github.com/ownergraph/ownergraph/internal/draft"
	"github.com/ownergraph/ownergraph/internal/forecast"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// Approval says which cascade a user approves. Exactly one of its fields is set. It is a value.
type Approval struct {
	// Fingerprint is that of a plan of the root's deletion, made after the deletion mark. It
	// approves exactly the objects of that plan, as they were.
	Fingerprint string
	// AtMost is a bound: the deletion may end this number of objects beside the root.
	AtMost *int
}

// Approve lets the cascade of a guarded root begin, whose deletion was refused or is not judged
// yet (RULES, G4). It waits for a fence that begins after the call. If labels protect objects or
// make them members of sweeps, it waits for selections that begin after the call, too. It plans
// the deletion, and compares the plan with the approval. Then it takes graph.FinalizerHold off
// under the root's UID and version. The collector's Run does the rest of the cascade, so Approve does
// not wait for it. It also does so for a root that guards no longer select. Like DeletePlanned it
// is a write of the caller: neither Config.ObserveOnly nor a pause keeps it.
//
// A root whose guard has phases gets a foreground mark first. On a store with fences the deletion is
// then planned and compared again.
//
// If the plan differs from the approval, or lacks labels, the hold stays, and the error wraps
// plan.ErrChanged. So it does if another writer repeats the deletion in another way than in the
// foreground, after that mark. It wraps ErrNotFound for a root that the collector does not observe, and
// ErrInvalid for a root without a mark or without the hold, for a key without a UID, and for a
// wrong approval. It wraps plan.ErrBound as that of Plan does.
//
//test:by TestApprove TestApproveErrors TestApproveErrorTexts TestApproveUnknown
//test:by TestApproveUnknownLabels TestApproveRepeated
func (c *Collector) Approve(ctx context.Context, root Key, a Approval) error {
	switch {
	case ctx == nil:
		return draft.ErrNoContext
	case root.UID == "":
		return fmt.Errorf("approve %s: UID: empty: %w", seed.PlaceText(root), ErrInvalid)
	case (a.Fingerprint == "") == (a.AtMost == nil):
		return fmt.Errorf("approve %s: Approval: want Fingerprint or AtMost: %w", root, ErrInvalid)
	case a.AtMost != nil && *a.AtMost < 0:
		return fmt.Errorf("approve %s: AtMost: %d is negative: %w", root, *a.AtMost, ErrInvalid)
	case a.AtMost == nil && !forecast.IsFingerprint(a.Fingerprint):
		return fmt.Errorf("approve %s: Fingerprint: want 64 hexadecimal digits: %w", root, ErrInvalid)
	}
	repeated := false
	for try := 0; ; try++ {
		again, err := c.approveOnce(ctx, root, a, &repeated)
		if err == nil || !again || try == maxPlanTries {
			return err
		}
	}
}

// approveOnce plans, compares and writes once. Again says that the root has changed meanwhile, or
// that its deletion was repeated in the foreground: repeated is then true, and the repeated
// deletion needs a plan of its own.
func (c *Collector) approveOnce(ctx context.Context, root Key, a Approval, repeated *bool) (again bool, err error) {
	bad := func(err error) (bool, error) {
		return errors.Is(err, ErrConflict), fmt.Errorf("approve %s: %w", root, err)
	}
	o, err := c.planApproval(ctx, root, a, *repeated)
	if err != nil {
		return bad(err)
	}
	var repeat policy.Decision
	repeats := false
	c.locked(func(e engine.Driver, _ time.Time) { repeat, repeats = e.Again(&o) })
	if repeats {
		if o, err = c.repeatForeground(ctx, o, repeat.GraceSeconds); err != nil {
			return bad(err)
		}
		if c.cfg.Level >= Level2 { // without fences a plan may not know the mark yet
			*repeated = true
			return bad(fmt.Errorf("its deletion was repeated in the foreground, and it keeps changing: %w", ErrConflict))
		}
	}
	c.locked(func(e engine.Driver, _ time.Time) { e.BeginApproval(root) })
	defer func() {
		c.locked(func(e engine.Driver, _ time.Time) { e.EndApproval(root, err == nil) })
	}()
	if err = c.patchOnce(ctx, o, Change{DropFinalizer: graph.FinalizerHold}); err != nil {
		return bad(err)
	}
	return false, nil
}

// planApproval plans the deletion of a root behind a fence, and compares the plan with an approval.
// It returns the root as the plan has it. Repeated says that the approval has repeated the deletion
// in the foreground, and the plan has to show that.
func (c *Collector) planApproval(ctx context.Context, root Key, a Approval, repeated bool) (o Object, err error) {
	if err := c.passFence(ctx); err != nil {
		return o, err
	}
	if err := c.whyUnobserved(root); err != nil {
		return o, err
	}
	after, err := c.waitSelected(ctx)
	if err != nil {
		return o, err
	}
	copied, facts, err := c.copyFor(ctx, seed.New(plan.Request{Delete: []plan.Target{{Key: root}}}, after))
	if err != nil {
		return o, err
	}
	found, err := forecast.ForApproval(ctx, c.engine.Settings(), copied, facts, repeated, func(o *Object) error {
		if err := forecast.Approvable(o); err != nil || !repeated || o.Propagation() == graph.Foreground {
			return err
		}
		return errRepeated()
	})
	if err != nil {
		return found.Root, err
	}
	return found.Root, a.compare(&found)
}

// errRepeated is the error for a root whose deletion a user has repeated during its approval.
func errRepeated() error {
	return fmt.Errorf("propagation: its deletion was repeated in another way: %w", plan.ErrChanged)
}

// whyUnobserved returns an error for a root that the collector does not observe, or that has
// another UID by now.
func (c *Collector) whyUnobserved(k Key) (err error) {
	c.locked(func(e engine.Driver, _ time.Time) {
		if !e.IsObserved(k) {
			err = fmt.Errorf("UID: no such object is observed: %w%s", ErrNotFound, e.WhyUnobserved(k.Kind))
		}
	})
	return err
}

// compare returns an error that wraps plan.ErrChanged if the approval does not cover the plan. No
// approval covers a plan without all labels. A fingerprint is from before the deletion was repeated.
//
//test:by TestApproveUnknown TestApproveRepeated
func (a Approval) compare(found *forecast.Approval) error {
	switch now, ends := found.Fingerprint, found.Ends; {
	case found.Unselected:
		return fmt.Errorf("the members by labels are not all known: %w", plan.ErrChanged)
	case found.Unlabelled:
		return fmt.Errorf("the protection by labels is not known of every object: %w", plan.ErrChanged)
	case found.Torn:
		return fmt.Errorf("the objects changed while the plan was made: %w", plan.ErrChanged)
	case a.AtMost != nil && ends > *a.AtMost:
		return fmt.Errorf("AtMost: %s would end, and the bound is %d: %w", spell.Counted(ends, "object", "objects"), *a.AtMost, plan.ErrChanged)
	case a.Fingerprint != "" && a.Fingerprint != now:
		return fmt.Errorf("%s: %.12s is of another plan, or out of date; now it is %.12s: %w", "Fingerprint", a.Fingerprint, now, plan.ErrChanged)
	}
	return nil
}

// repeatForeground repeats the deletion of a root in the foreground, with its shorter grace period. It
// returns the root as the store has it then. A later deletion in another way is an error.
func (c *Collector) repeatForeground(ctx context.Context, o Object, grace *int64) (Object, error) {
	if err := c.deleteTarget(ctx, o, DeleteOptions{Propagation: graph.Foreground, GraceSeconds: grace}); err != nil {
		return o, err
	}
	now, err := c.readOnce(ctx, o.Key)
	switch {
	case err != nil:
		return o, err
	case now.UID != o.UID:
		return o, fmt.Errorf("another object has its place: %w", ErrNotFound)
	case now.Deleting && now.Propagation() != graph.Foreground:
		return o, errRepeated()
	}
	return now, forecast.Approvable(&now)
}

func (c *Collector) patchOnce(ctx context.Context, o Object, change Change) error {
	ctx, end := context.WithTimeout(ctx, c.cfg.CallTimeout)
	defer end()
	return c.store.Patch(ctx, o.Key, Precondition{UID: o.UID, Version: o.Version}, change)
}

func (c *Collector) readOnce(ctx context.Context, k Key) (Object, error) {
	ctx, end := context.WithTimeout(ctx, c.cfg.CallTimeout)
	defer end()
	return c.store.Get(ctx, k)
}
