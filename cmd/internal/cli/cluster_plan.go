package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/offline"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/view"
)

// planAnswer is the form kubectl-ownergraph.plan/v1.
type planAnswer struct {
	Schema  string    `json:"schema"`
	Plan    plan.Plan `json:"plan"`
	Unknown unknown   `json:"unknown"`
}

func (a *app) planOfCluster(ctx context.Context, args []string, p *planFlags) error {
	targets, err := a.resolve(args)
	if err != nil {
		return err
	}
	ctx, cancel, err := a.deadline(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	r, err := a.read(ctx, targets[0].scope())
	if err != nil {
		return err
	}
	made, u, objects, err := r.plan(ctx, targets, p, a.planLimit(p))
	if err != nil {
		return err
	}
	out := a.printer()
	done, err := out.Picture(func() view.Picture { return view.Plan(made, objects, out.Limit(p.limit)) })
	switch {
	case done:
		a.note(u)
	case a.format == printing.JSON:
		err = out.JSON(planAnswer{"kubectl-ownergraph.plan/v1", made, u})
	default:
		var text string
		if text, err = a.inColumns(ctx, r, objects, p.text(&made), p.columns); err != nil {
			return err
		}
		err = out.Text(text + u.text())
	}
	if err != nil {
		return err
	}
	return foundHeld(&made)
}

// plan plans the deletion of the targets. Their actors empty the containers among the objects.
//
//test:by TestGolden
func (r *reading) plan(ctx context.Context, targets []target, p *planFlags, limit int) (made plan.Plan, u unknown, objects []graph.Object, err error) {
	var found []graph.Object
	var keys []graph.Key
	for _, t := range targets {
		o, err := r.find(ctx, t)
		if err != nil {
			return made, u, nil, err
		}
		found = append(found, o.Object)
		keys = append(keys, o.Key)
	}
	near, err := r.proven(ctx, func() offline.Content { return r.index().Near(keys...) })
	if err != nil {
		return made, u, nil, err
	}
	scope := scopeOf(targets)
	part := relevant(r.in, near, scope)
	if err := p.checkStay(r.content.Objects); err != nil {
		return made, u, nil, err
	}
	made, err = part.Plan(ctx, ownergraph.Config{Policies: r.policies}, p.request(found, carried(part.Objects, removedByKubernetes()), limit))
	if errors.Is(err, graph.ErrInvalid) {
		err = fmt.Errorf("%s: %w", strings.Join(names(targets), ", "), err)
	}
	return made, unknowns(r.in, near, scope), near.Objects, err
}

// scopeOf returns the namespace of the targets, or "" if they have not all the same one.
func scopeOf(targets []target) string {
	for _, t := range targets {
		if t.key.Scope != targets[0].key.Scope {
			return ""
		}
	}
	return targets[0].key.Scope
}

func names(targets []target) (list []string) {
	for _, t := range targets {
		list = append(list, t.String())
	}
	return list
}
