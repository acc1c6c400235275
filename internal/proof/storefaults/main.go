package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/ownergraph/ownergraph/internal/proof/storefaults/judge"
)

func main() {
	if run, ok := subcommand(); ok {
		exit(run(os.Args[2:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	exit(command(ctx, os.Args[1:], os.Stdout))
}

// subcommand returns the program of a collector or of a writer, if the arguments name it.
func subcommand() (run func([]string) error, ok bool) {
	if len(os.Args) > 1 {
		run, ok = map[string]func([]string) error{"collect": collect, "write": serveWrites, "restore": restoreRoot}[os.Args[1]]
	}
	return run, ok
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "storefaults:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// settings are the flags of the command.
type settings struct {
	store  string
	seed   uint64
	rounds int
	only   string
	former string
	extent extent
}

// command runs the rounds of one store or of all.
func command(ctx context.Context, args []string, out io.Writer) error {
	var s settings
	flags := flag.NewFlagSet("storefaults", flag.ContinueOnError)
	flags.StringVar(&s.store, "store", "all", "sqlite, postgres, etcd or all")
	flags.Uint64Var(&s.seed, "seed", 1, "seed of the first round")
	flags.IntVar(&s.rounds, "rounds", 200, "number of rounds for each store")
	flags.StringVar(&s.only, "only", "", "the name of the only fault")
	flags.StringVar(&s.former, "former", "", "the path of this program, built from a former commit: it runs one more collector")
	flags.DurationVar(&s.extent.lasts, "for", 0, "duration of each round's faults; 0: a few faults")
	flags.IntVar(&s.extent.collectors, "collectors", 0, "number of collectors; 0: one or two, drawn by the seed")
	flags.IntVar(&s.extent.writers, "writers", 0, "number of users, each a process of its own in a round with -for; 0: three")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := s.extent.check(s.store); err != nil {
		return err
	}
	list := []string{s.store}
	if s.store == "all" {
		list = stores()
	}
	failed := 0
	for _, store := range list {
		t, err := s.runStore(ctx, store, out)
		if err != nil {
			return fmt.Errorf("%s: %w", store, err)
		}
		failed += t.failed
	}
	if failed > 0 {
		return fmt.Errorf("%d rounds failed", failed)
	}
	return nil
}

// perServer is the number of rounds after which a new server is started.
const perServer = 50

// runStore runs the rounds of a store, and prints a line for each.
func (s settings) runStore(ctx context.Context, store string, out io.Writer) (*totals, error) {
	t := &totals{counts: map[string]int{}, outcomes: map[judge.Outcome]int{}}
	for first := 0; first < s.rounds; first += perServer {
		if err := s.runSome(ctx, store, out, t, first, min(first+perServer, s.rounds)); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(out, "%s: %s\n", store, t)
	return t, nil
}

func (s settings) runSome(ctx context.Context, store string, out io.Writer, t *totals, first, end int) (err error) {
	place, err := newSite(ctx, store, s.extent.lasts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, place.close()) }()
	if err := s.checkOnly(place); err != nil {
		return err
	}
	for i := first; i < end; i++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.report(out, store, &round{site: place, seed: s.seed + uint64(i), only: s.only, former: s.former, extent: s.extent, out: out}, t)
	}
	return nil
}

func (s settings) checkOnly(place site) error {
	if s.only == killCollector || s.only == pauseCollector || s.only == killWriter && s.extent.lasts > 0 {
		return nil
	}
	_, err := only(s.extent.faults(place), s.only)
	return err
}

// report runs a round and prints its result. A round that cannot be judged has failed.
func (s settings) report(out io.Writer, store string, r *round, t *totals) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute+s.extent.lasts+s.extent.restWithin())
	defer cancel()
	res, err := r.run(ctx)
	t.rounds++
	switch {
	case err != nil:
		t.failed++
		fmt.Fprintf(out, "%s: seed %d: FAILED: %v\n", store, r.seed, err)
	default:
		t.add(res)
		fmt.Fprintf(out, "%s: seed %d: %d objects, %d changes, %s, rest %.1fs, %.1fs\n", store, r.seed, res.objects, res.changes,
			counted(res.counts), res.rest.Seconds(), time.Since(began).Seconds())
	}
	if err == nil && len(res.breaches) > 0 {
		t.failed++
		file := filepath.Join(os.TempDir(), fmt.Sprintf("storefaults-%s-%d.txt", store, r.seed))
		text := judge.Text(res.breaches)
		_ = os.WriteFile(file, []byte(text+"\n\n"+res.history()), 0o600) // the text is printed too
		fmt.Fprintf(out, "%s: seed %d: FAILED:\n%s\nhistory: %s\n", store, r.seed, text, file)
	}
	if err != nil || len(res.breaches) > 0 {
		again := fmt.Sprintf("go run . -store %s -seed %d -rounds 1", store, r.seed)
		if s.only != "" {
			again += " -only " + s.only
		}
		again += s.extent.arguments()
		fmt.Fprintln(out, "again:", again)
	}
}

// totals are the sums over rounds.
type totals struct {
	rounds, failed, objects, changes int
	breaches                         int
	counts                           map[string]int
	outcomes                         map[judge.Outcome]int
	rest                             []time.Duration
}

func (t *totals) add(r *result) {
	t.objects += r.objects
	t.changes += r.changes
	t.breaches += len(r.breaches)
	t.rest = append(t.rest, r.rest)
	for name, n := range r.counts {
		t.counts[name] += n
	}
	for o, n := range r.outcomes {
		t.outcomes[o] += n
	}
}

// String returns the sums in one line.
func (t *totals) String() string {
	outcomes := map[string]int{}
	for o, n := range t.outcomes {
		outcomes[o.String()] = n
	}
	text := fmt.Sprintf("%d rounds, %d failed; %d objects, %d changes; calls: %s; faults: %s", t.rounds, t.failed, t.objects, t.changes,
		counted(outcomes), counted(t.counts))
	if len(t.rest) > 0 {
		slices.Sort(t.rest)
		text += fmt.Sprintf("; rest: median %.1fs, longest %.1fs", t.rest[len(t.rest)/2].Seconds(), t.rest[len(t.rest)-1].Seconds())
	}
	text += fmt.Sprintf("; %d breaches", t.breaches)
	return text
}

func counted(m map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, m[name]))
	}
	return strings.Join(parts, ", ")
}
