package sim

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/probe"
)

const (
	maxCallers = 3 // wait for one engine at once
	maxKinds   = 8 // of a world, with those that join
)

// joined returns the kind that joins as the i-th of a world.
func joined(i int) graph.KindInfo {
	return graph.KindInfo{Kind: graph.Kind(fmt.Sprint("j", i)), Scoped: i%2 == 1}
}

// beginWait lets a caller begin to wait for an engine, as Collector.WaitIdle does.
func (s *sim) beginWait(side int) {
	if len(s.callers[side]) < maxCallers {
		s.noteWait(side)
		s.callers[side] = append(s.callers[side], probe.BeginWait(s.w.Sides[side].Engine, s.w.Now))
	}
}

// endWaits removes the callers whose wait is over.
func (s *sim) endWaits() {
	for i, side := range s.w.Sides {
		s.callers[i] = slices.DeleteFunc(s.callers[i], func(at seq.Stamp) bool { return probe.TryEndWait(side.Engine, at) })
	}
}

// checkWaits checks that no caller waits for a world at rest.
func (s *sim) checkWaits() error {
	for i, waits := range s.callers {
		if len(waits) > 0 {
			return fmt.Errorf("L14: engine %d is at rest, and %d callers of WaitIdle still wait for it", i, len(waits))
		}
	}
	return nil
}

// join serves a kind that the world did not have, with places for two objects of it.
func (s *sim) join() error {
	n := len(s.w.Kinds)
	if n >= maxKinds {
		return nil
	}
	info := joined(n)
	if !s.o.has(sweeps) {
		for _, name := range []string{"x", "y"} {
			k := graph.Key{Kind: info.Kind, Name: name, UID: graph.UID(fmt.Sprint(info.Kind, "/", name))}
			if info.Scoped {
				k.Scope = "s"
			}
			s.pool = append(s.pool, k)
		}
	}
	s.served[n] = s.at
	return s.w.Serve(info)
}

// hasKinds reports whether the world has the kinds that a step names. A shorter history
// may have left out the step at which a kind joined.
func (s *sim) hasKinds(st step) bool {
	if int(st.kind) >= len(s.w.Kinds) {
		return false
	}
	return st.action == nil || st.action.Object.Kind == "" ||
		slices.ContainsFunc(s.w.Kinds, func(i graph.KindInfo) bool { return i.Kind == st.action.Object.Kind })
}
