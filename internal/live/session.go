package live

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/dump"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/internal/terminal"
)

// Store is the part of a store in memory that a Session needs.
type Store interface {
	Objects() []graph.Object
	Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error
	Patch(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error
}

// Session carries out deletions on a store in memory, and prints their results. The first
// five fields are set by the caller. It is not safe for concurrent use.
type Session struct {
	Store     Store
	Collector *ownergraph.Collector // of the store; it runs
	Reasons   *Reasons              // its Note is the collector's OnDecision
	Out       *terminal.Output
	Began     time.Time

	unlisted   Unlisted // of the dump
	containers containers

	mine  int    // requests of the user, who is this program
	acted int    // writes of the actors of containers
	held  []held // after the latest step
	all   []engine.Held
	now   []graph.Object // after the latest step, by key
}

// Play waits for the collector, carries out the deletions, and prints a summary.
//
// The error says "interrupted" if the context has ended.
func (s *Session) Play(ctx context.Context, c dump.Content, todo []Deletion) error {
	err := s.play(ctx, c, todo)
	if ctx.Err() != nil && err != nil {
		return fmt.Errorf("interrupted: %w", err)
	}
	return err
}

func (s *Session) play(ctx context.Context, c dump.Content, todo []Deletion) error {
	s.Out.Print(c.Summary() + "\n\n")
	first := byKey(c.Objects)
	s.now, s.unlisted, s.containers = first, c.Unlisted, newContainers(c.Kinds, first)
	if err := s.step(ctx, "start", nil); err != nil {
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
		if err := s.step(ctx, d.String(), &d); err != nil {
			return err
		}
		if p != nil {
			s.Out.Print(indent(compared(p, s.now)) + "\n")
		}
	}
	s.Out.Print(s.conclusion(first))
	return s.Out.Err()
}

// Delete deletes one object, as any user of the store does. The collector observes it
// through the store's watch and does the rest.
func (s *Session) Delete(ctx context.Context, key graph.Key, p graph.Propagation) error {
	return s.Store.Delete(ctx, key, graph.DeleteOptions{
		Precondition: graph.Precondition{UID: key.UID}, // this object, and no later one of its name
		Propagation:  p,
	})
}

// WaitIdle waits until no work is left, also of the actors of containers, which it does. It returns
// the held objects. They wait for an action outside of the engine.
func (s *Session) WaitIdle(ctx context.Context) ([]engine.Held, error) {
	for {
		if _, err := s.Collector.WaitIdle(ctx); err != nil {
			return nil, err
		}
		n, err := s.act(ctx)
		s.acted += n
		switch {
		case err != nil:
			return nil, err
		case n == 0:
			return s.idle(), nil
		}
	}
}

func (s *Session) idle() []engine.Held {
	held := s.Collector.Held(math.MaxInt) // WaitIdle returns the first 1,000
	return s.unlisted.reword(held, byKey(s.Store.Objects()))
}

// Held returns the held objects after the latest deletion.
func (s *Session) Held() []engine.Held { return s.all }

// HeldOf returns the held objects that the deletions are about: their own objects, and those
// below them in before. The dependents of an orphan deletion are not, unless its object is a
// container. Without a deletion it
// returns all held objects.
//
//test:by TestHeldOf
func (s *Session) HeldOf(before []graph.Object, todo []Deletion) (list []engine.Held) {
	asked := map[graph.Key]bool{}
	for _, d := range todo {
		asked[d.Key] = true
		if d.Propagation == graph.Orphan && !s.containers.is(d.Key) {
			continue
		}
		for _, i := range s.containers.below(before, d.Key) {
			asked[before[i].Key] = true
		}
	}
	for _, h := range s.all {
		if len(todo) == 0 || asked[h.Key] {
			list = append(list, h)
		}
	}
	return list
}

// step carries out d, if not nil, waits for its cascade, and prints the changes since the
// step before. The store is at rest between two steps.
func (s *Session) step(ctx context.Context, label string, d *Deletion) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	began := time.Now()
	var base engine.Stats // at the start the collector already works
	limit := 0            // no limit is known
	if d != nil {
		limit = d.maxGone(&s.containers, s.now)
		base = s.Collector.Stats()
		s.mine++
		if err := s.Delete(ctx, d.Key, d.Propagation); err != nil {
			return s.explainDelete(d.Key, err)
		}
	}
	all, err := Watch(ctx, s.Out, began, s.WaitIdle, func() terminal.Progress {
		p := Since(base, s.Collector.Stats())
		p.Label = label
		if limit > 0 {
			p.Known, p.Total = uint64(limit), terminal.AtMost
		}
		return p
	})
	if err != nil {
		return err
	}
	s.all = all
	s.Out.Print(indent(s.changes(all, d)) + "\n")
	return s.Out.Err()
}

// explainDelete adds the reason if the object has gone before, by the collector or by an actor.
func (s *Session) explainDelete(key graph.Key, err error) error {
	if why := s.Reasons.Of(key); why != "" && errors.Is(err, graph.ErrNotFound) {
		return fmt.Errorf("delete %s: %w: it has gone before: %s", key.Text(), graph.ErrNotFound, why)
	}
	return err
}

// changes reports the changes of a step and the newly held objects. It includes the
// step's own object if that is held.
func (s *Session) changes(all []engine.Held, d *Deletion) string {
	f := findings{before: s.now, after: byKey(s.Store.Objects()), why: s.Reasons.Of}
	s.now = f.after
	if d != nil {
		f.user = d.Key
	}
	now := explainAll(all)
	f.held = newHeld(now, s.held, f.user)
	f.heldBefore = countHeld(now) - countHeld(f.held)
	s.held = now
	return f.String()
}

// conclusion reports the changes since the start, the held objects, and the requests.
func (s *Session) conclusion(first []graph.Object) string {
	f := findings{before: first, after: s.now, held: s.held}
	stats := s.Collector.Stats()
	var out strings.Builder
	out.WriteString("at the end\n")
	out.WriteString(indent(f.String()))
	out.WriteString(indent(finalizers(f.after)))
	fmt.Fprintf(&out, "  requests: %d of the user; of the collector %s, %s, %s, %s\n", s.mine, spell.Count(stats.Calls.Of(engine.CallRead), "read"),
		spell.Count(stats.Calls.Of(engine.CallDelete), "delete"), spell.Count(stats.Calls.Of(engine.CallPatch), "patch"), spell.Count(stats.Calls.Of(engine.CallFence), "fence"))
	if s.acted > 0 {
		fmt.Fprintf(&out, "  of the actors of containers: %s\n", spell.Count(uint64(s.acted), "write"))
	}
	fmt.Fprintf(&out, "  time: %s\n", terminal.Round(time.Since(s.Began)))
	return out.String()
}
