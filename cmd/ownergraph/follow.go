package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/internal/terminal"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/spf13/cobra"
)

func (a *app) followCommand() *cobra.Command {
	var w waitFlags
	cmd := &cobra.Command{
		Use:   "follow OBJECT --store URL",
		Short: "Watch a deletion in a live store",
		Long: `Watch the deletion of an object in a live store, until the object and everything below it
are gone. The command only observes: the collector of your program does the work. An object
that has no deletion mark yet is waited for, as long as --patience allows.

Exit code 3: objects are held, or nothing has changed for the time of --patience.`,
		Example: `  ownergraph follow --store sqlite:app.db tenant/blue
  ownergraph follow --store etcd://127.0.0.1:2379 --global-kind team --kind project team/red --patience 5m`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := live.Interruptible(cmd.Context())
			defer stop()
			return a.onStore(ctx, args, nil, func(ctx context.Context, s *site) error {
				return s.follow(ctx, s.objects[0].Key, w.patience)
			})
		},
	}
	a.addLive(cmd)
	w.add(cmd)
	return cmd
}

// report is one result of Collector.Follow.
type report struct {
	ownergraph.Progress
	err error
}

func (s *site) reports(ctx context.Context, key graph.Key) <-chan report {
	out := make(chan report)
	go func() {
		for p, err := range s.Follow(ctx, key) {
			select {
			case out <- report{p, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// showEvery is the time between two looks at the progress. The line shows some of them.
const showEvery = 100 * time.Millisecond

// follow shows the progress of a deletion until its end, or until nothing has changed for
// some time. Then it lists the held objects, and returns errFound.
//
// Held by TestFollow and TestFollowHeld.
func (s *site) follow(ctx context.Context, key graph.Key, patience time.Duration) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	reports := s.reports(ctx, key)
	line := terminal.New(s.app.stdout).Line(time.Now())
	quiet, tick := time.NewTimer(patience), time.NewTicker(showEvery)
	defer quiet.Stop()
	defer tick.Stop()
	var last report
	for heard := false; ; {
		select {
		case r := <-reports:
			if r.err != nil {
				return r.err
			}
			if r.Done {
				return line.End(shown(key, r.Progress))
			}
			if !sameState(r.Progress, last.Progress) {
				quiet.Reset(patience)
			}
			last, heard = r, true
		case at := <-tick.C:
			if now := shown(key, last.Progress); heard {
				now.Held = 0 // a waiting object need not be held at the end
				line.Update(at, now)
			}
		case <-quiet.C:
			if err := line.End(shown(key, last.Progress)); err != nil {
				return err
			}
			return s.unfinished(last.Progress, patience)
		case <-ctx.Done():
			return fmt.Errorf("interrupted: %w", context.Cause(ctx))
		}
	}
}

// sameState reports whether two reports have the same counts of objects.
func sameState(a, b ownergraph.Progress) bool {
	return a.Begun == b.Begun && a.Gone == b.Gone && a.Left == b.Left && a.Held == b.Held
}

// shown returns the line for a progress.
func shown(key graph.Key, p ownergraph.Progress) terminal.Progress {
	total := terminal.Exact
	if p.Growing {
		total = terminal.AtLeast
	}
	return terminal.Progress{
		Label: "delete " + spell.Key(key), Known: uint64(p.Known), Total: total, Gone: uint64(p.Gone), Left: uint64(p.Left), Held: uint64(p.Held),
		Reads: p.Reads, Writes: p.Writes, Fences: p.Fences, Rate: p.Rate, Elapsed: time.Since(p.Since),
	}
}

// unfinished says why a deletion has not ended.
func (s *site) unfinished(p ownergraph.Progress, patience time.Duration) error {
	held := s.heldNow(p.By)
	switch {
	case !p.Begun:
		s.note("the object has no deletion mark, and nothing has changed for %s", patience)
	case len(held) == 0:
		s.note("nothing has changed for %s, and objects wait for a collector: does one run on the store?", patience)
	default:
		s.note("nothing has changed for %s. Held:", patience)
		for _, h := range held {
			s.note("  %s: %s", spell.Key(h.Key), live.Explain(h))
		}
		if more := p.Held - len(held); more > 0 {
			s.note("  ... and %d more", more)
		}
	}
	return errFound
}

// heldNow returns those of the objects that are held now, with their present reasons. An
// object that only waits for the write of another collector does not count.
func (s *site) heldNow(by []ownergraph.Held) (list []ownergraph.Held) {
	of := s.Collector
	if s.acting != nil {
		of = s.acting // it knows the pauses of the record
	}
	now := make(map[graph.Key]ownergraph.Held)
	for _, h := range of.Held(math.MaxInt) {
		now[h.Key] = h
	}
	for _, h := range by {
		if h, is := now[h.Key]; is && h.Reason != policy.ObserveOnly {
			list = append(list, h)
		}
	}
	return list
}
