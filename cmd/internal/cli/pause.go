package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/lint"
	observe "github.com/ownergraph/ownergraph/lint/live"
	"github.com/ownergraph/ownergraph/recordcheck"
)

// extentFlags name the range of a pause.
type extentFlags struct {
	record      string
	all, global bool
	kind, scope string
	unchecked   bool
	resume      bool
}

func (e *extentFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&e.record, "record", "", "the record of the collectors: the name in Config.Record, or NAMESPACE/CONFIGMAP in a cluster")
	f.BoolVar(&e.all, "all", false, "everything; -A is the same")
	f.StringVar(&e.kind, "of-kind", "", "the objects of this kind; --type is the same")
	f.StringVar(&e.kind, "type", "", "the objects of this type")
	f.StringVar(&e.scope, "scope", "", "the objects of this scope; -n is the same")
	f.BoolVar(&e.global, "global", false, "the objects without a scope")
	_ = f.MarkHidden("type")
	cmd.MarkFlagsMutuallyExclusive("of-kind", "type")
}

// extent returns the range of a pause. A namespace counts only if the user types it.
//
//test:by TestExitCodes TestPluginExitCodes
func (a *app) extent(cmd *cobra.Command, e *extentFlags) (x engine.Extent, err error) {
	named := cmd.Flags().Changed("namespace")
	if named && e.scope == "" {
		e.scope = a.scope()
	}
	e.all = e.all || a.everywhere
	chosen := 0
	for _, is := range []bool{e.all, e.kind != "", e.scope != "" || named, e.global} {
		if is {
			chosen++
		}
	}
	switch {
	case e.record == "":
		return x, printing.UsageError("--record is missing: a pause reaches a collector through its record")
	case chosen != 1:
		return x, printing.UsageError("want one of --all or -A, --of-kind, --scope or -n, and --global")
	case named && e.scope == "": // as an extent, it has the objects without a namespace
		return x, printing.UsageError("-n: the namespace is empty: want a name, or --global")
	}
	x = engine.Extent{All: e.all, Kind: graph.Kind(e.kind), InScope: e.global || e.scope != "", Scope: e.scope}
	if from, err := a.liveOrigin(); err != nil || from == ofStore || e.kind == "" {
		return x, err
	}
	mapper, err := a.cluster.Mapper()
	if err != nil {
		return x, fmt.Errorf("read kubeconfig: %w", err)
	}
	m, err := mappingOf(mapper, e.kind)
	if err != nil {
		return x, a.doubtful(err)
	}
	x.Kind = kindOf(m.GroupVersionKind.GroupKind())
	return x, nil
}

const recorded = `

The command changes the record of the collectors in the store or the cluster: the one that
Config.Record names, or the ConfigMap of the flag -record. It does not speak with a program. A
collector that runs obeys within 10 s, and one that begins later obeys before its first write. A
program without that record goes on as before, and so does the collector of kube-controller-manager.`

func (a *app) pauseCommand() *cobra.Command {
	return a.extentCommand(&cobra.Command{
		Use:   "pause --record NAME (-A | --of-kind KIND | -n SCOPE | --global)",
		Short: "Stop the writes of the collectors that share a record",
		Long: `Stop the writes and handlers of all collectors that share a record, for everything, a kind
or a scope, until "resume". --resume ends the pause, too.` + recorded + `

The command cannot tell when the last write is over. In a program, Pause returns then.

A record that no collector has, a kind that the store lacks, and a scope without an object or a
namespace that does not exist are refused. A collector announces itself in its record when it
begins. With --unchecked the command pauses all the same, as before the first start of a collector.`,
		Example: a.examples("pause --store sqlite:app.db --record app --all", "pause --store sqlite:app.db --record app --of-kind bucket",
			"", "pause --record kube-system/ownergraph-collector -A", "pause --record kube-system/ownergraph-collector -n shop --resume"),
	})
}

func (a *app) resumeCommand() *cobra.Command {
	return a.extentCommand(&cobra.Command{
		Use:   "resume --record NAME (-A | --of-kind KIND | -n SCOPE | --global)",
		Short: "End a pause",
		Long: `End a pause of the collectors that share a record. Other pauses stay, even if they cover
the same objects. A pause that the record does not have is an error.` + recorded,
		Example: a.examples("resume --store sqlite:app.db --record app --all", "", "resume --record kube-system/ownergraph-collector -n shop"),
	})
}

// extentCommand completes a subcommand that changes the pauses of a record.
func (a *app) extentCommand(cmd *cobra.Command) *cobra.Command {
	e := extentFlags{resume: cmd.Name() == "resume"}
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if _, err := a.liveOrigin(); err != nil {
			return err
		}
		x, err := a.extent(cmd, &e)
		if err != nil {
			return err
		}
		cfg := ownergraph.Config{ObserveOnly: true, Record: e.record}
		return a.onRecord(cmd.Context(), cfg, func(ctx context.Context, c *ownergraph.Collector, s ownergraph.Store) error {
			return a.changePause(ctx, &e, x, c, s)
		})
	}
	a.addLive(cmd)
	a.addEverywhere(cmd)
	e.add(cmd)
	if !e.resume {
		cmd.Flags().BoolVar(&e.resume, "resume", false, "end the pause")
		cmd.Flags().BoolVar(&e.unchecked, "unchecked", false, "pause also a record without a collector, and a scope without an object")
	}
	return cmd
}

func (a *app) changePause(ctx context.Context, e *extentFlags, x engine.Extent, c *ownergraph.Collector, s ownergraph.Store) error {
	name, namespace, err := a.recordName(e.record)
	if err == nil {
		err = e.check(ctx, s, name, x, namespace != "")
	}
	if err != nil {
		return err
	}
	word := "paused"
	if e.resume {
		word, err = "resumed", c.Resume(ctx, x)
	} else {
		_, err = c.Pause(ctx, x)
	}
	if err != nil {
		return err
	}
	return a.printer().Text(fmt.Sprintf("%s in record %q: %s\n", word, e.record, x))
}

const goOn = "To pause before the first start of a collector, or one of an older version, add --unchecked"

// check returns the fault of a pause that would stop nothing, or of the end of one that is not there.
// A pause may be older than the set of kinds, so it ends for any kind.
//
//test:by TestPauseOfNothing TestPluginPauseOfNothing
func (e *extentFlags) check(ctx context.Context, s ownergraph.Store, record string, x engine.Extent, inCluster bool) error {
	if e.resume {
		return recordcheck.Paused(ctx, s, record, x)
	}
	if !inCluster {
		if err := knowsKind(ctx, s, x.Kind); err != nil {
			return err
		}
	}
	if e.unchecked {
		return nil
	}
	if err := recordcheck.Announced(ctx, s, record, goOn); err != nil {
		return err
	}
	if inCluster {
		return knowsNamespace(ctx, s, x.Scope)
	}
	return knowsScope(ctx, s, x)
}

// knowsNamespace returns an error if a namespace does not exist. One that the user may not read counts
// as one that exists.
//
//test:by TestPluginPauseOfNothing
func knowsNamespace(ctx context.Context, s ownergraph.Store, name string) error {
	if name == "" {
		return nil
	}
	_, err := s.Get(ctx, graph.Key{Kind: namespaceKind, Name: name})
	if errors.Is(err, graph.ErrNotFound) {
		return fmt.Errorf("-n %s: no such namespace. To pause all the same, add --unchecked", spell.Clip(name))
	}
	return nil
}

// knowsScope returns an error if the store shows no object in the scope of a pause.
//
//test:by TestPauseOfNothing
func knowsScope(ctx context.Context, s ownergraph.Store, x engine.Extent) error {
	if !x.InScope {
		return nil
	}
	in, err := observe.Observe(ctx, s)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(in.Objects, func(o lint.Object) bool { return o.Scope == x.Scope }) {
		return nil
	}
	var unlisted []string
	for _, k := range in.Kinds {
		if !k.Listed {
			unlisted = append(unlisted, k.Kind.Text())
		}
	}
	but := ""
	if len(unlisted) > 0 {
		but = ", and not all kinds could be listed: " + spell.Some(unlisted)
	}
	if x.Scope == "" {
		return fmt.Errorf("--global: the store has no object without a scope%s. To pause all the same, add --unchecked", but)
	}
	return fmt.Errorf("--scope %q: the store has no object in this scope%s. To pause all the same, add --unchecked", x.Scope, but)
}

// knowsKind returns an error if the store has no such kind: a pause of a misspelt kind would
// stop nothing.
//
//test:by TestPause
func knowsKind(ctx context.Context, s ownergraph.Store, kind graph.Kind) error {
	if kind == "" {
		return nil
	}
	known := errors.New("the kinds are known")
	var kinds []string
	err := s.Watch(ctx, func(batch []graph.Event) error {
		for _, e := range batch {
			if e.Type == graph.KindsKnown {
				for _, k := range e.Kinds {
					kinds = append(kinds, string(k.Kind))
				}
				return known
			}
		}
		return nil
	})
	slices.Sort(kinds)
	switch {
	case !errors.Is(err, known):
		return fmt.Errorf("read the kinds of the store: %w", err)
	case !slices.Contains(kinds, string(kind)):
		return fmt.Errorf("--of-kind %q: the store has no such kind: want one of %s", string(kind), spell.Some(kinds))
	}
	return nil
}
