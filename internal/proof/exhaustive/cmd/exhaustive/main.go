// Command exhaustive searches the engine's small scopes: see package exhaustive.
//
//	go run ./internal/proof/exhaustive/cmd/exhaustive -minutes 30 -sure
//	go run ./internal/proof/exhaustive/cmd/exhaustive -minutes 0.1 -sure -every 12
//	go run ./internal/proof/exhaustive/cmd/exhaustive -quick
//	go run ./internal/proof/exhaustive/cmd/exhaustive -stage four -minutes 30
//	go run ./internal/proof/exhaustive/cmd/exhaustive -counts > before.txt
//	go run ./internal/proof/exhaustive/cmd/exhaustive -row '3 objects, 2 actions, late engine' -from 17 -to 17
//
// It prints a row for each stage, with the graphs that a bound cut off. If a rule
// breaks, it prints a history and its exit status is 1. The history has one line for
// each step, with the objects of the store after it. By default it is the shortest
// history that the command finds.
//
// With -counts it prints the rows of -sure, each as a line without times. Two versions
// of the engine that act alike have the same lines.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/exhaustive"
)

// maxMemory bounds the memory of the search in bytes. The environment may set another
// bound.
const maxMemory = 2 << 30

type settings struct {
	scope       exhaustive.Scope
	n, workers  int
	minutes     float64
	small, list bool
	quick, sure bool
	counts      bool
	shorten     bool
	stage, row  string
	from, to    int
	every       int
}

func parse() (s settings, ok bool) {
	flag.IntVar(&s.n, "n", 3, "objects of each graph, at most 4")
	flag.IntVar(&s.scope.Actions, "actions", 2, "actions of users, at most")
	flag.IntVar(&s.scope.Crashes, "crashes", 1, "crashes, at most 1")
	flag.IntVar(&s.scope.Listings, "listings", 1, "new listings, at most 3")
	flag.IntVar(&s.scope.Waits, "waits", 0, "early timeouts, at most")
	flag.IntVar(&s.scope.Calls, "calls", 1, "store calls under way at once, at most 2")
	flag.IntVar(&s.scope.Engines, "engines", 1, "engines on one store, at most 2")
	flag.IntVar(&s.scope.Switches, "switches", 3, "switches from one of two engines to the other, at most")
	flag.BoolVar(&s.scope.Late, "late", false, "let the engine be late in every stage")
	flag.IntVar(&s.scope.States, "states", 0, "states of one graph, at most; 0 for no bound")
	flag.Float64Var(&s.minutes, "minutes", 0, "minutes of the whole, with -stage of each row; 0 for no bound")
	flag.IntVar(&s.workers, "workers", runtime.GOMAXPROCS(0), "graphs searched at once")
	flag.BoolVar(&s.small, "small", true, "begin with the small scopes that are complete")
	flag.BoolVar(&s.quick, "quick", false, "a little of every stage in some ten seconds, without regard to the bounds")
	flag.StringVar(&s.stage, "stage", "", "instead: "+strings.Join(exhaustive.Names(), ", "))
	flag.StringVar(&s.row, "row", "", "instead: the row of the default run with these words, one of those that -sure is about")
	flag.BoolVar(&s.sure, "sure", false, "finish the rows that seeded bugs count on; -minutes bounds the others")
	flag.BoolVar(&s.counts, "counts", false, "print the counts of each row, for diff; without -stage or -row, of the rows that -sure is about")
	flag.BoolVar(&s.shorten, "shorten", true, "look for the shortest history to what is broken")
	flag.IntVar(&s.from, "from", 0, "the first graph, by number; 0 for the first")
	flag.IntVar(&s.to, "to", 0, "the last graph, by number; 0 for the last")
	flag.IntVar(&s.every, "every", 0, "only each so-manieth graph; 0 for all")
	flag.BoolVar(&s.list, "graphs", false, "print the graphs with their numbers")
	flag.Parse()
	named := s.stage == "" || exhaustive.Named(s.stage) != nil
	if _, ok := exhaustive.Find(s.row); s.row != "" && !ok {
		named = false
	}
	return s, s.n >= 1 && s.n <= 4 && s.workers >= 1 && flag.NArg() == 0 && named &&
		s.scope.Crashes <= 1 && s.scope.Listings <= 3 && s.scope.Calls <= 2 && s.scope.Engines <= 2
}

func main() {
	s, ok := parse()
	if !ok {
		fmt.Fprintln(os.Stderr, "exhaustive: a flag is out of its bounds, or there is an argument; see -help")
		os.Exit(2)
	}
	debug.SetGCPercent(800) // the tables have no pointers
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(maxMemory)
	}

	if !s.counts {
		fmt.Print(exhaustive.Alphabet(s.n))
	}
	if s.list {
		for i, g := range exhaustive.Graphs(s.n, 0) {
			fmt.Printf("graph %d: %s\n", i+1, graph.Format(g))
		}
	}
	if !s.counts {
		fmt.Print(exhaustive.Heading())
	}
	if s.run() {
		os.Exit(1)
	}
}

// run searches the stages of the flags, and reports whether a rule broke.
func (s settings) run() (broken bool) {
	tell := func(r exhaustive.Row) {
		if s.counts {
			fmt.Print(r.Counts())
		} else {
			fmt.Print(r)
		}
		if r.Broken != nil {
			broken = true
			short := *r.Broken
			if s.shorten {
				short = exhaustive.Shorten(short)
			}
			fmt.Printf("BROKEN on %s, %s, graph %d: %v\n%s", short.Graph, r.Stage, r.Number, short.Broken, short.History)
		}
	}
	until := s.until()
	for _, stage := range s.stages() {
		if s.stage != "" {
			until = s.until()
		}
		by := until
		if _, ok := exhaustive.Find(stage.String()); ok && s.sure {
			by = time.Time{}
		}
		exhaustive.Run([]exhaustive.Stage{s.some(stage)}, s.workers, by, tell)
		if broken {
			break
		}
	}
	return broken
}

// some returns the stage with the graphs of the flags.
func (s settings) some(stage exhaustive.Stage) exhaustive.Stage {
	stage.From, stage.To = cmp.Or(s.from, stage.From), cmp.Or(s.to, stage.To)
	stage.Every = max(stage.Every, s.every)
	return stage
}

func (s settings) stages() []exhaustive.Stage {
	var stages []exhaustive.Stage
	switch {
	case s.quick:
		stages = exhaustive.Quick()
	case s.stage != "":
		stages = exhaustive.Named(s.stage)
	case s.row != "":
		stage, _ := exhaustive.Find(s.row)
		stages = []exhaustive.Stage{stage}
	case s.counts:
		stages = exhaustive.Sure()
	default:
		if s.small {
			stages = slices.Concat(exhaustive.Small(), exhaustive.Guarded(), exhaustive.Shared())
		}
		stages = append(stages, exhaustive.Plan(s.n, s.scope)...)
	}
	return stages
}

func (s settings) until() time.Time {
	if s.minutes == 0 {
		return time.Time{}
	}
	return time.Now().Add(time.Duration(s.minutes * float64(time.Minute)))
}
