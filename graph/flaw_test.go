package graph

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestFlawed: an object counts as flawed exactly if a full look finds a flaw. The nodes
// that it names may be known before, or not.
func TestFlawed(t *testing.T) {
	texts := []string{"x", "\x01", "name", "a name of forty bytes, which is some more", "nineteen bytes long"}
	infos := []KindInfo{{Kind: "a"}, {Kind: "c", Scoped: true}, {Kind: "\x01"}, {Kind: "\x02", Scoped: true}}
	rapid.Check(t, func(t *rapid.T) {
		limits := Limits{Text: rapid.SampledFrom([]int{0, 18, 19, 35, 36, 40}).Draw(t, "most")}
		g := New(Config{Limits: limits, Scope: rapid.SampledFrom([]ScopeRule{ScopeHold, ScopeAbsent}).Draw(t, "rule"),
			OwnerName: rapid.SampledFrom([]NameRule{NameHold, NameAbsent}).Draw(t, "name rule")})
		if _, err := g.Apply(Event{Type: KindsKnown, Kinds: infos}); err != nil {
			t.Fatal(err)
		}
		// One text in eight is a flaw in any case, so that most objects are sound or have
		// one flaw. The keys are few, so that references lead to objects.
		text := func(what string) string {
			return texts[max(0, rapid.IntRange(-3-len(texts), len(texts)-1).Draw(t, what))]
		}
		var keys []Key
		for i := range 12 {
			info := infos[max(1, rapid.IntRange(-4, len(infos)).Draw(t, "kind"))%len(infos)]
			k := Key{Kind: info.Kind, Name: text("name"), UID: UID(fmt.Sprintf("0123abcd-4567-89ef-0a1b-%012x", i/2))}
			if info.Scoped {
				k.Scope = text("scope")
			}
			if i%4 == 0 {
				k.UID = UID(text("UID"))
			}
			keys = append(keys, k)
		}
		key := rapid.SampledFrom(keys)
		for range 40 {
			o := Object{Key: key.Draw(t, "object"), Version: Version(rapid.SampledFrom([]string{"1", "2", "\x01", "1234567890123456789"}).Draw(t, "version"))}
			for range rapid.SampledFrom([]int{0, 1, 1, 1, 2}).Draw(t, "owners") {
				r := Owner{Key: key.Draw(t, "owner"), Controller: rapid.Bool().Draw(t, "controller")}
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
			d, err := g.Apply(Event{Type: Put, Object: o})
			if err != nil {
				t.Fatal(err)
			}
			if want := Flaw(o, limits); g.Node(d.Node).inner().Flawed() != (want != nil) {
				t.Fatalf("%s counts as flawed: %t; %v", o, want == nil, want)
			}
			if _, err := g.Apply(Event{Type: Gone, Key: key.Draw(t, "gone")}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
