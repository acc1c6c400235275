package live_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
	"github.com/ownergraph/ownergraph/lint/live"
	"github.com/ownergraph/ownergraph/policy"
)

// drawWorld draws objects whose references are often wrong, in the notation of package graph.
func drawWorld(t *rapid.T) []graph.Object {
	pick := func(label string, list ...string) string { return rapid.SampledFrom(list).Draw(t, label) }
	place := func(label string, kinds ...string) string {
		kind := pick(label+" kind", kinds...)
		if kind == "node" {
			return "node/" + pick(label+" name", "a", "b")
		}
		return kind + "/" + pick(label+" scope", "s", "t") + "/" + pick(label+" name", "a", "b", "c")
	}
	lines := map[string]string{}
	for range rapid.IntRange(1, 6).Draw(t, "objects") {
		at := place("object", "node", "pod", "set", "event")
		mark := pick("mark", "", "", "", "~[f]", "~[foreground]")
		var owners []string
		for range rapid.IntRange(0, 2).Draw(t, "owners") {
			owner := place("owner", "node", "pod", "set", "event", "metric", "x")
			uid := pick("uid", "", "", place("uid", "node", "pod", "set"))
			if uid != "" {
				uid = fmt.Sprintf("@%q", uid)
			}
			owners = append(owners, owner+uid+pick("flags", "", "!", "^", "?"))
		}
		line := at + "#1" + mark
		if len(owners) > 0 {
			line += " -> " + strings.Join(owners, ", ")
		}
		lines[at] = line
	}
	var list []string
	for _, line := range lines {
		list = append(list, line)
	}
	slices.Sort(list)
	objects, err := graph.Parse(strings.Join(list, "; "))
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// decided returns the fate that the decision of an engine has, or FateUnset for one whose fate
// this test does not tell.
func decided(x explain.Explanation) lint.Fate {
	d := x.Decision
	switch {
	case x.Deleting:
		return lint.Leaving
	case d.Action == policy.Delete:
		return lint.Deleted
	case d.Action == policy.Trim:
		return lint.Trimmed
	case d.Action != policy.Keep:
		return lint.FateUnset
	case d.Reason == policy.OwnerSolid:
		return lint.Kept
	case d.Reason == policy.NoOwners, d.Reason == policy.OnlySelf, d.Reason == policy.ObjectFlawed:
		return lint.KeptForever
	case len(x.Owners) > 1: // the decision names the last of several doubts
		return lint.FateUnset
	case d.Doubt == graph.UnservedKind, d.Doubt == graph.UnresolvedScope && (x.Key.Scope != "" || x.Owners[0].Kind == "node" || x.Owners[0].Kind == "x"):
		return lint.KeptUntilKnown // no scope resolves a scoped owner of a global object
	case d.Doubt == graph.Misplaced, d.Doubt == graph.Renamed:
		return lint.Kept
	}
	return lint.KeptForever
}

// TestFateIsThatOfTheEngine: on a store that is no Kubernetes, the fate of a finding is the
// decision of the engine about the object.
func TestFateIsThatOfTheEngine(t *testing.T) {
	seen := checkFates(t, parse(t, faulty))
	for _, f := range []lint.Fate{lint.Deleted, lint.Trimmed, lint.Kept, lint.KeptForever, lint.KeptUntilKnown} {
		if seen[f] == 0 {
			t.Errorf("no object has the fate %q", f)
		}
	}
	rapid.Check(t, func(t *rapid.T) { checkFates(t, drawWorld(t)) })
}

// checkFates compares the fates of findings about references with the decisions of an engine,
// and counts them.
func checkFates(t rapid.TB, objects []graph.Object) map[lint.Fate]int {
	var infos []graph.KindInfo
	for _, k := range kinds() {
		infos = append(infos, k.KindInfo)
	}
	store, err := memory.New(memory.Config{Kinds: infos, Objects: objects})
	if err != nil {
		t.Fatal(err)
	}
	in, err := live.Observe(context.Background(), store)
	if err != nil {
		t.Fatal(err)
	}
	r, err := lint.Check(in, lint.Config{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[lint.Fate]int{}
	for key, x := range explained(t, store) {
		for _, f := range r.Findings {
			if f.Engine != lint.FateUnset {
				t.Errorf("%s: two fates on a store with one collector", f)
			}
			want := decided(x)
			if f.Object != key || f.Code > lint.Malformed || want == lint.FateUnset || f.Fate == lint.FateUnset || f.Fate == lint.NotKnown {
				continue
			}
			if seen[f.Fate]++; f.Fate != want {
				t.Errorf("%s, and the engine: %s", f, x.Text())
			}
		}
	}
	return seen
}

// explained returns the decisions of an engine about each object of a store.
func explained(t rapid.TB, store *memory.Store) map[graph.Key]explain.Explanation {
	c, err := ownergraph.New(store, ownergraph.Config{ObserveOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	if _, err := c.WaitIdle(ctx); err != nil {
		t.Fatal(err)
	}
	all := map[graph.Key]explain.Explanation{}
	for _, o := range store.Objects() {
		x, err := c.Explain(ctx, o.Key)
		if err != nil {
			t.Fatal(err)
		}
		all[o.Key] = x
	}
	return all
}
