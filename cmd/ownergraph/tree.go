package main

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/tree"
	"github.com/spf13/cobra"
)

func (a *app) treeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tree OBJECT (-f FILE | --store URL)",
		Short: "Draw the objects below an object",
		Long: `Draw the objects below an object by owner reference. An object with several owners is drawn
once. The JSON has the object first, and then each object below it, by key.`,
		Example: `  ownergraph tree -f all.json deployment/shop/cart
  kubectl get -A -o yaml deploy,rs,pod | ownergraph tree -f - deployment/shop/cart`,
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
			if a.format == formatJSON {
				return a.writeJSON(newJSONTree(c.Objects, objects[0].Key))
			}
			return a.writeText(tree.Draw(c.Objects, objects[0].Key, tree.MaxLines))
		},
	}
	a.addSource(cmd)
	a.addFormat(cmd)
	return cmd
}

// jsonTree is the form tree/v1.
type jsonTree struct {
	Schema  string         `json:"schema"`
	Objects []graph.Object `json:"objects"`
}

func newJSONTree(objects []graph.Object, root graph.Key) jsonTree {
	t := jsonTree{Schema: "tree/v1"}
	for _, i := range tree.Reach(objects, root) {
		t.Objects = append(t.Objects, objects[i])
	}
	return t
}
