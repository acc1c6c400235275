package properties

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// guards draws the guards and protections of a world.
func (d draws) guards(s *settings) {
	for _, k := range strings.ToLower(s.Kinds) {
		if d.chance("guarded", 2) {
			s.Guarded += string(k)
		}
	}
	if s.Guarded == "" {
		s.Guarded = strings.ToLower(s.Kinds[:1])
	}
	s.Above = d.number("above", 4)
	if d.chance("shielded", 2) {
		s.Shielded = string(rune('a' + d.number("name", 4)))
	}
}

// guard gives the settings of an engine the guards and protections of the world.
func (s settings) guard(c *ownergraph.Config) {
	if s.Guarded != "" {
		g := guard.Guard{Above: &s.Above, Protected: true}
		for _, k := range s.Guarded {
			g.Kinds = append(g.Kinds, graph.Kind(k))
		}
		c.Guards = []guard.Guard{g}
	}
	if s.Shielded != "" {
		c.Protect = []guard.Protection{{Names: []string{s.Shielded}}}
	}
}

// guards reports whether the world has a guard.
func (s settings) guards() bool { return s.Guarded != "" }

// protects reports whether an object is protected.
func (s settings) protects(o graph.Object) bool {
	return o.HasFinalizer(graph.FinalizerProtect) || s.Shielded != "" && o.Name == s.Shielded
}

// kept returns the objects for the oracle, which knows no guards. A foreign finalizer keeps
// the objects that no engine may delete, and those whose mark is withheld.
func (s settings) kept(objects []graph.Object) []graph.Object {
	if !s.guards() {
		return objects
	}
	objects = slices.Clone(objects)
	for i, o := range objects {
		if !s.protects(o) && !o.MarkWithheld() {
			continue
		}
		o = o.Clone()
		o.Finalizers = append(slices.DeleteFunc(o.Finalizers, func(f string) bool {
			return f == graph.FinalizerForeground || f == graph.FinalizerOrphan
		}), "kept")
		o.Deleting = true
		objects[i] = o
	}
	return objects
}

// guarded checks the guarded roots of a world at rest: living ones carry both finalizers, and
// each marked one is judged or on its way. Without fences no root is judged.
func (h *history) guarded() error {
	for _, o := range h.w.Store.Objects() {
		hold, isNew := o.HasFinalizer(graph.FinalizerHold), o.HasFinalizer(graph.FinalizerNew)
		root := strings.Contains(h.set.Guarded, string(o.Kind)) && graph.Validate(o, graph.Limits{}) == nil
		if root && (!o.Deleting && !(hold && isNew) || o.Deleting && isNew && !(hold && h.set.Level < ownergraph.Level2)) {
			return fmt.Errorf("G2: at rest there is the root %s", o)
		}
	}
	return nil
}

// guardUser lets a user change the finalizers of guards.
func (h *history) guardUser(verb, arg string) error {
	k, err := graph.ParseKey(arg)
	switch o, _ := h.w.Store.At(k); {
	case o.Key != k:
	case verb == "shield":
		h.w.Add(k, graph.FinalizerProtect)
	case verb == "expose":
		h.w.Drop(k, graph.FinalizerProtect)
	case o.Deleting:
		h.w.Drop(k, graph.FinalizerHold)
	}
	return err
}

// TestGuardedWorlds is TestRandomWorlds and TestTightWorlds with guards and protections. No
// write relies on a withheld mark, no protected object is deleted, and at rest each marked root is
// judged (RULES, G1 to G3).
func TestGuardedWorlds(t *testing.T) {
	rounds(t, 8, func(t *rapid.T, engines int) {
		d := draws{t, size{style: tight, engines: engines, objects: 4, actions: 12, guarded: true}}
		if rapid.Bool().Draw(t, "wild") {
			d.size.style, d.size.objects, d.size.actions = wild, 12, 8
		}
		d.rest(d.run())
	})
}

// TestGuardsChangeNoEnd: without a refusal the end is one that the rules permit for a root that
// is deleted when its guard passes (RULES, G8).
func TestGuardsChangeNoEnd(t *testing.T) {
	rounds(t, 4, func(t *rapid.T, _ int) {
		d := draws{t, size{style: wild, engines: 1, objects: 4, judged: true, guarded: true}}
		set := d.settings()
		set.Level, set.Above, set.Shielded, set.Waits = ownergraph.Level2, 99, "", false
		h, err := begin(set, d.world(set))
		if err == nil {
			err = h.calm()
		}
		for range 1 + d.number("deletes", 2) {
			objects := h.w.Store.Objects()
			if err != nil || len(objects) == 0 {
				break
			}
			start := withoutGuards(objects)
			verb := []oracle.Verb{oracle.Background, oracle.Foreground, oracle.Orphan}[d.number("propagation", 3)]
			do := oracle.Action{Verb: verb, Object: graph.Object{Key: d.target(objects).Key}}
			if err = h.do(do.String()); err == nil {
				err = h.calm()
			}
			ends := oracle.EndsQuiet(believed(start), []oracle.Action{do}, set.oracle())
			if got := oracle.Line(believed(withoutGuards(h.w.Store.Objects()))); err == nil && !slices.Contains(ends, got) {
				err = fmt.Errorf("G8: after %s the end %q is none of\n  %s", do, got, strings.Join(ends, "\n  "))
			}
		}
		if err != nil {
			t.Fatal(h.fail(err))
		}
	})
}

// withoutGuards returns the objects without the finalizers of guards.
func withoutGuards(objects []graph.Object) []graph.Object {
	out := make([]graph.Object, len(objects))
	for i, o := range objects {
		o = o.Clone()
		o.Finalizers = slices.DeleteFunc(o.Finalizers, graph.IsGuardFinalizer)
		out[i] = o
	}
	return out
}
