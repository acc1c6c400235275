package main

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/offline"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/view"
	"github.com/spf13/cobra"
)

func (a *app) treeCommand() *cobra.Command {
	limit := 0
	cmd := &cobra.Command{
		Use:   "tree OBJECT (-f FILE | --store URL)",
		Short: "Draw an object with the objects above and below it",
		Long: `Draw an object with its owners above it and its dependents below it. Text draws an object with
several owners once. A picture has at most --limit objects, and counts the others. The members
of a container, such as a namespace or a definition, stand below it, with the actor that takes
them along. The JSON has the object first, and then each object below it, by key.`,
		Example: `  ownergraph tree -f all.json deployment/shop/cart
  kubectl get -A -o yaml deploy,rs,pod | ownergraph tree -f - deployment/shop/cart
  ownergraph tree -f all.json deployment/shop/cart -o svg > cart.svg`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.load(cmd.Context())
			if err != nil {
				return err
			}
			objects, err := c.find(args)
			if err != nil {
				return err
			}
			return a.writeTree(c.offline().Index(), c.Objects, objects[0].Key, limit)
		},
	}
	a.addSource(cmd)
	a.addFormat(cmd, printing.Pictures())
	cmd.Flags().IntVar(&limit, "limit", 0, "most objects of the picture, up to 5000 (default 1000, and 100 for mermaid)")
	return cmd
}

func (a *app) writeTree(x *offline.Index, objects []graph.Object, root graph.Key, limit int) error {
	draw := func() view.Picture {
		return view.TreeWithMembers(objects, containers(x), root, a.printer().Limit(limit))
	}
	switch done, err := a.printer().Picture(draw); {
	case done:
		return err
	case a.format == printing.JSON:
		return a.printer().JSON(newJSONTree(x, root))
	}
	return a.printer().Text(draw().Text())
}

// containers returns the containers of the objects for a picture.
func containers(x *offline.Index) (list []view.Container) {
	for _, c := range x.Containers() {
		list = append(list, view.Container(c))
	}
	return list
}

// jsonTree is the form tree/v1.
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
