package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/recordcheck"
)

// brakeFlags name the cascades in the record of a program.
type brakeFlags struct {
	record, uid string
	all         bool
}

func (b *brakeFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&b.record, "record", "", "answer for the brake of the collectors with this record: the name in Config.Record, or NAMESPACE/CONFIGMAP in a cluster")
	f.StringVar(&b.uid, "uid", "", "with --record, the cascade whose root has this UID")
	f.BoolVar(&b.all, "all", false, "with --record, every cascade that the brake holds")
	cmd.MarkFlagsMutuallyExclusive("uid", "all")
}

// listing reports whether the user asks for the held cascades, and answers for none.
func (b *brakeFlags) listing() bool { return b.uid == "" && !b.all }

// check returns the fault of a command line. Only some flags belong to an answer for the
// brake, and only some belong to one for a guard.
//
//test:by TestExitCodes
func (b *brakeFlags) check(cmd *cobra.Command, args []string, ofBrake, ofGuard []string) error {
	foreign, other := append(ofBrake, "uid", "all"), "--record"
	if b.record != "" {
		foreign, other = ofGuard, "OBJECT in place of --record"
	}
	for _, name := range foreign {
		if cmd.Flags().Changed(name) {
			return printing.UsageError(fmt.Sprintf("--%s belongs to %s", name, other))
		}
	}
	switch {
	case b.record == "" && len(args) == 0:
		return printing.UsageError("want OBJECT for a guard, or --record for a brake")
	case b.record != "" && len(args) > 0:
		return printing.UsageError("OBJECT and --record: want one of them")
	}
	return nil
}

// braking makes a collector take part in the brake of a record, with no limit of its own.
//
//test:by TestDeleteUnderBrake
func braking(record string) ownergraph.Config {
	return ownergraph.Config{Record: record, Brake: engine.Brake{PerCascade: math.MaxInt32}}
}

// onRecord opens the store, and calls do with a collector that has the record and does not
// run. So the command changes the record alone.
func (a *app) onRecord(ctx context.Context, cfg ownergraph.Config, do func(context.Context, *ownergraph.Collector, ownergraph.Store) error) error {
	name, namespace, err := a.recordName(cfg.Record)
	if err != nil {
		return err
	}
	cfg.Record = name
	ctx, cancel, err := a.patient(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	s, err := a.openLive(ctx, clientgo.Config{RecordNamespace: namespace})
	if err != nil {
		return err
	}
	defer s.close()
	if r, is := s.Store.(ownergraph.Records); is { // a collector tries a record again and again
		if _, err := r.ReadRecord(ctx, name); errors.Is(err, graph.ErrInvalid) {
			return printing.UsageError(fmt.Sprintf("--record: %v", err))
		}
	}
	c, err := ownergraph.New(s.Store, cfg)
	if err != nil {
		return err
	}
	return timely(ctx, recordcheck.Unrecorded(do(ctx, c, s.Store)))
}

// recordPrefix begins the name of each ConfigMap of a record.
const recordPrefix = "ownergraph-"

// recordName returns the record that --record names. In a cluster it is a ConfigMap in a namespace.
func (a *app) recordName(record string) (name, namespace string, err error) {
	from, err := a.liveOrigin()
	if err != nil || from == ofStore {
		return record, "", err
	}
	namespace, configMap, _ := strings.Cut(record, "/")
	name, ok := strings.CutPrefix(configMap, recordPrefix)
	if namespace == "" || !ok || name == "" || strings.Contains(name, "/") {
		return "", "", printing.UsageError(fmt.Sprintf("--record %q: want NAMESPACE/%sNAME", record, recordPrefix))
	}
	return name, namespace, nil
}

// answer answers for one cascade, or for all.
type answer struct {
	word string // "approved for 1h0m0s, at most 3 deletes each"
	one  func(context.Context, *ownergraph.Collector, graph.Key) error
	all  func(context.Context, *ownergraph.Collector) (int, error)
}

// answerBrake writes an answer for the cascades that the flags name to the record.
func (a *app) answerBrake(ctx context.Context, b *brakeFlags, with answer) error {
	return a.onRecord(ctx, braking(b.record), func(ctx context.Context, c *ownergraph.Collector, _ ownergraph.Store) (err error) {
		n := 1
		if b.all {
			n, err = with.all(ctx, c)
		} else {
			err = with.one(ctx, c, graph.Key{UID: graph.UID(b.uid)})
		}
		if err != nil {
			return err
		}
		return a.printer().Text(fmt.Sprintf("in record %q: %s %s\n", b.record, spell.Count(uint64(n), "cascade"), with.word))
	})
}

func approval(atMost int, during time.Duration) answer {
	grant := func() engine.BrakeApproval {
		return engine.BrakeApproval{Until: time.Now().Add(during), AtMost: atMost}
	}
	return answer{
		word: fmt.Sprintf("approved for %s, at most %s each", during, spell.Count(uint64(atMost), "delete")),
		one: func(ctx context.Context, c *ownergraph.Collector, k graph.Key) error {
			return c.ApproveCascade(ctx, k, grant())
		},
		all: func(ctx context.Context, c *ownergraph.Collector) (int, error) { return c.ApproveBraked(ctx, grant()) },
	}
}

func refusal(r engine.Refusal) answer {
	return answer{
		word: "refused: " + r.String(),
		one: func(ctx context.Context, c *ownergraph.Collector, k graph.Key) error {
			return c.RefuseCascade(ctx, k, r)
		},
		all: func(ctx context.Context, c *ownergraph.Collector) (int, error) { return c.RefuseBraked(ctx, r) },
	}
}

// listBraked writes the cascades that the record has. It returns printing.ErrFound if one of them
// has no answer. The record stays as it is.
//
//test:by TestBrake
func (a *app) listBraked(ctx context.Context, record string) error {
	cfg := braking(record)
	cfg.ObserveOnly = true
	return a.onRecord(ctx, cfg, func(ctx context.Context, c *ownergraph.Collector, _ ownergraph.Store) error {
		// Braked has the record once an answer has read it. This one is for no cascade.
		if err := c.RefuseCascade(ctx, graph.Key{}, engine.KeepHeld); err != nil && !errors.Is(err, ownergraph.ErrNotFound) {
			return err
		}
		text, found := "", error(nil)
		for _, b := range c.Braked(math.MaxInt) {
			name, state := b.Key.Text(), "refused: "+b.Refused.String()
			if b.Key == (graph.Key{UID: b.Key.UID}) {
				name = "objects with too many roots"
			}
			if b.Refused == engine.RefusalUnset {
				state, found = "held", printing.ErrFound
			}
			text += fmt.Sprintf("%s, uid %q: %s\n", name, string(b.Key.UID), state)
		}
		if text == "" {
			text = fmt.Sprintf("in record %q: no cascade is held\n", record)
		}
		if err := a.printer().Text(text); err != nil {
			return err
		}
		return found
	})
}
