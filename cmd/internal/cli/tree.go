package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/offline"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/view"
)

func (a *app) treeCommand() *cobra.Command {
	limit, columns := 0, false
	cmd := &cobra.Command{
		Use:   "tree OBJECT",
		Short: "Draw an object with the objects above and below it",
		Long: `Draw an object with its owners above it and its dependents below it, by owner reference. The
members of a container, such as a namespace or a definition, stand below it, with the actor that
takes them along. Text draws an object with several owners once. A picture has at most --limit
objects, and counts the others.`,
		Example: a.examples("tree -f all.json deploy/shop/cart", "tree -f all.json deploy/shop/cart -o svg > cart.svg", "tree --store sqlite:app.db tenant/blue",
			"", "tree deploy/cart -n shop", "tree deploy cart -n shop -o svg > cart.svg"),
		Args: a.wantsObject,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.checkColumns(columns); err != nil {
				return err
			}
			return a.onOne(cmd.Context(), args, func(c *content, o graph.Object) error {
				return a.writeTree(c.offline().Index(), c.Objects, o.Key, limit)
			}, func(ctx context.Context, r *reading, key graph.Key) error {
				return a.writeTreeOfCluster(ctx, r, key, limit, columns)
			})
		},
	}
	a.addSource(cmd)
	a.addFormat(cmd, printing.Pictures())
	addColumns(cmd, &columns)
	cmd.Flags().IntVar(&limit, "limit", 0, "most objects of the picture, up to 5000 (default 1000, and 100 for mermaid)")
	return cmd
}

func (a *app) writeTree(x *offline.Index, objects []graph.Object, root graph.Key, limit int) error {
	draw := a.treePicture(x, objects, root, limit)
	switch done, err := a.printer().Picture(draw); {
	case done:
		return err
	case a.format == printing.JSON:
		return a.printer().JSON(newJSONTree(x, root))
	}
	return a.printer().Text(draw().Text())
}

func (a *app) treePicture(x *offline.Index, objects []graph.Object, root graph.Key, limit int) func() view.Picture {
	var list []view.Container
	for _, c := range x.Containers() {
		list = append(list, view.Container(c))
	}
	return func() view.Picture {
		return view.TreeWithMembers(objects, list, root, a.printer().Limit(limit))
	}
}

// jsonTree is the form tree/v1. The object stands first, and then each object below it, by key.
type jsonTree struct {
	Schema  string         `json:"schema"`
	Objects []graph.Object `json:"objects"`
	// Containers are those among the objects that have members. Their ends take the members along.
	Containers []offline.JSONContainer `json:"containers,omitempty"`
}

func newJSONTree(x *offline.Index, root graph.Key) jsonTree {
	t := jsonTree{Schema: "tree/v1"}
	below := x.Below(root)
	for _, first := range []bool{true, false} {
		for i := range below {
			if (below[i].Key == root) == first {
				t.Objects = append(t.Objects, below[i])
			}
		}
	}
	t.Containers = x.JSONContainers(t.Objects)
	return t
}

// clusterTree is the form kubectl-ownergraph.tree/v1. The objects above and below stand by key.
type clusterTree struct {
	jsonTree
	Unknown unknown `json:"unknown"`
}

func (a *app) writeTreeOfCluster(ctx context.Context, r *reading, key graph.Key, limit int, columns bool) error {
	near := r.index().Near(key)
	u := unknowns(r.in, near, key.Scope)
	draw := a.treePicture(near.Index(), near.Objects, key, limit)
	p := a.printer()
	switch done, err := p.Picture(draw); {
	case done:
		a.note(u)
		return err
	case a.format == printing.JSON:
		objects := r.index().Lineage(key)
		slices.SortFunc(objects, func(a, b graph.Object) int { return a.Compare(b.Key) })
		return p.JSON(clusterTree{jsonTree{"kubectl-ownergraph.tree/v1", objects, r.index().JSONContainers(objects)}, u})
	}
	text, err := a.inColumns(ctx, r, near.Objects, draw().Text(), columns)
	if err != nil {
		return err
	}
	return p.Text(text + u.text())
}
