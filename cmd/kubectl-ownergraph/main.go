// Command kubectl-ownergraph is a plugin of kubectl. It shows the ownership of the objects of
// a cluster: trees, plans of deletions, explanations of objects that do not go, and faults.
//
// Exit codes: 0 done, 1 failed, 2 wrong usage, 3 findings or held objects.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/ownergraph/ownergraph/internal/terminal"
)

// The exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitFound  = 3
)

// errFound says that the command is done, and has found a fault or a held object.
var errFound = errors.New("findings or held objects")

func main() {
	klog.SetLogger(logr.Discard()) // the command reports each error itself
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs the command and returns its exit code.
//
// Held by TestExitCodes.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := newApp(stdin, stdout, stderr)
	root := a.command()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errFound):
		return exitFound
	}
	fmt.Fprintln(stderr, name+":", terminal.Printable(err.Error()))
	if !a.started || errors.As(err, new(usageError)) {
		fmt.Fprintf(stderr, "Run %q for the usage.\n", name+" --help")
		return exitUsage
	}
	return exitFailed
}

// usageError is an error of the command line.
type usageError string

func (e usageError) Error() string { return string(e) }
