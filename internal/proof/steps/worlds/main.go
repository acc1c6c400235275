// Command worlds runs an engine in worlds that are large in one dimension, and prints the
// loops with more turns in one step than the bound. It counts only in a build of package
// steps.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/steps/meter"
)

func main() {
	bound := flag.Int("bound", 4096, "the most turns of one loop in one step")
	only := flag.String("world", "", "a part of the name of the worlds to run")
	all := flag.Bool("known", false, "print the known exceptions, too")
	flag.Parse()
	if meter.Sites() == 0 {
		fmt.Fprintln(os.Stderr, "worlds: no loop counts: see package steps")
		os.Exit(2)
	}
	for _, w := range worlds {
		if strings.Contains(w.name, *only) {
			meter.World(w.name)
			w.run()
		}
	}
	bad := false
	for _, f := range meter.Worst(*bound) {
		switch {
		case !isKnown(f):
			fmt.Println(f)
			bad = true
		case *all:
			fmt.Println("known:", f)
		}
	}
	if bad {
		os.Exit(1)
	}
}

func sorted(objects map[graph.Key]graph.Object) []graph.Key {
	keys := make([]graph.Key, 0, len(objects))
	for k := range objects {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, graph.Key.Compare)
	return keys
}
