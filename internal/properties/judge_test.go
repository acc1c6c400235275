package properties

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/oracle"
	"github.com/ownergraph/ownergraph/internal/world"
)

// calm ends all faults, lets everything happen until nothing does, and lets the
// longest time pass after which an engine tries something again by itself. Late
// writes come at the very end, when nobody thinks of them any more.
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
			if err := errors.Join(h.do("settle"), h.do("pass 6m")); err != nil {
				return err
			}
		}
		if err := h.do("settle"); err != nil {
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

// sound checks what has to be true of every world at rest.
func (h *history) sound() error {
	want, err := h.w.Rebuilt()
	if err != nil {
		return err
	}
	for i, s := range h.w.Sides {
		if err := s.Engine.Check(); err != nil {
			return fmt.Errorf("engine %d: %w", i, err)
		}
		if !s.Engine.Idle() {
			return fmt.Errorf("engine %d is not idle, and waits for nothing", i)
		}
		if got := world.Seen(s.Engine); got != want {
			return fmt.Errorf("S22: engine %d holds\n%s, a graph built from a new listing\n%s", i, got, want)
		}
	}
	if s := oracle.NewState(believed(h.w.Store.Objects())); !oracle.Quiet(s, h.set.oracle()) {
		return errors.New("at rest, but the collector has something left to do: " + h.w.Held())
	}
	return nil
}

// permitted checks the end against the oracle. It is for a handful of objects.
// Below level 2 what is deleted with another propagation than background may end
// early, and nobody promises where.
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

// propagates reports whether anything was ever deleted in the foreground or to
// orphan.
func (h *history) propagates() bool {
	of := func(o graph.Object) bool {
		return o.Propagation() != graph.Background && o.Propagation() != graph.Unset
	}
	return slices.ContainsFunc(h.start, of) || slices.ContainsFunc(h.actions, func(a oracle.Action) bool {
		return a.Verb == oracle.Foreground || a.Verb == oracle.Orphan
	})
}

// ends returns the end states that are permitted for the actions done so far.
func (h *history) ends() []string {
	return oracle.Ends(believed(h.start), h.told(), h.set.oracle())
}

// told returns the actions as the oracle is told of them.
func (h *history) told() []oracle.Action {
	actions := slices.Clone(h.actions)
	for i, a := range actions {
		actions[i].Object = believed([]graph.Object{a.Object})[0]
		if a.Verb == oracle.DropRef || a.Verb == oracle.Flip {
			actions[i].Object.Owners[0].Unresolved = false
		}
	}
	return actions
}

// believed returns what the oracle is told: a reference to a kind that is never
// served is unknown, and leads to nobody.
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
