// Command release makes the commit of a release, and prints its tags.
//
//	go run ./internal/release [-proxy DIR] vX.Y.Z
//
// The main line keeps replace lines, so that each module builds against the tree beside it. A user
// cannot import such a module, so a release has a commit of its own. It is beside the main line, on
// the branch release/vX.Y.Z. In this commit each module that users take requires the released
// versions, has their sums in go.sum, has no replace lines, and has the LICENSE.
//
// The command wants a clean tree, a version that has no tag, and a section of the version in
// CHANGELOG.md. It pushes nothing. It prints a tag for each module, and the command that pushes them.
// With -proxy it also writes the modules into a directory, as a Go module proxy serves them
// (GOPROXY=file://DIR).
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run returns 0, 1 after an error, or 2 for wrong usage.
//
//test:by TestRelease TestRefusals
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(stderr)
	proxy := flags.String("proxy", "", "also write the modules into this directory, as a module proxy serves them")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: go run ./internal/release [-proxy DIR] vX.Y.Z")
		flags.PrintDefaults()
	}
	switch err := flags.Parse(args); {
	case err == flag.ErrHelp:
		return 0
	case err != nil:
		return 2
	case flags.NArg() != 1:
		flags.Usage()
		return 2
	}
	r, err := newRelease(ctx, ".", flags.Arg(0))
	if err == nil {
		err = r.make(ctx, *proxy)
	}
	if err != nil {
		fmt.Fprintln(stderr, "release:", err)
		return 1
	}
	r.report(stdout)
	return 0
}
