package view_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/view"
)

// hostile are names that attack a form of the picture.
func hostile() []string {
	return []string{
		"", " ", "<script>alert(1)</script>", `"]; end`, "a\nb\r\tc", "\x00\x1b[2J", "\u202eexe.txt\u2066", "]]>", "&lt;&#10;&quot;", `\N\"\n`,
		"-->|x|", "end", "#quot;#35;", "%%{init: {}}%%", "\xff\xfe", "日本語のとても長い名前です", "e\u0301\u0301\u0301", "💥", strings.Repeat("x", 1<<20),
		"`${x}`", "style", "a;b", "]:::live", "<br/>", "\ufffd", "\u2028", "\ue000", "\U000e0001", `</style><svg onload="x">`,
	}
}

// drawObjects draws objects that may own each other in every way.
func drawObjects(t *rapid.T) []graph.Object {
	n := rapid.IntRange(0, 14).Draw(t, "objects")
	name := rapid.OneOf(rapid.SampledFrom([]string{"a", "b", "c", "d"}), rapid.SampledFrom(hostile()[:18]), rapid.String())
	var objects []graph.Object
	for i := range n {
		o := graph.Object{Key: drawKey(t, name, i), Deleting: rapid.Bool().Draw(t, "deleting")}
		o.Finalizers = rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom([]string{graph.FinalizerForeground, graph.FinalizerOrphan}), name), 0, 2).Draw(t, "finalizers")
		for range rapid.IntRange(0, 3).Draw(t, "owners") {
			r := graph.Owner{Key: drawKey(t, name, rapid.IntRange(0, n+1).Draw(t, "owner"))}
			if at := rapid.IntRange(0, n).Draw(t, "sound"); at < len(objects) {
				r.Key = objects[at].Key
			}
			r.OnDelete = graph.OnDelete(rapid.SampledFrom([]uint8{0, 0, 0, 1, 2, 3, 255}).Draw(t, "policy"))
			r.Block, r.Controller, r.Unresolved = rapid.Bool().Draw(t, "block"), rapid.Bool().Draw(t, "controller"), rapid.IntRange(0, 4).Draw(t, "scope") == 0
			o.Owners = append(o.Owners, r)
		}
		objects = append(objects, o)
	}
	return objects
}

func drawKey(t *rapid.T, name *rapid.Generator[string], i int) graph.Key {
	k := graph.Key{Kind: graph.Kind(name.Draw(t, "kind")), Scope: name.Draw(t, "scope"), Name: name.Draw(t, "name"), UID: graph.UID(fmt.Sprint(i))}
	if rapid.IntRange(0, 9).Draw(t, "uid") == 0 {
		k.UID = ""
	}
	return k
}

// drawPicture draws a picture by each of the functions.
func drawPicture(t *rapid.T) view.Picture {
	objects := drawObjects(t)
	limit := rapid.SampledFrom([]int{0, 1, 2, 5, 20}).Draw(t, "limit")
	switch form := rapid.IntRange(0, 2).Draw(t, "form"); {
	case form == 0 && len(objects) > 0:
		return view.Tree(objects, rapid.SampledFrom(objects).Draw(t, "subject").Key, limit)
	case form == 1:
		return view.Plan(planOf(t, objects), objects, limit)
	}
	return view.All(objects, limit)
}

// planOf draws ends and waves for objects. They need not make sense.
func planOf(t *rapid.T, objects []graph.Object) plan.Plan {
	p := plan.Plan{Waves: rapid.IntRange(0, 4).Draw(t, "waves")}
	for _, o := range objects {
		x := plan.Object{
			Key: o.Key, Outcome: plan.Outcome(rapid.IntRange(0, int(plan.Held)+1).Draw(t, "outcome")), Reason: policy.Reason(rapid.Uint8Max(uint8(policy.Paused)).Draw(t, "reason")),
			Wave: rapid.IntRange(-1, 5).Draw(t, "wave"), Possible: rapid.Bool().Draw(t, "possible"), Root: rapid.Bool().Draw(t, "root"), Causes: o.Finalizers,
		}
		if len(o.Owners) > 0 {
			x.Parent, x.Owners = o.Owners[0].Key, []graph.Key{o.Owners[len(o.Owners)-1].Key}
		}
		p.Objects = append(p.Objects, x)
	}
	return p
}

// TestPictureIgnoresOrder: the order of the objects does not show, nor does an object that
// comes twice.
func TestPictureIgnoresOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		objects := drawObjects(t)
		limit := rapid.SampledFrom([]int{0, 1, 3, 8}).Draw(t, "limit")
		mixed := append(rapid.Permutation(objects).Draw(t, "order"), objects...)
		compare := func(a, b view.Picture) {
			other := forms(b)
			for form, text := range forms(a) {
				if text != other[form] {
					t.Fatalf("%s depends on the order:\n%s\n%s", form, text, other[form])
				}
			}
		}
		compare(view.All(objects, limit), view.All(mixed, limit))
		p := planOf(t, objects)
		compare(view.Plan(p, objects, limit), view.Plan(p, mixed, limit))
		for _, o := range objects {
			compare(view.Tree(objects, o.Key, limit), view.Tree(mixed, o.Key, limit))
		}
	})
}

// TestSVGIsSound: a drawing is well-formed XML of a few elements, without scripts, links
// and control characters.
func TestSVGIsSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkSVG(t, drawPicture(t).SVG()) })
	checkSVG(t, view.Picture{}.SVG())
}

type fataler interface {
	Fatalf(format string, args ...any)
}

func checkSVG(t fataler, text string) {
	d := xml.NewDecoder(strings.NewReader(text))
	var path []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		switch x := token.(type) {
		case xml.StartElement:
			path = append(path, x.Name.Local)
			if !strings.Contains(" svg title desc style rect g path text ", " "+x.Name.Local+" ") {
				t.Fatalf("element %s in\n%s", x.Name.Local, text)
			}
			for _, a := range x.Attr {
				if !strings.Contains(" xmlns class role viewBox width height x y d ", " "+a.Name.Local+" ") {
					t.Fatalf("attribute %s of %s in\n%s", a.Name.Local, x.Name.Local, text)
				}
			}
		case xml.EndElement:
			path = path[:len(path)-1]
		case xml.CharData:
			if at := path[max(len(path)-1, 0):]; len(at) > 0 && at[0] != "style" && strings.ContainsFunc(strings.TrimSuffix(string(x), "\n"), odd) {
				t.Fatalf("text %q in %v", x, path)
			}
		default:
			t.Fatalf("%T in\n%s", token, text)
		}
	}
}

// odd reports whether a character has no picture, but for line breaks between elements.
func odd(r rune) bool { return !unicode.IsPrint(r) && r != '\n' }

// TestHostile: no name breaks a form, or makes it long.
func TestHostile(t *testing.T) {
	var objects []graph.Object
	for i, name := range hostile() {
		o := graph.Object{Key: graph.Key{Kind: graph.Kind(name), Scope: name, Name: name, UID: graph.UID(fmt.Sprint(i, name))}, Finalizers: []string{name}}
		if i > 0 {
			o.Owners = []graph.Owner{{Key: objects[i/2].Key}, {Key: graph.Key{Kind: "gone", Name: name, UID: graph.UID("gone" + name)}}}
		}
		objects = append(objects, o)
	}
	for _, p := range []view.Picture{view.All(objects, 0), view.Tree(objects, objects[0].Key, 0)} {
		for form, text := range forms(p) {
			if len(text) > 400_000 {
				t.Errorf("%s has %d bytes", form, len(text))
			}
			if strings.ContainsFunc(text, odd) {
				t.Errorf("%s has control characters:\n%.3000q", form, text)
			}
			if form == "mmd" && strings.Contains(text, "<s") {
				t.Errorf("a browser reads Mermaid as HTML first:\n%.3000s", text)
			}
		}
		checkSVG(t, p.SVG())
		checkDOT(t, p.DOT())
		if !strings.Contains(p.DOT(), "&amp;lt;&amp;#10;&amp;quot;") {
			t.Errorf("Graphviz would read the entities of a name:\n%.3000s", p.DOT())
		}
	}
}

// TestHostileShapes: no shape of 30,000 references takes more than a moment, which a
// square of that number would.
func TestHostileShapes(t *testing.T) {
	const n = 30_000
	object := func(kind, name int, uid string) graph.Object {
		return graph.Object{Key: graph.Key{Kind: graph.Kind(fmt.Sprint("k", kind)), Name: fmt.Sprint(name), UID: graph.UID(uid)}}
	}
	shapes := map[string][]graph.Object{}
	root := object(0, 0, "root")
	var many []graph.Owner
	for i := range n {
		star, ray, chain, shared := object(1, i, fmt.Sprint(i)), object(i, i, fmt.Sprint(i)), object(1, i, fmt.Sprint(i)), object(1, i, "shared")
		star.Owners, ray.Owners = []graph.Owner{{Key: root.Key}}, []graph.Owner{{Key: root.Key}}
		chain.Owners = []graph.Owner{{Key: object(1, (i+1)%n, fmt.Sprint((i+1)%n)).Key}}
		shared.Owners = []graph.Owner{{Key: object(1, n-i, "shared").Key}}
		shapes["star"], shapes["kinds"] = append(shapes["star"], star), append(shapes["kinds"], ray)
		shapes["ring"], shapes["one UID"] = append(shapes["ring"], chain), append(shapes["one UID"], shared)
		shapes["alone"] = append(shapes["alone"], object(1, i, fmt.Sprint(i)))
		many = append(many, graph.Owner{Key: star.Key, Unresolved: i%2 == 0})
	}
	sink := object(9, 0, "sink")
	sink.Owners = append(many, many...)
	shapes["star"] = append(shapes["star"], root, sink)
	shapes["kinds"] = append(shapes["kinds"], root, sink)
	shapes["absent owners"] = []graph.Object{sink}
	for name, objects := range shapes {
		pictures := []view.Picture{view.All(objects, 5000)}
		if name == "ring" || name == "star" {
			pictures = append(pictures, view.Tree(objects, objects[len(objects)-1].Key, 0))
		}
		for _, p := range pictures {
			for form, text := range forms(p) {
				if len(text) == 0 || len(text) > 6_000_000 {
					t.Errorf("%s of %s has %d bytes", form, name, len(text))
				}
			}
		}
	}
}

// TestDuplicateUIDs: a reference leads to at most five objects that share its UID. So many objects with
// one UID, and many references to it, take no product of both.
func TestDuplicateUIDs(t *testing.T) {
	dependent := graph.Object{Key: graph.Key{Kind: "k", Name: "d", UID: "d"}, Owners: []graph.Owner{{Key: graph.Key{Kind: "k", Name: "3", UID: "shared"}}}}
	objects := []graph.Object{dependent}
	for i := range 30 {
		objects = append(objects, graph.Object{Key: graph.Key{Kind: "k", Name: fmt.Sprint(i), UID: "shared"}})
		if n := strings.Count(view.Tree(objects, dependent.Key, 0).DOT(), " -> n"); n != min(i+1, 5) {
			t.Errorf("%d edges to %d objects", n, i+1)
		}
	}
}

// TestMermaidFits: Mermaid draws a picture with a limit of 100 under its own bounds.
func TestMermaidFits(t *testing.T) {
	objects := crowd(5000)
	for _, p := range []view.Picture{view.All(objects, 100), view.Tree(objects, objects[0].Key, 100)} {
		text, edges := p.Mermaid(), 0
		for line := range strings.Lines(text) {
			if fields := strings.Fields(line); len(fields) == 3 && strings.HasPrefix(fields[2], "n") {
				edges++
			}
		}
		if n := utf8.RuneCountInString(text); edges < 99 || edges > 400 || n > 50_000 {
			t.Errorf("%d edges and %d characters", edges, n)
		}
	}
}

// TestMermaidEscapes: the text of a label has no sign with a meaning in Mermaid, so each
// line has the form of a statement.
func TestMermaidEscapes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for line := range strings.Lines(drawPicture(t).Mermaid()) {
			if n := strings.Count(line, `"`); n != 0 && n != 2 {
				t.Fatalf("%d quotes in %q", n, line)
			}
			if _, rest, ok := strings.Cut(line, `"`); ok {
				text, _, _ := strings.Cut(rest, `"`)
				if strings.ContainsAny(strings.ReplaceAll(text, "<br/>", ""), "<>&`{}[]|%\\") {
					t.Fatalf("label %q", text)
				}
			}
		}
	})
}

// FuzzPicture: no name breaks a form.
func FuzzPicture(f *testing.F) {
	for i, name := range hostile() {
		f.Add(name, hostile()[(i+7)%len(hostile())], uint8(i))
	}
	f.Fuzz(func(t *testing.T, a, b string, shape uint8) {
		first := graph.Object{Key: graph.Key{Kind: graph.Kind(a), Scope: b, Name: a, UID: graph.UID(a)}, Finalizers: []string{b}, Deleting: shape&1 > 0}
		second := graph.Object{Key: graph.Key{Kind: graph.Kind(b), Name: a, UID: graph.UID(b)}, Owners: []graph.Owner{{Key: first.Key, Unresolved: shape&2 > 0}}}
		if shape&4 > 0 {
			first.Owners = []graph.Owner{{Key: second.Key}, {Key: graph.Key{Name: b, UID: "gone"}}}
		}
		objects := []graph.Object{first, second}
		for _, p := range []view.Picture{view.All(objects, 0), view.Tree(objects, first.Key, 1)} {
			for form, text := range forms(p) {
				if len(text) > 50_000 || strings.ContainsFunc(text, odd) {
					t.Errorf("%s: %d bytes: %.2000q", form, len(text), text)
				}
			}
			checkSVG(t, p.SVG())
			if strings.Count(p.DOT(), "\n") > 20 {
				t.Errorf("a name breaks a line:\n%s", p.DOT())
			}
		}
	})
}
