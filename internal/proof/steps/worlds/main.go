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
	"time"

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
			begun := time.Now()
			w.run()
			if *all {
				fmt.Fprintf(os.Stderr, "%s: %.1f s\n", w.name, time.Since(begun).Seconds())
			}
		}
	}
	bad, excused, used := 0, 0, map[exception]bool{}
	for _, f := range meter.Worst(*bound) {
		i := slices.IndexFunc(known, func(x exception) bool { return x.covers(f) })
		switch {
		case i < 0:
			fmt.Println(f)
			bad++
			continue
		case *all:
			fmt.Printf("known: %s: %s\n", f, known[i].reason)
		}
		excused++
		used[known[i]] = true
	}
	for _, x := range known {
		if *all && !used[x] {
			fmt.Printf("unused: %s in %q\n", x.function, x.step)
		}
	}
	fmt.Printf("%d loops count: %d exceed %d turns in one step, and %d do by the exceptions\n", meter.Sites(), bad, *bound, excused)
	if bad > 0 {
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
