package main

import (
	"slices"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/view"
	"github.com/spf13/cobra"
)

func (a *app) explainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain OBJECT (-f FILE | --store URL)",
		Short: "Explain why an object stays, goes or waits",
		Long: `Explain one object: the decision, the evidence for each owner, and the chain of conditions
for which the object waits, to the actor that has to act next. A namespace of a dump that does
not terminate is explained with its conditions and with the objects that remain in it. An object
in such a namespace has the conditions too. A marked object has the last writers of its
finalizers, if the dump is of kubectl get --show-managed-fields.
REASONS.md of the library has each reason with its remedy. The command decides on a copy in
memory, and writes nothing.

Exit code 3: the object waits for an actor outside, or it is stuck.`,
		Example: `  ownergraph explain -f all.json pod/shop/web-0
  ownergraph explain --store postgres://localhost/app namespace/blue -o svg > blue.svg`,
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
			if c.isTerminating(objects[0]) && slices.Contains(printing.Plain(), a.format) {
				return a.explainNamespace(cmd.Context(), &c, objects[0])
			}
			list, err := c.offline().Explain(cmd.Context(), objects[0].Key)
			if err != nil {
				return err
			}
			x := list[0]
			done, err := a.printer().Picture(func() view.Picture { return view.Explanation(x, a.printer().Limit(0)) })
			switch {
			case done:
			case a.format == printing.JSON:
				err = a.printer().JSON(x)
			default:
				err = a.printer().Text(x.Text() + c.around(objects[0]))
			}
			if pace, _ := x.Pace(); err == nil && pace > explain.Moving {
				return printing.ErrFound
			}
			return err
		},
	}
	a.addSource(cmd)
	a.addFormat(cmd, printing.Pictures())
	return cmd
}
