// Command man writes the manual pages of the program: one for each subcommand, under both names.
//
//	GOWORK=off go -C cmd run ./internal/man DIR
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra/doc"

	"github.com/ownergraph/ownergraph/cmd/internal/cli"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "man: want the directory of the pages")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}

// write writes the pages of both names to a directory, which may be new.
//
//test:by TestPages
func write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, name := range []cli.Name{cli.Command, cli.Plugin} {
		root := cli.Tree(name)
		root.DisableAutoGenTag = true // two runs give equal pages
		if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "ownergraph", Manual: "ownergraph"}, dir); err != nil {
			return fmt.Errorf("write the pages of %s: %w", name, err)
		}
	}
	return nil
}
