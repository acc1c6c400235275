package forecast

import (
	"context"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seed"
	"github.com/ownergraph/ownergraph/internal/draft"
	"github.com/ownergraph/ownergraph/internal/run"
	"github.com/ownergraph/ownergraph/plan"
)

// Plan returns the plan of an ended copy, and the targets as they were, in their order. It needs no
// lock. The copy is used up.
func Plan(ctx context.Context, cfg engine.Config, c *seed.Copy, s seed.Seed) (_ plan.Plan, _ []graph.Object, err error) {
	defer run.CatchFunction(&err, "plan")
	f, err := begin(ctx, cfg, c, s, beside{})
	if err == nil {
		err = f.findVerdicts(ctx)
	}
	if err != nil {
		return plan.Plan{}, nil, err
	}
	return f.plan(), f.targets(), nil
}

// PlanAtOnce returns the plan of a request without steps. The constraints are those of the store.
func PlanAtOnce(ctx context.Context, e engine.Driver, now time.Time, req plan.Request, constraints []graph.Constraint) (plan.Plan, error) {
	c, s, err := copyAtOnce(e, now, req)
	if err != nil {
		return plan.Plan{}, err
	}
	s.Constraints = constraints
	p, _, err := Plan(ctx, e.Settings(), c, s)
	return p, err
}

// copyAtOnce copies the part that a request can affect.
func copyAtOnce(e engine.Driver, now time.Time, req plan.Request) (c *seed.Copy, s seed.Seed, err error) {
	defer run.CatchFunction(&err, "plan")
	v := e.Seed()
	c = seed.New(req, 0)
	c.Restart(v)
	defer c.Close(v)
	for done := false; !done; {
		if done, err = c.Step(v); err != nil {
			return nil, s, err
		}
	}
	return c, c.Seed(v, e.SeedRest(now)), nil
}

// begin returns the forecast of an ended copy, which has come to rest.
func begin(ctx context.Context, cfg engine.Config, c *seed.Copy, s seed.Seed, by beside) (f *forecast, err error) {
	defer run.CatchFunction(&err, "plan")
	s.Parts = c.TakeParts()
	f, err = newForecast(cfg, c.Request(), s, by)
	if err == nil {
		err = f.run(ctx)
	}
	return f, err
}

// targets returns the objects of the request as they were.
func (f *forecast) targets() (out []graph.Object) {
	for _, t := range f.req.Delete {
		i, _ := f.links.index.Of(t.Key) // newForecast has found it
		out = append(out, f.Parts[i].Object)
	}
	return out
}

// Approval has the facts with which a user's approval of a guarded root is compared. It is a value.
type Approval struct {
	// Root is the root as the plan has it, and Ends the number of objects that go with it.
	Root graph.Object
	Ends int
	// Fingerprint is that of the plan, or of the plan before the deletion was repeated in the
	// foreground. Torn says that the copy is of several instants.
	Fingerprint string
	Torn        bool
	// Unselected says that members by labels are missing, and Unlabelled that the protection of an
	// object is not known.
	Unselected, Unlabelled bool
}

// ForApproval plans the deletion of one root on an ended copy, for an approval of the root. Allows returns
// the reason for which nothing of the root can be approved. With repeated, the approval has repeated the
// deletion in the foreground.
func ForApproval(ctx context.Context, cfg engine.Config, c *seed.Copy, s seed.Seed, repeated bool, allows func(*graph.Object) error) (a Approval, err error) {
	defer run.CatchFunction(&err, "plan")
	f, err := begin(ctx, cfg, c, s, beside{approving: true})
	if err != nil {
		return a, err
	}
	a.Root = f.targets()[0]
	if err := allows(&a.Root); err != nil {
		return a, err
	}
	target, _ := f.links.index.Of(a.Root.Key)
	if err := f.findAnyway(ctx, target); err != nil {
		return a, err
	}
	f.addNested()
	a.Ends, a.Torn = f.ending(target, f.mayEnd()), f.Torn
	a.Unselected, a.Unlabelled = f.unselected(), f.unlabelled(target)
	if repeated {
		a.Fingerprint = f.fingerprintBefore()
	} else {
		a.Fingerprint = f.fingerprint()
	}
	return a, nil
}

func (f *forecast) fingerprint() string { return draft.Fingerprint(f.Parts, f.labelFacts) }

// fingerprintBefore returns the fingerprint of the parts as they were before the deletion of the
// target was repeated in the foreground.
func (f *forecast) fingerprintBefore() string {
	parts := slices.Clone(f.Parts)
	i, _ := f.links.index.Of(f.req.Delete[0].Key) // newForecast has found it
	o := parts[i].Object.Clone()
	o.Finalizers = slices.DeleteFunc(o.Finalizers, func(name string) bool { return name == graph.FinalizerForeground })
	parts[i].Object = o
	return draft.Fingerprint(parts, f.labelFacts)
}
