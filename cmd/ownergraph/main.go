// Command ownergraph shows and carries out the ownership of objects: trees, plans of
// deletions, explanations and faults. It works on a dump of a Kubernetes cluster, or on a
// live store of package ownergraph in SQLite, Postgres or etcd.
//
// Exit codes: 0 done, 1 failed, 2 wrong usage, 3 findings or held objects.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

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
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs the command and returns its exit code.
//
// Held by TestExitCodes.
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
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errFound):
		return exitFound
	}
	fmt.Fprintln(stderr, "ownergraph:", terminal.Printable(err.Error()))
	if !a.started || errors.As(err, new(usageError)) {
		fmt.Fprintln(stderr, `Run "ownergraph --help" for the usage.`)
		return exitUsage
	}
	return exitFailed
}

// usageError is an error of the command line.
type usageError string

func (e usageError) Error() string { return string(e) }
