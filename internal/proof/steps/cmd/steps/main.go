// Command steps writes an overlay for a build that counts the work of each step: see package
// steps.
//
//	go run ./internal/proof/steps/cmd/steps -o DIR
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/ownergraph/ownergraph/internal/proof/steps"
)

func main() {
	root := flag.String("root", ".", "the module's directory, as an absolute path or from here")
	dir := flag.String("o", "", "an empty directory for the edited files")
	flag.Parse()
	if *dir == "" { // the edited files have the names of the sources
		fmt.Fprintln(os.Stderr, "steps: name a directory for the edited files (flag -o)")
		os.Exit(2)
	}
	file, loops, err := steps.Overlay(*root, *dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%s: %d loops count\n", file, loops)
}
