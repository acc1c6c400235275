package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/view"
)

// planFlags are the flags of a planned deletion.
type planFlags struct {
	propagation graph.Propagation
	removed     []string
	stay        []string
	limit       int
	columns     bool
	verbose     bool
}

// removedByKubernetes are the finalizers that a controller of Kubernetes itself takes off, once the object
// is no longer in use. The plan names each one that it assumes.
func removedByKubernetes() []string {
	return []string{
		"batch.kubernetes.io/job-tracking",
		"kubernetes.io/pv-protection",
		"kubernetes.io/pvc-protection",
		"kubernetes.io/vac-protection",
		"networking.k8s.io/service-cidr-finalizer",
		"resource.kubernetes.io/delete-protection",
	}
}

func (p *planFlags) add(cmd *cobra.Command) {
	cmd.Flags().Var((*live.PropagationFlag)(&p.propagation), "cascade", "how to delete: background, foreground (the object stays until the dependents that block it are gone) or orphan (default background, or as the deletion has begun)")
	_ = cmd.RegisterFlagCompletionFunc("cascade", cobra.FixedCompletions([]string{"background", "foreground", "orphan"}, cobra.ShellCompDirectiveNoFileComp))
}

func (p *planFlags) addForecast(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&p.removed, "removed", nil, "foreign finalizers whose controllers take them off in time; those of Kubernetes itself count, too")
	cmd.Flags().StringSliceVar(&p.stay, "stay", nil, "finalizers of Kubernetes itself that stay all the same")
	cmd.Flags().IntVar(&p.limit, "limit", 0, "most lines of the text, or most objects and steps of the JSON; 0 for the usual bounds of the text, and for all in JSON")
	cmd.Flags().BoolVarP(&p.verbose, "verbose", "v", false, "also print the steps, the waves, the cost, the counts by kind and the fingerprint")
}

// carried returns the finalizers of a list that an object has.
func carried(objects []graph.Object, list []string) []string {
	return slices.DeleteFunc(list, func(f string) bool {
		return !slices.ContainsFunc(objects, func(o graph.Object) bool { return o.HasFinalizer(f) })
	})
}

// checkStay refuses a finalizer of --stay that no object has, such as a misspelt one.
//
//test:by TestRemovedByKubernetes
func (p *planFlags) checkStay(objects []graph.Object) error {
	for _, f := range p.stay {
		if len(carried(objects, []string{f})) == 0 {
			return printing.UsageError(fmt.Sprintf("--stay %q: no object has this finalizer", f))
		}
	}
	return nil
}

// request returns the request for the deletion of the objects. Kubernetes takes some finalizers off by
// itself: those of byItself, unless the user says that they stay.
//
//test:by TestRemovedByKubernetes
func (p *planFlags) request(objects []graph.Object, byItself []string, limit int) plan.Request {
	req := plan.Request{Removed: slices.Clone(p.removed), Limit: limit}
	for _, f := range byItself {
		if !slices.Contains(p.stay, f) && !slices.Contains(p.removed, f) {
			req.Removed = append(req.Removed, f)
		}
	}
	for _, o := range objects {
		req.Delete = append(req.Delete, plan.Target{Key: o.Key, Propagation: p.of(o)})
	}
	return req
}

// of returns the propagation for an object. Without the flag, a deletion that has begun
// keeps its own.
//
//test:by TestDeletionKeepsItsPropagation
func (p *planFlags) of(o graph.Object) graph.Propagation {
	if p.propagation == graph.Unset && !o.Deleting {
		return graph.Background
	}
	return p.propagation
}

func (a *app) planCommand() *cobra.Command {
	var p planFlags
	cmd := &cobra.Command{
		Use:   "plan [OBJECT...] [--cascade background|foreground|orphan]",
		Short: "Forecast the deletion of objects",
		Long: `Forecast the deletion of objects, as "kubectl delete --cascade" begins it: the end of each object.
Without an object it forecasts the writes that are due in a dump or a store without a deletion.
It changes nothing. A namespace takes its content along. A picture has the waves from left to
right, and at most 1,000 objects (100 for mermaid).

The plan knows the rules of ownership and the finalizers. It knows neither the controllers that
make objects anew, nor the handlers, sweeps, guards and protections that a program configures.

Exit code 3: an object would be held.`,
		Example: a.examples("plan -f all.json deploy/shop/cart --cascade foreground", "plan --store sqlite:app.db tenant/blue -o mermaid",
			"", "plan deploy/cart -n shop --cascade foreground", "plan namespace/shop -o svg > shop.svg"),
		RunE: func(cmd *cobra.Command, args []string) error {
			from, err := a.origin()
			switch {
			case err != nil:
				return err
			case p.columns && a.checkColumns(true) != nil:
				return a.checkColumns(true)
			case from == ofCluster:
				return a.planOfCluster(cmd.Context(), args, &p)
			}
			return a.planOfContent(cmd.Context(), args, &p)
		},
	}
	a.addSource(cmd)
	a.addFormat(cmd, printing.Pictures())
	p.add(cmd)
	p.addForecast(cmd)
	addColumns(cmd, &p.columns)
	return cmd
}

// planOfContent plans a deletion in a dump or a store.
func (a *app) planOfContent(ctx context.Context, args []string, p *planFlags) error {
	c, err := a.load(ctx)
	if err != nil {
		return err
	}
	objects, err := c.find(args, a.scope())
	if err != nil {
		return err
	}
	var byItself []string
	if c.lint.Kubernetes {
		byItself = carried(c.Objects, removedByKubernetes())
	}
	if err := p.checkStay(c.Objects); err != nil {
		return err
	}
	made, err := c.plan(ctx, p.request(objects, byItself, a.planLimit(p)))
	if err != nil {
		return err
	}
	draw := func() view.Picture { return view.Plan(made, c.Objects, a.printer().Limit(p.limit)) }
	done, err := a.printer().Picture(draw)
	if !done {
		err = a.writePlan(&made, p)
	}
	if err != nil {
		return err
	}
	return foundHeld(&made)
}

// plan returns the forecast of a request. Without a target it has the objects that are written or
// that are held.
//
//test:by TestPlanOfManyDue TestDump
func (c *content) plan(ctx context.Context, req plan.Request) (made plan.Plan, err error) {
	if len(req.Delete) > 0 {
		return c.offline().Plan(ctx, ownergraph.Config{Policies: c.policies}, req)
	}
	return c.offline().PlanDue(ctx, req)
}

// writePlan writes a plan. The limit is one of lines in text.
func (a *app) writePlan(made *plan.Plan, p *planFlags) error {
	if a.format == printing.JSON {
		return a.printer().JSON(made)
	}
	return a.printer().Text(p.text(made))
}

// text returns the plan as text: the objects with the sum, or also the cost, the steps and the
// fingerprint.
//
//test:by TestPlanText
func (p *planFlags) text(made *plan.Plan) string {
	text := made.TextOf(p.limit)
	if p.verbose {
		text += "\n" + made.Details()
	}
	return text
}

// planLimit is the limit of objects and steps in a plan. Text cuts its lines, and not the plan.
func (a *app) planLimit(p *planFlags) int {
	if a.format == printing.JSON {
		return p.limit
	}
	return 0
}

// foundHeld returns printing.ErrFound if the plan has a held object.
func foundHeld(p *plan.Plan) error {
	for _, t := range p.Totals {
		if t.Held > 0 {
			return printing.ErrFound
		}
	}
	return nil
}
