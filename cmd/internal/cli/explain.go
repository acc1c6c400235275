package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/view"
)

func (a *app) explainCommand() *cobra.Command {
	try := false
	cmd := &cobra.Command{
		Use:   "explain OBJECT",
		Short: "Explain why an object or a namespace stays, goes or waits",
		Long: `Explain one object: its mark, finalizers and owners, the chain of conditions for which it waits,
and who has to act next. A namespace that does not terminate is explained with its conditions and
with the objects that remain in it, and in a cluster with the API services that are not available.
A marked object has the last writers of its finalizers. A dump has them if it is of
kubectl get --show-managed-fields. The command decides on a copy in memory, and writes nothing.

With --from it asks a running program, which also knows why an object is gone.

With --try-removal it sends a dry run to the cluster for the removal of each finalizer of a marked
object, or for the deletion of an object whose namespace is marked. The answer names the webhook
or the admission policy that refuses the write. The server calls webhooks without side effects.
Give --as to ask as the account of a controller.

Exit code 3: the object waits for an actor outside, or it is stuck.`,
		Example: a.examples("explain -f all.json pod/shop/web-0", "explain --store postgres://localhost/app namespace/blue -o svg > blue.svg", "explain --from http://localhost:8080/ownergraph tenant/blue",
			"", "explain namespace/shop", "explain pod/web-0 -n shop", "explain pvc data-0 -n shop -o json", "explain backup/a -n shop --try-removal"),
		Args: a.wantsObject,
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.from != "" {
				if err := a.checkFrom(); err != nil {
					return err
				}
				return a.explainFrom(cmd.Context(), args)
			}
			from, err := a.origin()
			switch {
			case err != nil:
				return err
			case try && from != ofCluster:
				return printing.UsageError("--try-removal: want a cluster, which has a server to ask")
			case try && !slices.Contains(printing.Plain(), a.format):
				return printing.UsageError("--try-removal: a picture has no dry run, want -o text or json")
			}
			ctx := cmd.Context()
			return a.onOne(ctx, args, func(c *content, o graph.Object) error {
				return a.explainContent(ctx, c, o)
			}, func(ctx context.Context, r *reading, key graph.Key) error {
				return a.explain(ctx, r, key, try)
			})
		},
	}
	a.addSource(cmd)
	a.addFrom(cmd)
	a.addFormat(cmd, printing.Pictures())
	cmd.Flags().BoolVar(&a.wide, "wide", false, "with the UIDs, and the flags of each reference")
	cmd.Flags().BoolVar(&try, "try-removal", false, "send dry runs of the removal of the finalizers, or of the object")
	return cmd
}

// explainContent explains an object of a dump or a store.
func (a *app) explainContent(ctx context.Context, c *content, o graph.Object) error {
	if c.isTerminating(o) && slices.Contains(printing.Plain(), a.format) {
		return a.explainNamespace(ctx, c, o)
	}
	list, err := c.offline().Explain(ctx, o.Key)
	if err != nil {
		return err
	}
	return a.writeExplained(list[0], c.around(o))
}

// explained returns the text of an explanation, with the UIDs if they are wanted.
func (a *app) explained(x *explain.Explanation) string {
	if a.wide {
		return x.Wide()
	}
	return x.Text()
}

// writeExplained writes an explanation, and lines about the object that it does not have.
func (a *app) writeExplained(x explain.Explanation, around string) error {
	done, err := a.printer().Picture(func() view.Picture { return view.Explanation(x, a.printer().Limit(0)) })
	switch {
	case done:
	case a.format == printing.JSON:
		err = a.printer().JSON(x)
	default:
		err = a.printer().Text(a.explained(&x) + around)
	}
	if pace, _ := x.Pace(); err == nil && pace > explain.Moving {
		return printing.ErrFound
	}
	return err
}
