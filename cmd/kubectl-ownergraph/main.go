// Command kubectl-ownergraph is a plugin of kubectl. It shows the ownership of the objects of
// a cluster: trees, plans of deletions, explanations of objects that do not go, and faults.
//
// Exit codes: 0 done, 1 failed, 2 wrong usage, 3 findings or held objects.
package main

import (
	"context"
	"io"
	"os"

	"github.com/go-logr/logr"
	"github.com/ownergraph/ownergraph/internal/printing"
	"k8s.io/klog/v2"
)

func main() {
	klog.SetLogger(logr.Discard()) // the command reports each error itself
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs the command and returns its exit code.
//
//test:by TestExitCodes
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := newApp(stdin, stdout, stderr)
	root := a.command()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	return printing.Exit(stderr, name, a.started, err)
}
