package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/recordcheck"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/spf13/cobra"
)

func (a *app) pauseCommand() *cobra.Command {
	var record, typ string
	var resume, global, unchecked bool
	cmd := &cobra.Command{
		Use:   "pause --record NAMESPACE/CONFIGMAP (-A | -n NAMESPACE | --type TYPE | --global)",
		Short: "Stop the writes of the collectors that share a record, or resume them",
		Long: `Stop the writes and handlers of all collectors of this library that share a record: for
everything, a namespace, a type, or the objects without a namespace. --resume ends such a pause.
Other pauses stay, even if they cover the same objects.

The record is the ConfigMap of their flag -record. A collector that runs obeys within 10 s, and
one that begins later obeys before its first write. The garbage collector of
kube-controller-manager does not obey.

A record that no collector has and a namespace that does not exist are refused. A collector
announces itself in its record when it begins. With --unchecked the command pauses all the same,
as before the first start of a collector. A pause that the record does not have has no end.`,
		Example: `  kubectl ownergraph pause --record kube-system/ownergraph-collector -A
  kubectl ownergraph pause --record kube-system/ownergraph-collector -n shop --resume`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			x, err := a.extent(cmd, typ, global)
			if err != nil {
				return err
			}
			if record == "" {
				return printing.UsageError("--record is missing: a pause reaches a collector through its record")
			}
			return a.onRecord(cmd.Context(), record, func(ctx context.Context, c *ownergraph.Collector, s ownergraph.Store) error {
				word := "paused"
				if err := checkPause(ctx, s, record, x, resume, unchecked); err != nil {
					return err
				}
				var err error
				if resume {
					word, err = "resumed", c.Resume(ctx, x)
				} else {
					_, err = c.Pause(ctx, x)
				}
				if err != nil {
					return err
				}
				return a.printer().Text(fmt.Sprintf("%s in record %s: %s\n", word, record, x))
			})
		},
	}
	a.addEverywhere(cmd)
	f := cmd.Flags()
	f.StringVar(&record, "record", "", "the ConfigMap of the collectors, such as kube-system/ownergraph-collector")
	f.StringVar(&typ, "type", "", "the objects of this type")
	f.BoolVar(&global, "global", false, "the objects without a namespace")
	f.BoolVar(&resume, "resume", false, "end the pause")
	f.BoolVar(&unchecked, "unchecked", false, "pause also a record without a collector, and a namespace that does not exist")
	return cmd
}

// checkPause returns the fault of a pause that would stop nothing, or of the end of one that is not
// there. A namespace that the user may not read counts as one that exists.
//
//test:by TestPauseOfNothing
func checkPause(ctx context.Context, s ownergraph.Store, record string, x engine.Extent, resume, unchecked bool) error {
	_, name, _ := strings.Cut(record, "/"+recordPrefix)
	switch {
	case resume:
		return recordcheck.Paused(ctx, s, name, x)
	case unchecked:
		return nil
	}
	if err := recordcheck.Announced(ctx, s, name, "To pause before the first start of a collector, or one of an older version, add --unchecked"); err != nil || x.Scope == "" {
		return err
	}
	_, err := s.Get(ctx, graph.Key{Kind: namespaceKind, Name: x.Scope})
	if errors.Is(err, graph.ErrNotFound) {
		return fmt.Errorf("-n %s: no such namespace. To pause all the same, add --unchecked", spell.Clip(x.Scope))
	}
	return nil
}

// extent returns the range of a pause. The namespace counts only if the user types it.
func (a *app) extent(cmd *cobra.Command, typ string, global bool) (x engine.Extent, err error) {
	named := cmd.Flags().Changed("namespace")
	chosen := 0
	for _, is := range []bool{a.everywhere, named, typ != "", global} {
		if is {
			chosen++
		}
	}
	switch {
	case chosen != 1:
		return x, printing.UsageError("want one of -A, -n, --type and --global")
	case named && *a.cluster.Namespace == "": // as an extent, it has the objects without a namespace
		return x, printing.UsageError("-n: the namespace is empty: want a name, or --global")
	}
	x = engine.Extent{All: a.everywhere, InScope: named || global}
	if named {
		x.Scope = *a.cluster.Namespace
	}
	if typ == "" {
		return x, nil
	}
	mapper, err := a.cluster.ToRESTMapper()
	if err != nil {
		return x, fmt.Errorf("read kubeconfig: %w", err)
	}
	m, err := mappingOf(mapper, typ)
	if err != nil {
		return x, a.doubtful(err)
	}
	x.Kind = kindOf(m.GroupVersionKind.GroupKind())
	return x, nil
}

// recordPrefix begins the name of each ConfigMap of a record.
const recordPrefix = "ownergraph-"

// onRecord calls do with a collector that has the record and does not run. It has no brake
// of its own.
func (a *app) onRecord(ctx context.Context, record string, do func(context.Context, *ownergraph.Collector, ownergraph.Store) error) error {
	namespace, configMap, _ := strings.Cut(record, "/")
	name, ok := strings.CutPrefix(configMap, recordPrefix)
	if namespace == "" || !ok || name == "" || strings.Contains(name, "/") {
		return printing.UsageError(fmt.Sprintf("--record %q: want NAMESPACE/%sNAME", record, recordPrefix))
	}
	store, _, err := a.open(clientgo.Config{RecordNamespace: namespace})
	if err != nil {
		return err
	}
	ctx, cancel, err := a.deadline(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	c, err := ownergraph.New(store, ownergraph.Config{ObserveOnly: false, Record: name, Brake: engine.Brake{PerCascade: math.MaxInt32}})
	if err != nil {
		return err
	}
	if err := do(ctx, c, store); err != nil {
		return caused(ctx, recordcheck.Unrecorded(err))
	}
	return nil
}
