package offline

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/dump"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/terminal"
)

// containerKinds are kinds with both forms of containers, which may contain each other.
var containerKinds = []graph.KindInfo{
	{Kind: "def", Container: graph.Container{Members: graph.KindMembers, Actor: "the server"}},
	{Kind: "ns", Definition: "spaces", Container: graph.Container{Members: graph.ScopeMembers, Actor: "the janitor", Finalizer: "janitor"}},
	{Kind: "sub", Scoped: true, Container: graph.Container{Members: graph.ScopeMembers, Actor: "the cleaner", Finalizer: "cleaner"}},
	{Kind: "node"}, {Kind: "pod", Scoped: true}, {Kind: "widget", Scoped: true, Definition: "widgets"},
}

// drawContained draws a world with containers, members and references. A container may be below its
// member, or in a ring with it.
func drawContained(t *rapid.T) (out []graph.Object) {
	for _, k := range []graph.Key{
		{Kind: "node", Name: "n"}, {Kind: "node", Name: "m"}, {Kind: "ns", Name: "a"}, {Kind: "ns", Name: "b"},
		{Kind: "def", Name: "widgets"}, {Kind: "def", Name: "spaces"}, {Kind: "sub", Scope: "a", Name: "b"}, {Kind: "sub", Scope: "b", Name: "c"},
		{Kind: "pod", Scope: "a", Name: "p"}, {Kind: "pod", Scope: "b", Name: "p"}, {Kind: "pod", Scope: "b", Name: "q"}, {Kind: "pod", Scope: "c", Name: "p"},
		{Kind: "widget", Scope: "a", Name: "w"}, {Kind: "widget", Scope: "b", Name: "w"}, {Kind: "widget", Scope: "c", Name: "w"},
	} {
		if rapid.Bool().Draw(t, "there") {
			k.UID = graph.UID(fmt.Sprintf("%s-%s-%s", k.Kind, k.Scope, k.Name))
			out = append(out, drawFinalizers(t, graph.Object{Key: k, Version: "1"}))
		}
	}
	for i := range out {
		o := &out[i]
		for range rapid.IntRange(0, 2).Draw(t, "owners") {
			p := out[rapid.IntRange(0, len(out)-1).Draw(t, "owner")].Key
			named := slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return r.UID == p.UID })
			if !named && p != o.Key && (p.Scope == "" || p.Scope == o.Scope) {
				o.Owners = append(o.Owners, graph.Owner{Key: p, Block: rapid.Bool().Draw(t, "block")})
			}
		}
	}
	return out
}

// drawFinalizers draws the finalizers of an object: that of an actor, one of another controller, a
// propagation that it carries, or its protection. It may be marked.
func drawFinalizers(t *rapid.T, o graph.Object) graph.Object {
	if own := map[graph.Kind]string{"ns": "janitor", "sub": "cleaner"}[o.Kind]; own != "" && rapid.IntRange(0, 3).Draw(t, "plain") > 0 {
		o.Finalizers = append(o.Finalizers, own)
	}
	some := [12]string{"x.io/f", graph.FinalizerForeground, graph.FinalizerOrphan, graph.FinalizerProtect}
	if f := some[rapid.IntRange(0, len(some)-1).Draw(t, "finalizer")]; f != "" {
		o.Finalizers = append(o.Finalizers, f)
	}
	o.Deleting = len(o.Finalizers) > 0 && !o.HasFinalizer(graph.FinalizerProtect) && rapid.IntRange(0, 5).Draw(t, "marked") == 0
	return o
}

// TestPlanOfContainersIsTheRun: a deletion goes as planned, in worlds of containers. The engine and the
// actors of the containers carry it out.
func TestPlanOfContainersIsTheRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		objects := drawContained(t)
		if len(objects) == 0 {
			return
		}
		var todo []live.Deletion
		for range rapid.IntRange(1, 2).Draw(t, "deletions") {
			target := objects[rapid.IntRange(0, len(objects)-1).Draw(t, "target")]
			by := rapid.SampledFrom([]graph.Propagation{graph.Background, graph.Foreground, graph.Orphan}).Draw(t, "by")
			todo = append(todo, live.Deletion{Key: target.Key, Propagation: by})
		}
		cfg := ownergraph.Config{Level: ownergraph.Level2}
		if rapid.IntRange(0, 4).Draw(t, "protect") == 0 {
			cfg.Protect = []guard.Protection{{Kinds: []graph.Kind{rapid.SampledFrom([]graph.Kind{"pod", "ns", "widget"}).Draw(t, "protected")}}}
		}
		c := Content{Objects: objects, Kinds: containerKinds, Level: cfg.Level}
		copied, err := c.Copy()
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		why := &live.Reasons{}
		cfg.OnDecision = why.Note
		err = Collect(context.Background(), copied, cfg, func(ctx context.Context, of *ownergraph.Collector) error {
			s := &live.Session{Store: copied, Collector: of, Reasons: why, Out: terminal.New(&out)}
			return s.Play(ctx, dump.Content{Objects: objects, Kinds: containerKinds}, todo)
		})
		if err != nil && !strings.Contains(err.Error(), "not found") || strings.Contains(out.String(), "not as planned") {
			t.Fatalf("%v: %v, protected %v, in %s\n%s", err, todo, cfg.Protect, graph.Format(objects), out.String())
		}
	})
}
