package finalizer

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
)

var (
	finalizers   = rapid.SampledFrom([]string{"x", "y", graph.FinalizerOrphan, graph.FinalizerForeground})
	propagations = rapid.SampledFrom([]graph.Propagation{graph.Unset, graph.Background, graph.Foreground, graph.Orphan})
	owners       = rapid.Custom(func(t *rapid.T) graph.Owner {
		name := rapid.SampledFrom([]string{"b", "c"}).Draw(t, "owner")
		key := graph.Key{Kind: graph.Kind(name), Name: name, UID: graph.UID(name)}
		return graph.Owner{Key: key, Block: rapid.Bool().Draw(t, "block"), OnDelete: graph.OnDelete(rapid.IntRange(0, 2).Draw(t, "policy"))}
	})
	// objects are the objects that a store may have, with flawed ones among them.
	objects = rapid.Custom(func(t *rapid.T) graph.Object {
		o := graph.Object{
			Key:        graph.Key{Kind: "a", Name: "a", UID: "a"},
			Version:    "0",
			Owners:     rapid.SliceOfN(owners, 0, 2).Draw(t, "owners"),
			Finalizers: rapid.SliceOfNDistinct(finalizers, 0, 3, rapid.ID).Draw(t, "finalizers"),
			Deleting:   rapid.Bool().Draw(t, "deleting"),
			Generation: rapid.Int64Range(0, 3).Draw(t, "generation"),
		}
		if o.Deleting {
			o.GraceSeconds = rapid.SampledFrom([]int64{0, 5, 30}).Draw(t, "grace")
		}
		return o
	})
)

// write is one random call of the rules.
type write struct {
	name   string
	out    Outcome
	err    error
	delete bool
}

func draw(t *rapid.T, live graph.Object) write {
	pre := graph.Precondition{Version: rapid.SampledFrom([]graph.Version{"", live.Version, "no"}).Draw(t, "version")}
	switch name := rapid.SampledFrom([]string{"delete", "update", "patch"}).Draw(t, "write"); name {
	case "delete":
		opts := graph.DeleteOptions{Precondition: pre, Propagation: propagations.Draw(t, "asks")}
		if rapid.Bool().Draw(t, "with grace") {
			opts.GraceSeconds = new(int64)
			*opts.GraceSeconds = rapid.Int64Range(-1, 40).Draw(t, "asked grace")
		}
		out, err := Delete(live, opts, propagations.Draw(t, "default"))
		return write{name, out, err, true}
	case "update":
		wanted := objects.Draw(t, "wanted")
		wanted.Version = pre.Version
		out, err := Update(live, wanted)
		return write{name, out, err, false}
	default:
		change := graph.Change{
			AddFinalizer:  rapid.OneOf(rapid.Just(""), finalizers).Draw(t, "add"),
			DropFinalizer: rapid.OneOf(rapid.Just(""), finalizers).Draw(t, "drop"),
			DropOwners:    rapid.SliceOfN(owners, 0, 1).Draw(t, "drop owners"),
		}
		out, err := Patch(live, pre, change)
		return write{name, out, err, false}
	}
}

// TestLaws: random writes begin at any object, in any order. Each step keeps the promises
// of the rules, and the object reaches its end.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		live := objects.Draw(t, "live")
		for range rapid.IntRange(1, 8).Draw(t, "writes") {
			before := live.Clone()
			w := draw(t, live)
			if !live.Equal(before) {
				t.Fatalf("%s changed its argument: %v, was %v", w.name, live, before)
			}
			if w.err != nil {
				checkError(t, w)
				continue
			}
			checkStep(t, live, w)
			if w.out.Effect == Removed {
				return
			}
			live = w.out.Object
		}
		checkEnd(t, live)
	})
}

func checkError(t *rapid.T, w write) {
	if !errors.Is(w.err, graph.ErrConflict) && !errors.Is(w.err, graph.ErrRefused) {
		t.Fatalf("%s: %v is neither a conflict nor refused", w.name, w.err)
	}
	if w.out.Effect != EffectUnset {
		t.Fatalf("%s: %v has an outcome: %v", w.name, w.err, w.out)
	}
}

func checkStep(t *rapid.T, live graph.Object, w write) {
	next := w.out.Object
	free := next.Deleting && next.GraceSeconds == 0 && len(next.Finalizers) == 0
	stays := w.out.Effect == Unchanged || w.out.Effect == Stored
	switch {
	case free != (w.out.Effect == Removed), stays == (w.out.Effect == Removed):
		t.Fatalf("%s: %v, but what applies is %v", w.name, w.out.Effect, next)
	case stays && next.EqualContent(live) != (w.out.Effect == Unchanged):
		t.Fatalf("%s: %v: %v, was %v", w.name, w.out.Effect, next, live)
	case next.Key != live.Key || next.Version != live.Version:
		t.Fatalf("%s changed the identity of %v: %v", w.name, live, next)
	case live.Deleting && !next.Deleting:
		t.Fatalf("%s cleared the mark of %v", w.name, live)
	case !w.delete && next.Deleting != live.Deleting:
		t.Fatalf("%s set the mark of %v", w.name, live)
	case live.Deleting && next.GraceSeconds > live.GraceSeconds:
		t.Fatalf("%s lengthened the grace period of %v: %v", w.name, live, next)
	}
	checkGeneration(t, live, w)
	checkAdded(t, live, w)
}

func checkGeneration(t *rapid.T, live graph.Object, w write) {
	want := live.Generation
	if want > 0 && !live.Deleting && w.out.Object.Deleting {
		want++
	}
	if got := w.out.Object.Generation; got != want {
		t.Fatalf("%s: generation %d of %v, want %d", w.name, got, live, want)
	}
}

func checkAdded(t *rapid.T, live graph.Object, w write) {
	next, both := w.out.Object, 0
	for _, f := range next.Finalizers {
		propagates := f == graph.FinalizerOrphan || f == graph.FinalizerForeground
		if propagates {
			both++
		}
		if live.Deleting && !slices.Contains(live.Finalizers, f) && !(w.delete && propagates) {
			t.Fatalf("%s added %q to %v, which is being deleted", w.name, f, live)
		}
	}
	if w.delete && w.out.Effect == Stored && both > 1 {
		t.Fatalf("delete left both propagation finalizers: %v", next)
	}
}

// checkEnd: a deletion with grace 0, and the end of every finalizer, remove the object,
// and not earlier.
func checkEnd(t *rapid.T, live graph.Object) {
	out, err := Delete(live, graph.DeleteOptions{GraceSeconds: new(int64)}, graph.Unset)
	for err == nil && out.Effect != Removed && len(out.Object.Finalizers) > 0 {
		out, err = Patch(out.Object, graph.Precondition{}, graph.Change{DropFinalizer: out.Object.Finalizers[0]})
	}
	if err != nil || out.Effect != Removed {
		t.Fatalf("%v does not end: %v, %v", live, out, err)
	}
}

// TestNoAlias: a change of the outcome changes no argument.
func TestNoAlias(t *testing.T) {
	live := graph.Object{
		Key:        graph.Key{Kind: "a", Name: "a", UID: "a"},
		Owners:     []graph.Owner{{Key: graph.Key{Kind: "b", Name: "b", UID: "b"}}},
		Finalizers: []string{"x", "y"},
	}
	wanted, before := live.Clone(), live.Clone()
	for name, call := range map[string]func() (Outcome, error){
		"delete":           func() (Outcome, error) { return Delete(live, graph.DeleteOptions{}, graph.Unset) },
		"update":           func() (Outcome, error) { return Update(live, wanted) },
		"patch":            func() (Outcome, error) { return Patch(live, graph.Precondition{}, graph.Change{AddFinalizer: "z"}) },
		"patch of nothing": func() (Outcome, error) { return Patch(live, graph.Precondition{}, graph.Change{}) },
	} {
		out, err := call()
		if err != nil {
			t.Fatal(name, err)
		}
		out.Object.Owners[0].Name, out.Object.Finalizers[0] = "changed", "changed"
		if !live.Equal(before) || !wanted.Equal(before) {
			t.Errorf("%s: the outcome aliases its arguments: %v, %v", name, live, wanted)
		}
	}
}
