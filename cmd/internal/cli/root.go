package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph/internal/printing"
)

const long = `ownergraph shows why objects stay or go: their owners, dependents and finalizers, the effect of
their deletion, and who has to act next.

The objects come from one of these:
  -f FILE      a dump of a Kubernetes cluster: JSON or YAML, as "kubectl get -A -o json" prints it
  --store URL  a live store of the library: sqlite:FILE, postgres://... or etcd://HOST:PORT
  a cluster    that of the kubeconfig. kubectl ownergraph takes it if no other is given, and
               ownergraph takes it with --context, --kubeconfig or --server

An object is TYPE/NAME, TYPE/SCOPE/NAME or TYPE NAME, such as deploy/cart or
Deployment.apps/shop/cart. TYPE is a kind, a plural or a short name of kubectl. The scope is the
namespace in Kubernetes, and -n gives it too. A name with other characters is typed in quotes, as
the output shows it: '"apps/Deployment"/shop/"a b"'.

Exit codes: 0 done, 1 failed or not confirmed, 2 wrong usage, 3 findings or held objects.
Colour shows only on a terminal, and not if NO_COLOR is set.`

// The groups of the subcommands in the help.
const (
	readGroup  = "read"
	writeGroup = "write"
	otherGroup = "other"
)

func (a *app) command() *cobra.Command {
	use := strings.ReplaceAll(strings.ReplaceAll(a.name.String(), "kubectl ", "kubectl-"), " ", "-")
	root := &cobra.Command{
		Use:           use,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: a.name.String()},
		Short:         "Trees, plans, explanations and deletions of objects that own each other",
		Long:          long,
		Example:       a.examples("tree -f all.json deploy/shop/cart", "plan -f all.json deploy/shop/cart --cascade foreground", "", "explain namespace/shop", "plan deploy/cart -n shop --cascade foreground"),
		Version:       printing.Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          a.noCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SuggestionsMinimumDistance = 2 // letters
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	a.addCluster(root)
	root.AddGroup(&cobra.Group{ID: readGroup, Title: "Read, and change nothing:"}, &cobra.Group{ID: writeGroup, Title: "Change objects, or a collector's orders:"}, &cobra.Group{ID: otherGroup, Title: "Other:"})
	add := func(group string, list ...*cobra.Command) {
		for _, cmd := range list {
			cmd.GroupID = group
			root.AddCommand(cmd)
		}
	}
	add(readGroup, a.lsCommand(), a.rootsCommand(), a.treeCommand(), a.planCommand(), a.explainCommand(), a.lintCommand(), a.topCommand(), a.runCommand(), a.waitCommand(), a.followCommand())
	add(writeGroup, a.deleteCommand(), a.approveCommand(), a.refuseCommand(), a.pauseCommand(), a.resumeCommand(), a.retireCommand(), a.gcCommand(), a.archiveCommand(), a.restoreCommand())
	add(otherGroup, a.reasonCommand(), a.schemaCommand(), a.versionCommand())
	root.SetHelpCommandGroupID(otherGroup)
	root.SetCompletionCommandGroupID(otherGroup)
	for _, cmd := range root.Commands() {
		a.prepare(cmd)
	}
	return root
}

// prepare adds to a subcommand and those below it what all of them share.
func (a *app) prepare(cmd *cobra.Command) {
	switch {
	case strings.Contains(cmd.Use, "OBJECT"):
		cmd.ValidArgsFunction = a.complete
	case strings.Contains(cmd.Use, "ENTRY"):
		cmd.ValidArgsFunction = a.completeEntry
	}
	do := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		a.started = true
		if err := cmp.Or(emptyFlag(cmd), a.source.store.keys.check(a.source.store.url)); err != nil {
			return err
		}
		return do(cmd, args)
	}
	for _, below := range cmd.Commands() {
		a.prepare(below)
	}
}

// emptyFlag refuses a flag that names a place and has no value, such as one of an unset variable of a
// shell. Without it the program would take another place.
//
//test:by TestEmptyPlaces
func emptyFlag(cmd *cobra.Command) error {
	for _, name := range []string{"store", "filename", "from", "context", "kubeconfig", "server", recipientsFlag, identityFlag} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && strings.Trim(f.Value.String(), "[]") == "" {
			return printing.UsageError(fmt.Sprintf("--%s is empty: want a value, or leave it out", name))
		}
	}
	return nil
}

// noCommand refuses the name of a subcommand that does not exist, and names similar ones.
//
//test:by TestExitCodes TestSuggestions
func (a *app) noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := ""
	if list := cmd.SuggestionsFor(args[0]); len(list) > 0 {
		hint = ". Do you mean " + strings.Join(list, " or ") + "?"
	}
	return fmt.Errorf("unknown command %q for %q%s", args[0], cmd.CommandPath(), hint)
}

// examples returns the examples of a help. Those before an empty line are of the command, and those
// behind it are of the plugin.
func (a *app) examples(lines ...string) string {
	var out []string
	name := Command
	for _, line := range lines {
		switch {
		case line == "":
			name = Plugin
		case name == a.name:
			out = append(out, "  "+a.name.String()+" "+line)
		}
	}
	return strings.Join(out, "\n")
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of the program",
		Long:    "Print the version of the program's module, as the Go tool has built it in.",
		Example: "  " + a.name.String() + " version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.stdout, "%s version %s\n", a.name, printing.Version())
			return err
		},
	}
}
