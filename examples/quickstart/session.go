package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/terminal"
)

// session carries out deletions and prints their results.
type session struct {
	*embedded
	out   *terminal.Output
	why   *reasons
	began time.Time
	mine  int    // requests of the user, who is this program
	held  []held // after the latest step
}

// play waits for the collector, carries out the deletions, and prints a summary.
func (s *session) play(ctx context.Context, c cluster, todo []deletion) error {
	s.out.Print(c.summary() + "\n\n")
	if err := s.step(ctx, c.objects, "start", nil); err != nil {
		return err
	}
	for i, d := range todo {
		p, err := s.forecast(ctx, d)
		if err != nil {
			return err
		}
		if p != nil {
			s.preview(p, i == 0)
		}
		if err := s.step(ctx, s.store.Objects(), d.String(), &d); err != nil {
			return err
		}
		if p != nil {
			s.out.Print(indent(compared(p, s.store.Objects())) + "\n")
		}
	}
	s.out.Print(s.conclusion(c.objects))
	return s.out.Err()
}

// step carries out d, if not nil, waits for its cascade, and prints the changes since
// before.
func (s *session) step(ctx context.Context, before []graph.Object, label string, d *deletion) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	began := time.Now()
	var base ownergraph.Stats // at the start the collector already works
	limit := 0                // no limit is known
	if d != nil {
		limit = d.maxGone(before)
		base = s.collector.Stats()
		s.mine++
		if err := s.delete(ctx, d.key, d.propagation); err != nil {
			return s.explainDelete(d.key, err)
		}
	}
	holds, err := watchProgress(ctx, s.out, began, s.waitIdle, func() terminal.Progress {
		p := since(base, s.collector.Stats())
		p.Label = label
		if limit > 0 {
			p.Known, p.Total = uint64(limit), terminal.AtMost
		}
		return p
	})
	if err != nil {
		return err
	}
	s.out.Print(indent(s.changes(before, holds, d)) + "\n")
	return s.out.Err()
}

// maxGone returns the maximum number of objects that the deletion removes, including
// its own object. It counts all objects below it. An orphan deletion removes only its
// own object.
func (d deletion) maxGone(objects []graph.Object) int {
	f := newForest(objects)
	start := f.find(d.key)
	switch {
	case start < 0:
		return 0
	case d.propagation == graph.Orphan:
		return 1
	}
	return len(f.reach(start))
}

// explainDelete adds the reason if the collector deleted the object at the start.
func (s *session) explainDelete(key graph.Key, err error) error {
	if why := s.why.of(key); why != "" && errors.Is(err, graph.ErrNotFound) {
		return fmt.Errorf("delete %s: %w: the collector has deleted it at the start: %s", spell(key), graph.ErrNotFound, why)
	}
	return err
}

// changes reports the changes of a step and the newly held objects. It includes the
// step's own object if that is held.
func (s *session) changes(before []graph.Object, holds []ownergraph.Held, d *deletion) string {
	f := findings{before: byKey(before), after: byKey(s.store.Objects()), why: s.why.of}
	if d != nil {
		f.user = d.key
	}
	now := explainAll(holds)
	f.held = newHeld(now, s.held, f.user)
	s.held = now
	return f.String()
}

// conclusion reports the changes since the start, the held objects, and the requests.
func (s *session) conclusion(before []graph.Object) string {
	f := findings{before: byKey(before), after: byKey(s.store.Objects()), held: s.held}
	stats := s.collector.Stats()
	var out strings.Builder
	out.WriteString("at the end\n")
	out.WriteString(indent(f.String()))
	out.WriteString(indent(finalizers(f.after)))
	fmt.Fprintf(&out, "  requests: %d of the user; of the collector %s, %s, %s, %s\n", s.mine, numbered(stats.Calls[ownergraph.CallRead], "read"),
		numbered(stats.Calls[ownergraph.CallDelete], "delete"), numbered(stats.Calls[ownergraph.CallPatch], "patch"), numbered(stats.Calls[ownergraph.CallFence], "fence"))
	fmt.Fprintf(&out, "  time: %s\n", terminal.Round(time.Since(s.began)))
	return out.String()
}
