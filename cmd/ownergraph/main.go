// Command ownergraph shows and carries out the ownership of objects: trees, plans of
// deletions, explanations and faults. It works on a dump of a Kubernetes cluster, or on a
// live store of package ownergraph in SQLite, Postgres or etcd.
//
// Exit codes: 0 done, 1 failed, 2 wrong usage, 3 findings or held objects.
package main

import (
	"context"
	"io"
	"os"
	"slices"

	"github.com/ownergraph/ownergraph/internal/printing"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs the command and returns its exit code.
//
//test:by TestExitCodes
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	root := a.command()
	args = slices.Clone(args)
	for i, arg := range args {
		if arg == "-store" || len(arg) > 7 && arg[:7] == "-store=" { // as package flag spells it
			args[i] = "-" + arg
		}
	}
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	return printing.Exit(stderr, "ownergraph", a.started, err)
}
