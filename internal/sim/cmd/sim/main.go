// Command sim runs random histories of a simulated world: see package sim.
//
//	go run ./internal/sim/cmd/sim -seeds 10000 -steps 1000 -seed 1 -minutes 10 -workers 2
//	go run ./internal/sim/cmd/sim -seed 4711 -steps 1000
//
// Its last line says how many steps, distinct states (about), seeds and steps per
// second there were. A seed that fails is printed with the line that runs it
// again, and the first few with their trace; the exit status is 1 then.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/ownergraph/ownergraph/internal/sim"
)

func main() {
	first := flag.Uint64("seed", 1, "the seed, or the first of many")
	seeds := flag.Int("seeds", 1, "how many; 0 for as many as there is time for")
	steps := flag.Int("steps", 1000, "of each seed, in safety mode")
	minutes := flag.Float64("minutes", 0, "time, at most; 0 for no bound")
	workers := flag.Int("workers", runtime.GOMAXPROCS(0), "seeds run at once")
	traces := flag.Int("traces", 3, "failures to print the trace of, at most")
	without := flag.String("without", "", "`faults` that no world has, divided by commas, to look past a known failure")
	flag.Parse()
	if flag.NArg() > 0 || *seeds < 0 || *steps < 1 || *workers < 1 || *seeds == 0 && *minutes <= 0 {
		fmt.Fprintln(os.Stderr, "sim: -seeds 0 needs -minutes, -steps and -workers are at least 1, and there are no arguments")
		os.Exit(2)
	}
	debug.SetGCPercent(400)
	f := sim.Fleet{
		History: sim.History{Seed: *first, Steps: *steps, Without: *without},
		Seeds:   *seeds, Workers: *workers,
	}
	if *minutes > 0 {
		f.Until = time.Now().Add(time.Duration(*minutes * float64(time.Minute)))
	}
	shown := 0
	f.Failed = func(r sim.Result) {
		fmt.Printf("FAILED: %s\n", r.History)
		if shown++; shown <= *traces {
			fmt.Print(r.Explain())
		} else {
			fmt.Println(r.Broken)
		}
	}
	total := f.Run()
	fmt.Println(total)
	if total.Failed > 0 {
		os.Exit(1)
	}
}
