package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// session plays deletions and prints what comes of each.
type session struct {
	*embedded
	out   *console
	why   *reasons
	began time.Time
	mine  int    // requests of the user, which is us
	held  []held // as the latest step left it
}

// play lets the collector settle, plays the deletions, and sums up.
func (s *session) play(ctx context.Context, c cluster, todo []deletion) error {
	s.out.print(c.summary() + "\n\n")
	if err := s.step(ctx, c.objects, "start", nil); err != nil {
		return err
	}
	for i, d := range todo {
		before := s.store.Objects()
		if drawn := tree(before, d.key, mostAhead); i == 0 && drawn != "" {
			s.out.print(drawn + "\n")
		}
		if err := s.step(ctx, before, d.String(), &d); err != nil {
			return err
		}
	}
	s.out.print(s.conclusion(c.objects))
	return s.out.err
}

// step does d, if not nil, waits until everything that follows from it is done,
// and prints what changed since before.
func (s *session) step(ctx context.Context, before []graph.Object, label string, d *deletion) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p := newProgress(s.out, s.out.live, label, time.Now())
	var base ownergraph.Stats // at the start the collector is at work already
	most := 0
	if d != nil {
		most = d.takes(before)
		base = s.collector.Stats()
		s.mine++
		if err := s.delete(ctx, d.key, d.propagation); err != nil {
			return s.explainDelete(d.key, err)
		}
	}
	holds, err := watchProgress(ctx, p, s.settle, func() counts {
		c := since(base, s.collector.Stats())
		c.most = most
		return c
	})
	if err != nil {
		return err
	}
	s.out.print(indent(s.changes(before, holds, d)) + "\n")
	return s.out.err
}

// takes returns how many objects the deletion takes along at most, its own among
// them: all that is below it, or itself alone where it orphans its dependents.
func (d deletion) takes(objects []graph.Object) int {
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

// explainDelete says more where the object is gone since the start.
func (s *session) explainDelete(key graph.Key, err error) error {
	if why := s.why.of(key); why != "" && errors.Is(err, graph.ErrNotFound) {
		return fmt.Errorf("delete %s: %w: the collector has deleted it at the start: %s", spell(key), graph.ErrNotFound, why)
	}
	return err
}

// changes reports what a step changed, what is held since, and its own object if
// that is held.
func (s *session) changes(before []graph.Object, holds []ownergraph.Held, d *deletion) string {
	f := findings{before: byKey(before), after: byKey(s.store.Objects()), why: s.why.of}
	if d != nil {
		f.user = d.key
	}
	now := explainAll(holds)
	f.held = news(now, s.held, f.user)
	s.held = now
	return f.String()
}

// conclusion reports what changed since the start, what is held, and what all
// of it took.
func (s *session) conclusion(before []graph.Object) string {
	f := findings{before: byKey(before), after: byKey(s.store.Objects()), held: s.held}
	stats := s.collector.Stats()
	var out strings.Builder
	out.WriteString("in the end\n")
	out.WriteString(indent(f.String()))
	out.WriteString(indent(finalizers(f.after)))
	fmt.Fprintf(&out, "  requests: %d of the user; of the collector %s, %s, %s, %s\n", s.mine, numbered(stats.Reads, "read"),
		numbered(stats.Deletes, "delete"), numbered(stats.Patches, "patch"), numbered(stats.FenceCalls, "fence"))
	fmt.Fprintf(&out, "  time: %s\n", roundTime(time.Since(s.began)))
	return out.String()
}
