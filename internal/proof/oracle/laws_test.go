package oracle

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
)

func short(name string) graph.Key {
	return graph.Key{Kind: graph.Kind(name), Name: name, UID: graph.UID(name)}
}

func drawName() *rapid.Generator[string] { return rapid.SampledFrom([]string{"a", "b", "c"}) }

// drawStart draws up to three objects. Their owners may include x, which never lives.
func drawStart(t *rapid.T, finalizers, flags bool) []graph.Object {
	var start []graph.Object
	for _, name := range []string{"a", "b", "c"}[:rapid.IntRange(0, 3).Draw(t, "objects")] {
		o := graph.Object{Key: short(name)}
		for _, owner := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "x"}), 0, 3, rapid.ID).Draw(t, "owners") {
			r := graph.Owner{Key: short(owner), Block: rapid.Bool().Draw(t, "block")}
			if flags {
				r.Unresolved = rapid.IntRange(0, 5).Draw(t, "unresolved") == 0
				r.Controller = rapid.IntRange(0, 5).Draw(t, "controller") == 0
			}
			o.Owners = append(o.Owners, r)
		}
		if finalizers {
			all := []string{"foreign", graph.FinalizerOrphan, graph.FinalizerForeground}
			o.Finalizers = rapid.SliceOfNDistinct(rapid.SampledFrom(all), 0, 2, rapid.ID).Draw(t, "finalizers")
			o.Deleting = len(o.Finalizers) > 0 && rapid.Bool().Draw(t, "deleting")
		}
		start = append(start, o)
	}
	return start
}

func drawActions(t *rapid.T, verbs ...Verb) []Action {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Action {
		a := Action{Verb: rapid.SampledFrom(verbs).Draw(t, "verb"), Object: graph.Object{Key: short(drawName().Draw(t, "object"))}}
		if a.Verb.takesRef() {
			r := graph.Owner{Key: short(drawName().Draw(t, "owner"))}
			r.Block = a.Verb == AddRef && rapid.Bool().Draw(t, "block")
			a.Object.Owners = []graph.Owner{r}
		}
		return a
	}), 0, 2).Draw(t, "actions")
}

func TestLaws(t *testing.T) {
	verbs := []Verb{Foreground, Background, Orphan, Strip, Finish, Touch, AddRef, DropRef, Flip, Recreate}
	rapid.Check(t, func(t *rapid.T) {
		start, actions := drawStart(t, true, true), drawActions(t, verbs...)
		cfg := Config{Override: rapid.Bool().Draw(t, "override"), Restarts: rapid.Bool().Draw(t, "restarts")}
		ends, quiet := Ends(start, actions, cfg), EndsQuiet(start, actions, cfg)
		if len(quiet) == 0 {
			t.Fatalf("no end")
		}
		for _, end := range quiet {
			if !slices.Contains(ends, end) {
				t.Fatalf("%q is an end when quiet, but none of %q", end, ends)
			}
		}
		for _, end := range ends {
			objects, err := graph.Parse(end)
			if err != nil || Line(objects) != end {
				t.Fatalf("the end %q reads as %q, %v", end, Line(objects), err)
			}
			if !Quiet(NewState(objects), cfg) {
				t.Fatalf("the end %q is not quiet", end)
			}
			checkEnd(t, start, actions, objects)
		}
		checkDeterminism(t, start, actions, cfg, ends)
	})
}

// checkEnd checks laws of every end under any rules. It knows neither classes nor
// propagation.
func checkEnd(t *rapid.T, start []graph.Object, actions []Action, end []graph.Object) {
	find := func(list []graph.Object, k graph.Key) (graph.Object, bool) {
		i := slices.IndexFunc(list, func(o graph.Object) bool { return o.Key == k })
		if i < 0 {
			return graph.Object{}, false
		}
		return list[i], true
	}
	did := func(k graph.Key, verbs ...Verb) bool {
		return slices.ContainsFunc(actions, func(a Action) bool { return a.Object.Key == k && (verbs == nil || slices.Contains(verbs, a.Verb)) })
	}
	for _, o := range start {
		left, lives := find(end, o.Key)
		if o.HasFinalizer("foreign") && !did(o.Key, Finish) && !left.HasFinalizer("foreign") {
			t.Fatalf("%s: a foreign finalizer is gone, and no user removed it", o)
		}
		if len(o.Owners) == 0 && !o.Deleting && !did(o.Key) && (!lives || !left.Equal(tidy(o))) {
			t.Fatalf("%s: became %s without an action of a user", o, left)
		}
		if lives && o.Deleting && !left.Deleting {
			t.Fatalf("%s: its mark is gone", o)
		}
	}
	for _, o := range end {
		was, lived := find(start, o.Key)
		if !lived && !slices.ContainsFunc(actions, func(a Action) bool { return a.Verb == Recreate && a.Object.Place() == o.Place() }) {
			t.Fatalf("%s lives, and no action made it", o)
		}
		for _, r := range o.Owners {
			had := slices.ContainsFunc(was.Owners, func(p graph.Owner) bool { return p.Key == r.Key })
			if !had && !did(o.Key, AddRef) {
				t.Fatalf("%s: has a reference to %s that no action made", o, r)
			}
		}
	}
}

func checkDeterminism(t *rapid.T, start []graph.Object, actions []Action, cfg Config, ends []string) {
	other := rapid.Permutation(start).Draw(t, "order")
	for i, o := range other {
		other[i] = o.Clone()
		other[i].Version, other[i].Generation = "7", 3
		slices.Reverse(other[i].Owners)
		slices.Reverse(other[i].Finalizers)
	}
	if got := Ends(other, actions, cfg); !slices.Equal(got, ends) {
		t.Fatalf("%q in another order gives %q, want %q", graph.Format(other), got, ends)
	}
}

// TestFixpoint compares Ends with a fixpoint, for starts without finalizers and
// actions without orphaning. There is one end. An object with owners goes if none of
// them lives, until no object goes.
func TestFixpoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start, actions := drawStart(t, false, false), drawActions(t, Background, Foreground, Touch)
		want := Line(fixpoint(start, actions))
		if ends := Ends(start, actions, Config{}); !slices.Equal(ends, []string{want}) {
			t.Fatalf("Ends = %q, the fixpoint is %q", ends, want)
		}
	})
}

func fixpoint(start []graph.Object, actions []Action) []graph.Object {
	gone := map[graph.Key]bool{short("x"): true}
	for _, name := range []string{"a", "b", "c"} {
		gone[short(name)] = !slices.ContainsFunc(start, func(o graph.Object) bool { return o.Key == short(name) })
	}
	for _, a := range actions {
		gone[a.Object.Key] = gone[a.Object.Key] || a.Verb != Touch
	}
	for range start {
		for _, o := range start {
			others, left := 0, 0
			for _, r := range o.Owners {
				if r.Key != o.Key {
					others++
					if !gone[r.Key] {
						left++
					}
				}
			}
			gone[o.Key] = gone[o.Key] || others > 0 && left == 0
		}
	}
	var out []graph.Object
	for _, o := range start {
		if !gone[o.Key] {
			o.Owners = slices.DeleteFunc(slices.Clone(o.Owners), func(r graph.Owner) bool { return gone[r.Key] })
			out = append(out, o)
		}
	}
	return out
}
