package properties

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// calm ends all faults and runs the world until it is at rest. It also passes the
// longest time after which an engine retries. Late writes come at the very end, long
// after their engines.
func (h *history) calm() error {
	for _, k := range h.w.Kinds {
		if how := h.down[k.Kind]; how != "" {
			if err := h.do(cures()[how] + " " + string(k.Kind)); err != nil {
				return err
			}
		}
	}
	for {
		for range 3 {
			if err := errors.Join(h.do("run"), h.do("pass 6m")); err != nil {
				return err
			}
		}
		if err := h.do("run"); err != nil {
			return err
		}
		if len(h.w.Zombies) == 0 {
			return nil
		}
		for len(h.w.Zombies) > 0 {
			if err := h.do("late 0"); err != nil {
				return err
			}
		}
	}
}

// sound checks the laws of every world at rest.
func (h *history) sound() error {
	want, err := h.w.Rebuilt()
	if err != nil {
		return err
	}
	for i, s := range h.w.Sides {
		if err := probe.Check(s.Engine); err != nil {
			return fmt.Errorf("engine %d: %w", i, err)
		}
		if !s.Engine.Idle() {
			return fmt.Errorf("engine %d is not idle, and has no time to wait for", i)
		}
		if got := world.Seen(s.Engine); got != want {
			return fmt.Errorf("S22: engine %d has\n%s, and a graph of a new listing has\n%s", i, got, want)
		}
	}
	if err := h.proven(); err != nil {
		return err
	}
	if err := h.guarded(); err != nil {
		return err
	}
	if s := oracle.NewState(believed(h.set.kept(h.w.Store.Objects()))); !oracle.Quiet(s, h.set.oracle()) {
		return errors.New("at rest, but the collector has a step left: " + h.w.Held())
	}
	return nil
}

// permitted checks the end against the oracle. It is for a handful of objects. Below
// level 2 a foreground or orphan deletion may end early, in any state.
func (h *history) permitted() error {
	if h.set.Level < ownergraph.Level2 && h.propagates() {
		return nil
	}
	got, ends := oracle.Line(believed(h.w.Store.Objects())), h.ends()
	if slices.Contains(ends, got) {
		return nil
	}
	return fmt.Errorf("the end is not permitted: %s\nwant one of\n  %s\nheld: %s", got, strings.Join(ends, "\n  "), h.w.Held())
}

// propagates reports whether the history has a foreground or orphan deletion.
func (h *history) propagates() bool {
	of := func(o graph.Object) bool {
		return o.Propagation() != graph.Background && o.Propagation() != graph.Unset
	}
	return slices.ContainsFunc(h.start, of) || slices.ContainsFunc(h.actions, func(a oracle.Action) bool {
		return a.Verb == oracle.Foreground || a.Verb == oracle.Orphan
	})
}

// ends returns the permitted end states of the actions up to now.
func (h *history) ends() []string {
	return oracle.Ends(believed(h.start), h.forOracle(), h.set.oracle())
}

// forOracle returns the actions in the form for the oracle.
func (h *history) forOracle() []oracle.Action {
	actions := slices.Clone(h.actions)
	for i, a := range actions {
		actions[i].Object = believed([]graph.Object{a.Object})[0]
		if a.Verb == oracle.DropRef || a.Verb == oracle.Flip {
			actions[i].Object.Owners[0].Unresolved = false
		}
	}
	return actions
}

// believed returns the objects in the form for the oracle. A reference to the unserved
// kind is unknown, and no object has its UID.
func believed(objects []graph.Object) []graph.Object {
	out := make([]graph.Object, len(objects))
	for i, o := range objects {
		o = o.Clone()
		for j, r := range o.Owners {
			if r.Kind == unserved {
				o.Owners[j].Unresolved, o.Owners[j].UID = true, "nobody/"+r.UID
			}
		}
		out[i] = o
	}
	return out
}
