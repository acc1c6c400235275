package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/recordcheck"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/lint"
	observe "github.com/ownergraph/ownergraph/lint/live"
	"github.com/spf13/cobra"
)

// extentFlags name the range of a pause.
type extentFlags struct {
	record      string
	all, global bool
	kind, scope string
	unchecked   bool
}

func (e *extentFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&e.record, "record", "", "name of the record of your program (Config.Record)")
	f.BoolVar(&e.all, "all", false, "everything")
	f.StringVar(&e.kind, "of-kind", "", "the objects of this kind")
	f.StringVar(&e.scope, "scope", "", "the objects of this scope")
	f.BoolVar(&e.global, "global", false, "the objects without a scope")
}

func (e *extentFlags) extent() (x engine.Extent, err error) {
	x = engine.Extent{All: e.all, Kind: graph.Kind(e.kind), InScope: e.global || e.scope != "", Scope: e.scope}
	chosen := 0
	for _, is := range []bool{e.all, e.kind != "", e.scope != "", e.global} {
		if is {
			chosen++
		}
	}
	switch {
	case chosen != 1:
		err = printing.UsageError("want one of --all, --of-kind, --scope and --global")
	case e.record == "":
		err = printing.UsageError("--record is missing: a pause reaches your program through its record")
	}
	return x, err
}

const recorded = `

The command changes the record of your program in the store (Config.Record). It does not speak
with the program. A collector that runs obeys within 10 s, and one that begins later obeys
before its first write. A program without that record goes on as before.`

func (a *app) pauseCommand() *cobra.Command {
	return a.extentCommand(&cobra.Command{
		Use:   "pause --store URL --record NAME (--all | --of-kind KIND | --scope SCOPE | --global)",
		Short: "Stop the writes of the collectors that share a record",
		Long: `Stop the writes and handlers of all collectors that share a record, for everything, a kind
or a scope, until "ownergraph resume".` + recorded + `

The command cannot tell when the last write is over. In your program, Pause returns then.

A record that no collector has, a kind that the store lacks and a scope without an object are
refused. A collector announces itself in its record when it begins. With --unchecked the command
pauses all the same, as before the first start of a collector.`,
		Example: `  ownergraph pause --store sqlite:app.db --record app --all
  ownergraph pause --store sqlite:app.db --record app --of-kind bucket`,
	}, func(ctx context.Context, c *ownergraph.Collector, x engine.Extent) (string, error) {
		_, err := c.Pause(ctx, x)
		return "paused", err
	})
}

func (a *app) resumeCommand() *cobra.Command {
	return a.extentCommand(&cobra.Command{
		Use:   "resume --store URL --record NAME (--all | --of-kind KIND | --scope SCOPE | --global)",
		Short: "End a pause",
		Long: `End a pause of the collectors that share a record. Other pauses stay, even if they cover
the same objects. A pause that the record does not have is an error.` + recorded,
		Example: `  ownergraph resume --store sqlite:app.db --record app --all`,
	}, func(ctx context.Context, c *ownergraph.Collector, x engine.Extent) (string, error) {
		return "resumed", c.Resume(ctx, x)
	})
}

// extentCommand completes a subcommand that changes the pauses of a record.
func (a *app) extentCommand(cmd *cobra.Command, do func(context.Context, *ownergraph.Collector, engine.Extent) (string, error)) *cobra.Command {
	var e extentFlags
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		x, err := e.extent()
		if err != nil {
			return err
		}
		cfg := ownergraph.Config{ObserveOnly: true, Record: e.record}
		return a.onRecord(cmd.Context(), cfg, func(ctx context.Context, c *ownergraph.Collector, s ownergraph.Store) error {
			if err := e.check(ctx, cmd.Name(), s, x); err != nil {
				return err
			}
			word, err := do(ctx, c, x)
			if err != nil {
				return err
			}
			return a.printer().Text(fmt.Sprintf("%s in record %q: %s\n", word, e.record, x))
		})
	}
	a.addLive(cmd)
	e.add(cmd)
	if cmd.Name() == "pause" {
		cmd.Flags().BoolVar(&e.unchecked, "unchecked", false, "pause also a record without a collector, and a scope without an object")
	}
	return cmd
}

const goOn = "To pause before the first start of a collector, or one of an older version, add --unchecked"

// check returns the fault of an extent that would change nothing. A pause may be older than the
// set of kinds, so it ends for any kind.
//
//test:by TestPauseOfNothing
func (e *extentFlags) check(ctx context.Context, verb string, s ownergraph.Store, x engine.Extent) error {
	if verb == "resume" {
		return recordcheck.Paused(ctx, s, e.record, x)
	}
	if err := knowsKind(ctx, s, x.Kind); err != nil || e.unchecked {
		return err
	}
	if err := recordcheck.Announced(ctx, s, e.record, goOn); err != nil {
		return err
	}
	return knowsScope(ctx, s, x)
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
			unlisted = append(unlisted, spell.Kind(k.Kind))
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
