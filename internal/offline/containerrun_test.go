package offline

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/dump"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/terminal"
)

// containerKinds are kinds with both forms of containers.
var containerKinds = []graph.KindInfo{
	{Kind: "def", Container: graph.Container{Members: graph.KindMembers, Actor: "the server"}},
	{Kind: "ns", Container: graph.Container{Members: graph.ScopeMembers, Actor: "the janitor", Finalizer: "janitor"}},
	{Kind: "node"}, {Kind: "pod", Scoped: true}, {Kind: "widget", Scoped: true, Definition: "widgets"},
}

// drawContained draws a world with containers, members and references.
func drawContained(t *rapid.T) []graph.Object {
	var out []graph.Object
	add := func(kind graph.Kind, scope, name string) {
		if !rapid.Bool().Draw(t, "there") {
			return
		}
		o := graph.Object{Key: graph.Key{Kind: kind, Scope: scope, Name: name}, Version: "1"}
		o.UID = graph.UID(strings.Trim(fmt.Sprintf("%s-%s-%s", kind, scope, name), "-"))
		if kind == "ns" && rapid.IntRange(0, 3).Draw(t, "plain") > 0 {
			o.Finalizers = append(o.Finalizers, "janitor")
		}
		if rapid.IntRange(0, 5).Draw(t, "foreign") == 0 {
			o.Finalizers = append(o.Finalizers, "x.io/f")
		}
		for range rapid.IntRange(0, 2).Draw(t, "owners") {
			if len(out) == 0 {
				break
			}
			p := out[rapid.IntRange(0, len(out)-1).Draw(t, "owner")]
			if p.Scope == "" || p.Scope == scope {
				r := graph.Owner{Key: p.Key, Block: rapid.Bool().Draw(t, "block")}
				dup := false
				for _, q := range o.Owners {
					dup = dup || q.UID == r.UID
				}
				if !dup {
					o.Owners = append(o.Owners, r)
				}
			}
		}
		if len(o.Finalizers) > 0 && rapid.IntRange(0, 5).Draw(t, "marked") == 0 {
			o.Deleting = true
		}
		out = append(out, o)
	}
	add("node", "", "n")
	add("node", "", "m")
	add("ns", "", "a")
	add("ns", "", "b")
	add("def", "", "widgets")
	for _, scope := range []string{"a", "b", "c"} {
		add("pod", scope, "p")
		add("pod", scope, "q")
		add("widget", scope, "w")
		if rapid.Bool().Draw(t, "more") {
			add("widget", scope, "v")
		}
	}
	return out
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
		c := Content{Objects: objects, Kinds: containerKinds, Level: ownergraph.Level2}
		copied, err := c.Copy()
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		why := &live.Reasons{}
		err = Collect(context.Background(), copied, ownergraph.Config{OnDecision: why.Note, Level: c.Level}, func(ctx context.Context, of *ownergraph.Collector) error {
			s := &live.Session{Store: copied, Collector: of, Reasons: why, Out: terminal.New(&out)}
			return s.Play(ctx, dump.Content{Objects: objects, Kinds: containerKinds}, todo)
		})
		if err != nil && !strings.Contains(err.Error(), "not found") || strings.Contains(out.String(), "not as planned") {
			t.Fatalf("%v: %v in %s\n%s", err, todo, graph.Format(objects), out.String())
		}
	})
}
