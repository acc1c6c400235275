package cli

import (
	"context"
	"io"
	"os"
	"slices"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	"github.com/ownergraph/ownergraph/cmd/internal/kubeflags"
	"github.com/ownergraph/ownergraph/internal/printing"
)

// Main runs the program with the arguments and streams of the process, and ends it.
func Main(name Name) {
	klog.SetLogger(logr.Discard()) // the program reports each error itself
	os.Exit(Run(context.Background(), name, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Run runs the program under a name, and returns its exit code.
//
//test:by TestExitCodes TestPluginExitCodes
func Run(ctx context.Context, name Name, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := newApp(name, stdin, stdout, stderr)
	root := a.command()
	root.SetArgs(spelled(args))
	err := root.ExecuteContext(ctx)
	return printing.Exit(stderr, name.String(), a.started, err)
}

// spelled returns the arguments with the flag -store as package pflag spells it.
func spelled(args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		if arg == "-store" || len(arg) > 7 && arg[:7] == "-store=" {
			args[i] = "-" + arg
		}
	}
	return args
}

// app is one run of the program.
type app struct {
	name           Name
	stdin          io.Reader
	stdout, stderr io.Writer
	started        bool // the command line was right
	source         source
	cluster        kubeflags.Flags
	from           string // the address of a running program
	everywhere     bool   // -A
	format         string
	wide           bool // the text has UIDs
	perCode        int  // most findings of one code in the text of lint
	now            func() time.Time
}

func newApp(name Name, stdin io.Reader, stdout, stderr io.Writer) *app {
	return &app{name: name, stdin: stdin, stdout: stdout, stderr: stderr, now: time.Now}
}

// addFormat adds the flag of the format.
func (a *app) addFormat(cmd *cobra.Command, allowed []string) {
	a.format = printing.Text
	f := &printing.Flag{Value: &a.format, Allowed: allowed}
	cmd.Flags().VarP(f, "output", "o", f.Usage())
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(allowed, cobra.ShellCompDirectiveNoFileComp))
}

func (a *app) printer() *printing.Printer { return &printing.Printer{Out: a.stdout, Format: a.format} }

// Tree returns the command tree of a name, for its documentation.
func Tree(name Name) *cobra.Command { return newApp(name, os.Stdin, os.Stdout, os.Stderr).command() }
