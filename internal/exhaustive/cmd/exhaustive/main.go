// Command exhaustive searches the engine's small scopes: see package exhaustive.
//
//	go run ./internal/exhaustive/cmd/exhaustive -n 3 -actions 2 -crashes 1 -listings 1 -minutes 5.5
//
// It prints a row for each stage, with the graphs that a bound cut off. If
// something is broken it prints the shortest history that it finds, one line per
// step with what the store holds then, and its exit status is 1.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/exhaustive"
)

func main() {
	var scope exhaustive.Scope
	n := flag.Int("n", 3, "objects of each graph, at most 4")
	flag.IntVar(&scope.Actions, "actions", 2, "actions of users, at most")
	flag.IntVar(&scope.Crashes, "crashes", 1, "crashes, at most")
	flag.IntVar(&scope.Listings, "listings", 1, "new listings, at most")
	flag.IntVar(&scope.Waits, "waits", 0, "early timeouts, at most")
	flag.IntVar(&scope.Calls, "calls", 1, "store calls under way at once, at most")
	flag.BoolVar(&scope.Late, "late", false, "let the engine be late in every stage")
	flag.IntVar(&scope.States, "states", 0, "states of one graph, at most; 0 for no bound")
	minutes := flag.Float64("minutes", 0, "minutes of the whole; 0 for no bound")
	workers := flag.Int("workers", runtime.GOMAXPROCS(0), "graphs searched at once")
	small := flag.Bool("small", true, "begin with the complete scopes of two objects")
	list := flag.Bool("graphs", false, "print the graphs with their numbers")
	flag.Parse()
	if *n < 1 || *n > 4 || *workers < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "exhaustive: -n is 1 to 4, -workers at least 1, and there are no arguments")
		os.Exit(2)
	}
	debug.SetGCPercent(400) // the tables of states hold no pointers

	fmt.Print(exhaustive.Alphabet(*n))
	if *list {
		for i, g := range exhaustive.Graphs(*n, 0) {
			fmt.Printf("graph %d: %s\n", i+1, graph.Format(g))
		}
	}
	stages := exhaustive.Plan(*n, scope)
	if *small {
		stages = append(exhaustive.Small(), stages...)
	}
	var until time.Time
	if *minutes > 0 {
		until = time.Now().Add(time.Duration(*minutes * float64(time.Minute)))
	}
	fmt.Print(exhaustive.Heading())
	broken := false
	exhaustive.Run(stages, *workers, until, func(r exhaustive.Row) {
		fmt.Print(r)
		if r.Broken != nil {
			broken = true
			short := exhaustive.Shorten(*r.Broken)
			fmt.Printf("BROKEN on %s, %s: %v\n%s", short.Graph, r.Stage, short.Broken, short.History)
		}
	})
	if broken {
		os.Exit(1)
	}
}
