package observed

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
)

// TestFlawed: an object counts as flawed exactly if a full look finds a flaw. The nodes
// that it names may be known before, or not.
func TestFlawed(t *testing.T) {
	texts := []string{"x", "\x01", "name", "a name of forty bytes, which is some more", "nineteen bytes long"}
	infos := []graph.KindInfo{{Kind: "a"}, {Kind: "c", Scoped: true}, {Kind: "\x01"}, {Kind: "\x02", Scoped: true}}
	rapid.Check(t, func(t *rapid.T) {
		limits := graph.Limits{Text: rapid.SampledFrom([]int{0, 18, 19, 35, 36, 40}).Draw(t, "most")}
		g := New(Config{Limits: limits, Scope: rapid.SampledFrom([]graph.ScopeRule{graph.ScopeHold, graph.ScopeAbsent}).Draw(t, "rule"),
			OwnerName: rapid.SampledFrom([]graph.NameRule{graph.NameHold, graph.NameAbsent}).Draw(t, "name rule")})
		if _, err := g.Apply(graph.Event{Type: graph.KindsKnown, Kinds: infos}); err != nil {
			t.Fatal(err)
		}
		// One text in eight is a flaw in any case, so that most objects are sound or have
		// one flaw. The keys are few, so that references lead to objects.
		text := func(what string) string {
			return texts[max(0, rapid.IntRange(-3-len(texts), len(texts)-1).Draw(t, what))]
		}
		var keys []graph.Key
		for i := range 12 {
			info := infos[max(1, rapid.IntRange(-4, len(infos)).Draw(t, "kind"))%len(infos)]
			k := graph.Key{Kind: info.Kind, Name: text("name"), UID: graph.UID(fmt.Sprintf("0123abcd-4567-89ef-0a1b-%012x", i/2))}
			if info.Scoped {
				k.Scope = text("scope")
			}
			if i%4 == 0 {
				k.UID = graph.UID(text("UID"))
			}
			keys = append(keys, k)
		}
		key := rapid.SampledFrom(keys)
		for range 40 {
			o := graph.Object{Key: key.Draw(t, "object"), Version: graph.Version(rapid.SampledFrom([]string{"1", "2", "\x01", "1234567890123456789"}).Draw(t, "version"))}
			for range rapid.SampledFrom([]int{0, 1, 1, 1, 2}).Draw(t, "owners") {
				r := graph.Owner{Key: key.Draw(t, "owner"), Controller: rapid.Bool().Draw(t, "controller")}
				switch rapid.IntRange(0, 20).Draw(t, "lacks") {
				case 0:
					r.Kind = ""
				case 1:
					r.Name = ""
				case 2:
					r.UID = ""
				}
				o.Owners = append(o.Owners, r)
			}
			if rapid.IntRange(0, 3).Draw(t, "has a finalizer") == 0 {
				o.Finalizers = []string{text("finalizer")}
			}
			d, err := g.Apply(graph.Event{Type: graph.Put, Object: o})
			if err != nil {
				t.Fatal(err)
			}
			if want := graph.Flaw(o, limits); g.Node(d.Node).Flawed() != (want != nil) {
				t.Fatalf("%s counts as flawed: %t; %v", o, want == nil, want)
			}
			if _, err := g.Apply(graph.Event{Type: graph.Gone, Key: key.Draw(t, "gone")}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
