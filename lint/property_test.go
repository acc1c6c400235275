package lint_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/lint"
)

// world draws objects whose references are often wrong.
func world(t *rapid.T) lint.Input {
	in := lint.Input{Kinds: standard()}
	pick := func(label string, list ...string) string { return rapid.SampledFrom(list).Draw(t, label) }
	flag := func(label string) bool { return rapid.IntRange(0, 3).Draw(t, label) == 0 }
	place := func(label string) graph.Key {
		k := graph.Key{Kind: graph.Kind(pick(label+" kind", "pod", "rs", "node", "event", "secret", "x")), Name: pick(label+" name", "a", "b", "c")}
		if k.Kind != "node" {
			k.Scope = pick(label+" scope", "s", "t")
		}
		k.UID = graph.UID(k.PlaceString())
		return k
	}
	seen := map[graph.Key]bool{}
	for range rapid.IntRange(1, 8).Draw(t, "objects") {
		o := graph.Object{Key: place("object"), Version: "1", Deleting: flag("deleting")}
		if seen[o.Key] {
			continue
		}
		seen[o.Key] = true
		for _, f := range []string{"f", graph.FinalizerForeground, graph.FinalizerOrphan} {
			if flag(f) {
				o.Finalizers = append(o.Finalizers, f)
			}
		}
		for range rapid.IntRange(0, 3).Draw(t, "owners") {
			r := graph.Owner{Key: owner(t, in, place("owner")), Block: flag("block"), Controller: flag("controller"), Unresolved: flag("unresolved")}
			if flag("wrong uid") {
				r.UID = place("uid").UID
			}
			o.Owners = append(o.Owners, r)
		}
		in.Objects = append(in.Objects, lint.Object{Object: o})
	}
	return in
}

// owner returns the key of an object of the world in most cases, and other in the rest.
func owner(t *rapid.T, in lint.Input, other graph.Key) graph.Key {
	i := rapid.IntRange(0, 2*len(in.Objects)).Draw(t, "owner")
	if i < len(in.Objects) {
		return in.Objects[i].Key
	}
	return other
}

// engine returns the graph that an engine has after the listing of a world.
func engine(t *rapid.T, in lint.Input) *graph.Graph {
	g := graph.New(graph.Config{})
	var infos, more []graph.KindInfo
	for _, k := range in.Kinds {
		infos = append(infos, k.KindInfo)
	}
	more = append(slices.Clone(infos), graph.KindInfo{Kind: "x", Scoped: true})
	events := []graph.Event{{Type: graph.KindsKnown, Kinds: more}}
	for _, k := range in.Kinds {
		events = append(events, graph.Event{Type: graph.ListBegun, Kind: k.Kind})
	}
	for _, o := range in.Objects {
		events = append(events, graph.Event{Type: graph.Put, Object: o.Object})
	}
	for _, k := range in.Kinds {
		if k.Listed {
			events = append(events, graph.Event{Type: graph.ListEnded, Kind: k.Kind})
		}
	}
	for _, e := range append(events, graph.Event{Type: graph.KindsKnown, Kinds: infos}) {
		if _, err := g.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// TestEveryUnknownOwnerHasAFinding: each reference that the engine does not find solid or
// waiting has a finding of its own. A UID of two objects is a finding about these objects.
// Each object that the engine holds as flawed has a finding, too.
func TestEveryUnknownOwnerHasAFinding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := world(t)
		g := engine(t, in)
		r, err := lint.Check(in, lint.Config{})
		if err != nil {
			t.Fatal(err)
		}
		found := map[graph.Key][]lint.Finding{}
		for _, f := range r.Findings {
			found[f.Object] = append(found[f.Object], f)
		}
		for _, o := range in.Objects {
			n, _ := g.Lookup(o.Key)
			for i := range o.Owners {
				at := fmt.Sprintf("owners[%d]", i)
				has := slices.ContainsFunc(found[o.Key], func(f lint.Finding) bool { return len(f.Field) >= len(at) && f.Field[:len(at)] == at })
				class, doubt := n.Inside(inside.Key{}).OwnerClass(i)
				if class != graph.Solid && class != graph.Waiting && doubt != graph.SharedUID && !has {
					t.Errorf("%s: %s is %s (%s), and has no finding:\n%s", o.Object, at, class, doubt, r)
				}
			}
			if n.Inside(inside.Key{}).Flawed() && len(found[o.Key]) == 0 {
				t.Errorf("%s is flawed, and has no finding", o.Object)
			}
		}
	})
}

// TestSoundWorldHasNoFinding: a chain of owners in one scope has no finding.
func TestSoundWorldHasNoFinding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := lint.Input{Kinds: standard()}
		for i := range rapid.IntRange(0, 20).Draw(t, "objects") {
			o := graph.Object{Key: graph.Key{Kind: "pod", Scope: "s", Name: fmt.Sprint("o", i), UID: graph.UID(fmt.Sprint("u", i))}}
			if owner := rapid.IntRange(-1, i-1).Draw(t, "owner"); owner >= 0 && owner < 5 {
				o.Owners = []graph.Owner{{Key: in.Objects[owner].Key, Block: true, Controller: true}}
			}
			in.Objects = append(in.Objects, lint.Object{Object: o, OwnerVersions: make([]string, len(o.Owners))})
		}
		if r, err := lint.Check(in, lint.Config{MaxDepth: 20}); err != nil || r.String() != "" {
			t.Errorf("error %v, report:\n%s", err, r)
		}
	})
}
