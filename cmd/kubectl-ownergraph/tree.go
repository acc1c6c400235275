package main

import (
	"context"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/offline"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/view"
	"github.com/spf13/cobra"
)

func (a *app) treeCommand() *cobra.Command {
	limit := 0
	cmd := &cobra.Command{
		Use:   "tree TYPE/NAME",
		Short: "Draw an object with the objects above and below it",
		Long: `Draw an object with its owners above it and its dependents below it, by owner reference. The
members of a container, such as a namespace or a definition, stand below it, with the actor that
takes them along. Text draws an object with several owners once. A picture has at most --limit objects, and counts
the others. The JSON has the objects above and below by key.`,
		Example: `  kubectl ownergraph tree deployment/cart -n shop
  kubectl ownergraph tree deploy cart -n shop -o svg > cart.svg`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.onObject(cmd.Context(), args, func(ctx context.Context, r *reading, key graph.Key) error {
				return a.writeTree(r, key, limit)
			})
		},
	}
	a.addFormat(cmd, printing.Pictures())
	cmd.Flags().IntVar(&limit, "limit", 0, "most objects of the picture, up to 5000 (default 1000, and 100 for mermaid)")
	return cmd
}

// onObject lists the cluster, and calls do with the one object that the arguments name.
func (a *app) onObject(ctx context.Context, args []string, do func(context.Context, *reading, graph.Key) error) error {
	targets, err := a.resolve(args)
	if err != nil {
		return err
	}
	if len(targets) != 1 {
		return printing.UsageError("want one object: TYPE/NAME, or TYPE NAME")
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
	o, err := r.find(ctx, targets[0])
	if err != nil {
		return err
	}
	r.target = targets[0]
	return do(ctx, r, o.Key)
}

// treeAnswer is the form kubectl-ownergraph.tree/v1.
type treeAnswer struct {
	Schema  string         `json:"schema"`
	Objects []graph.Object `json:"objects"`
	// Containers are those among the objects that have members. Their ends take the members along.
	Containers []offline.JSONContainer `json:"containers,omitempty"`
	Unknown    unknown                 `json:"unknown"`
}

func (a *app) writeTree(r *reading, key graph.Key, limit int) error {
	near := r.index().Near(key)
	u := unknowns(r.in, near, key.Scope)
	var containers []view.Container
	for _, c := range near.Index().Containers() {
		containers = append(containers, view.Container(c))
	}
	draw := func() view.Picture {
		return view.TreeWithMembers(near.Objects, containers, key, a.printer().Limit(limit))
	}
	p := a.printer()
	switch done, err := p.Picture(draw); {
	case done:
		a.note(u)
		return err
	case a.format == printing.JSON:
		objects := r.index().Lineage(key)
		slices.SortFunc(objects, func(a, b graph.Object) int { return a.Compare(b.Key) })
		return p.JSON(treeAnswer{"kubectl-ownergraph.tree/v1", objects, r.index().JSONContainers(objects), u})
	}
	return p.Text(draw().Text() + u.text())
}
