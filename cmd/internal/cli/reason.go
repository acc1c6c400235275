package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph/lint"
	"github.com/ownergraph/ownergraph/policy"
)

func (a *app) reasonCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reason CODE",
		Short: "Print the article of a reason or of a finding",
		Long: `Print the article of a code: its meaning, cause and remedy. The codes of reasons are in the JSON of
explain, plan and follow, such as NeedFinalizers. Those of findings are in lint, such as OG001. Case
does not count.`,
		Example: a.examples("reason NeedFinalizers", "reason OG001", "", "reason NeedFinalizers", "reason OG001"),
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := articleOf(args[0])
			if err != nil {
				return err
			}
			return a.printer().Text(text)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return codes(), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// articleOf returns the article of a code. Those of findings begin with OG.
//
//test:by TestReason
func articleOf(code string) (string, error) {
	if strings.HasPrefix(strings.ToUpper(code), "OG") {
		return lint.Describe(code)
	}
	return policy.Describe(code)
}

// codes returns the codes that have an article.
func codes() (list []string) {
	for r := policy.ReasonUnset + 1; r.Code() != ""; r++ {
		if _, err := policy.Describe(r.Code()); err != nil {
			break
		}
		list = append(list, r.Code())
	}
	for _, c := range lint.Codes() {
		list = append(list, c.Code.String())
	}
	return list
}
