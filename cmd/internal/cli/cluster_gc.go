package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"slices"

	"github.com/spf13/cobra"

	gc "github.com/ownergraph/ownergraph/adapters/clientgo/run"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/printing"
)

func (a *app) gcCommand() *cobra.Command {
	var config gc.Config
	var level slog.Level
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Run a collector for a cluster: it observes, or acts with --act",
		Long: `Run the collector of this library until an interrupt. Without --act it observes beside the
collector of the cluster, writes nothing, and prints each write that it would send. With --act
it patches and deletes by the rules, at most --brake objects of one cascade without an approval.
It works on the whole cluster, and refuses -n. With --act and --share auto, several of them divide the
objects, as members of the group that --share-group names.

The log goes to standard error. For a collector that always runs, use the manifests of
adapters/clientgo/run/deploy.`,
		Example: a.examples("gc --context dev", "gc --context dev --act --brake 100 --record kube-system/ownergraph-collector",
			"gc --context dev --act --share auto --share-group kube-system/ownergraph",
			"", "gc", "gc --act --brake 100 --record kube-system/ownergraph-collector",
			"gc --act --share auto --share-group kube-system/ownergraph"),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("namespace") {
				return printing.UsageError("gc has no -n: it collects in the whole cluster")
			}
			if a.name == Command && !a.cluster.Names() {
				return printing.UsageError("want a cluster with --context")
			}
			ctx, stop := live.Interruptible(cmd.Context())
			defer stop()
			config.Logger = slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: level}))
			return a.collect(ctx, config)
		},
	}
	own := flag.NewFlagSet("gc", flag.ContinueOnError)
	config.RegisterFlags(own)
	own.VisitAll(func(f *flag.Flag) {
		if !slices.Contains([]string{"pause", "resume", "approve", "refuse", "retire"}, f.Name) { // they have subcommands
			cmd.Flags().AddGoFlag(f)
		}
	})
	own.TextVar(&level, "log", slog.LevelInfo, "the lowest `level` to log")
	cmd.Flags().AddGoFlag(own.Lookup("log"))
	return cmd
}

// collect runs the collector until the context ends, and then returns nil.
//
//test:by TestGC
func (a *app) collect(ctx context.Context, config gc.Config) error {
	server, err := a.cluster.Config()
	if err != nil {
		return fmt.Errorf("read kubeconfig: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	printed := &printed{app: a, lines: make(chan string, maxLines), broken: cancel}
	ended := make(chan struct{})
	go func() { defer close(ended); printed.run() }()
	word := "would "
	if config.Act {
		word = ""
	}
	config.Engine.OnDecision = func(d engine.DecisionEvent) {
		if d.Action.Writes() {
			printed.add(fmt.Sprintf("%s%s %s: %s\n", word, d.Action, d.Key.Text(), d.Reason))
		}
	}
	err = gc.Run(ctx, server, config)
	close(printed.lines)
	<-ended
	return errors.Join(err, printed.err)
}

// maxLines bounds the lines that wait for standard output.
const maxLines = 4096

// printed writes lines in the background, because the engine waits for OnDecision. A slow
// output loses lines, and the log says so.
type printed struct {
	app    *app
	lines  chan string
	lost   bool // owned by the engine
	broken context.CancelFunc
	err    error // owned by run, until it ends
}

func (p *printed) add(line string) {
	select {
	case p.lines <- line:
	default:
		if !p.lost {
			p.lost = true
			fmt.Fprintln(p.app.stderr, "standard output is too slow: some decisions are not printed")
		}
	}
}

func (p *printed) run() {
	for line := range p.lines {
		if p.err != nil {
			continue
		}
		if _, err := fmt.Fprint(p.app.stdout, line); err != nil {
			p.err = err
			p.broken()
		}
	}
}
