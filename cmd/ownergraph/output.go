package main

import (
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/spf13/cobra"
)

// addFormat adds the flag of the format.
func (a *app) addFormat(cmd *cobra.Command, allowed []string) {
	a.format = printing.Text
	f := &printing.Flag{Value: &a.format, Allowed: allowed}
	cmd.Flags().VarP(f, "output", "o", f.Usage())
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(allowed, cobra.ShellCompDirectiveNoFileComp))
}

func (a *app) printer() *printing.Printer { return &printing.Printer{Out: a.stdout, Format: a.format} }
