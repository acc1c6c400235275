// Command sim runs random histories of a simulated world: see package sim.
//
//	go run ./internal/proof/sim/cmd/sim -seeds 10000 -steps 1000 -seed 1 -minutes 10 -workers 2
//	go run ./internal/proof/sim/cmd/sim -seed 4711 -steps 1000
//
// The last line but one counts the plans that were compared with their ends. The last line
// has the numbers of steps, distinct states (about), seeds and steps per
// second. It prints each failing seed with the command line that runs it again, and the
// first few with their trace. The exit status is 1 then.
//
//	go run ./internal/proof/sim/cmd/sim -seeds 20000 -digest before.txt
//	go run ./internal/proof/sim/cmd/sim -seeds 20000 -against before.txt
//	go run ./internal/proof/sim/cmd/sim -seed 4711 -trace after.txt
//
// With -digest it writes a hash of each history: see sim.History.Record. With -against
// it compares the hashes with those of an earlier run, and names the seeds that differ.
// The exit status is 1 if there are any. With -trace it writes the lines of one
// history, so that diff finds the first difference between two versions.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/ownergraph/ownergraph/internal/proof/sim"
)

// settings are those of the command line.
type settings struct {
	sim.Fleet
	traces                 int
	digest, against, trace string
}

func parse() settings {
	var s settings
	flag.Uint64Var(&s.Seed, "seed", 1, "the seed, or the first of many")
	flag.IntVar(&s.Seeds, "seeds", 1, "how many; 0 for as many as there is time for")
	flag.IntVar(&s.Steps, "steps", 1000, "of each seed, in safety mode")
	minutes := flag.Float64("minutes", 0, "time, at most; 0 for no bound")
	flag.IntVar(&s.Workers, "workers", runtime.GOMAXPROCS(0), "seeds run at once")
	flag.IntVar(&s.Most, "most", 0, "failures after which no seed begins; 0 for no bound")
	flag.IntVar(&s.traces, "traces", 3, "failures to print the trace of, at most")
	flag.StringVar(&s.Without, "without", "", "`faults` that no world has, divided by commas, to look past a known failure")
	flag.StringVar(&s.With, "with", "", "`faults` that a world has only if asked: returns, for a caller that gives calls back, policies of references, grace periods, and shares of engines")
	flag.StringVar(&s.digest, "digest", "", "the `file` to write a digest of each seed to")
	flag.StringVar(&s.against, "against", "", "the `file` of digests to compare with")
	flag.StringVar(&s.trace, "trace", "", "the `file` to write the recorded lines of -seed to, and nothing else")
	flag.Parse()
	if flag.NArg() > 0 || s.Seeds < 0 || s.Steps < 1 || s.Workers < 1 || s.Seeds == 0 && *minutes <= 0 {
		fmt.Fprintln(os.Stderr, "sim: -seeds 0 needs -minutes, -steps and -workers are at least 1, and there are no arguments")
		os.Exit(2)
	}
	s.Record = s.digest != "" || s.against != ""
	if *minutes > 0 {
		s.Until = time.Now().Add(time.Duration(*minutes * float64(time.Minute)))
	}
	return s
}

func main() {
	s := parse()
	debug.SetGCPercent(400)
	ok := true
	if s.trace != "" {
		if err := trace(s.History, s.trace); err != nil {
			fmt.Fprintln(os.Stderr, "sim:", err)
			ok = false
		}
	} else {
		ok = s.run()
	}
	if !ok {
		os.Exit(1)
	}
}

// run runs the fleet and reports whether every seed passed.
func (s settings) run() bool {
	all := digests{steps: s.Steps, without: s.Without, of: map[uint64]uint64{}}
	if s.Record {
		s.Ended = all.add
	}
	shown := 0
	s.Failed = func(r sim.Result) {
		fmt.Printf("FAILED: %s\n", r.History)
		if shown++; shown <= s.traces {
			fmt.Print(r.Explain())
		} else {
			fmt.Println(r.Broken)
		}
	}
	total := s.Run()
	ok := total.Failed == 0
	if s.against != "" {
		same, err := all.against(s.against)
		if err != nil {
			fmt.Fprintln(os.Stderr, "sim:", err)
		}
		ok = ok && same && err == nil
	}
	if s.digest != "" {
		if err := all.write(s.digest); err != nil {
			fmt.Fprintln(os.Stderr, "sim:", err)
			ok = false
		}
	}
	fmt.Println(total.Plans)
	fmt.Println(total)
	return ok
}
