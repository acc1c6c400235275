package main

import (
	"io"

	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/spf13/cobra"
)

// app is one run of the command.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	started        bool // the command line was right
	source         source
	format         string
}

const long = `ownergraph shows and carries out the ownership of objects.

It reads a dump of a Kubernetes cluster with -f: JSON or YAML, as
"kubectl get -A -o json" or "-o yaml" prints it. Or it opens a live store of the library
with --store.

  tree, plan, explain, lint   read, and change nothing
  run                         carries deletions out on a copy in memory
  delete, approve, refuse,    write to a live store
  pause, resume, retire
  follow                      watches a deletion in a live store

-o json prints JSON. tree, plan and explain also draw pictures: -o dot, mermaid or svg.

OBJECT is KIND[.GROUP]/[SCOPE/]NAME, as in deployment/shop/cart. A name with other characters
is typed in quotes, as the output shows it: '"apps/Deployment"/shop/"a b"'.

Exit codes: 0 done, 1 failed or not confirmed, 2 wrong usage, 3 findings or held objects.
Colour shows only on a terminal, and not if NO_COLOR is set.`

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "ownergraph",
		Short: "Trees, plans, explanations and deletions of objects that own each other",
		Long:  long,
		Example: `  kubectl get -A -o json $(kubectl api-resources --verbs=list -o name | paste -sd,) > all.json
  ownergraph plan -f all.json deployment/shop/cart --cascade foreground`,
		Version:       printing.Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.AddCommand(a.treeCommand(), a.planCommand(), a.explainCommand(), a.lintCommand(), a.runCommand())
	root.AddCommand(a.deleteCommand(), a.followCommand(), a.approveCommand(), a.refuseCommand())
	root.AddCommand(a.pauseCommand(), a.resumeCommand(), a.retireCommand())
	for _, cmd := range root.Commands() {
		do := cmd.RunE
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			a.started = true
			return do(cmd, args)
		}
	}
	return root
}
