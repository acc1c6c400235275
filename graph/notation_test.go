package graph_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
)

func TestNotation(t *testing.T) {
	key := func(kind graph.Kind, scope, name string, uid graph.UID) graph.Key {
		return graph.Key{Kind: kind, Scope: scope, Name: name, UID: uid}
	}
	a := key("a", "", "a", "a")
	for _, tc := range []struct {
		text   string
		want   graph.Object
		reason string
	}{
		{"a", graph.Object{Key: a}, "the short form repeats one name three times"},
		{"a''", graph.Object{Key: key("a", "", "a", "a''")}, "each prime is one more incarnation under the same name"},
		{"a@8d", graph.Object{Key: key("a", "", "a", "8d")}, "any UID may be given to a short name"},
		{`a@"a/b"`, graph.Object{Key: key("a", "", "a", "a/b")}, "a UID that is not plain is quoted"},
		{`a@""`, graph.Object{Key: key("a", "", "a", "")}, "a place, without UID, prints too"},
		{"a/a", graph.Object{Key: key("a", "", "a", "a/a")}, "with a slash the UID is the whole text, also where kind and name agree"},
		{"pod/web", graph.Object{Key: key("pod", "", "web", "pod/web")}, "two parts are global"},
		{"pod/shop/web'", graph.Object{Key: key("pod", "shop", "web", "pod/shop/web'")}, "the prime belongs to the UID, not to the name"},
		{"pod/shop/web@8d12-4", graph.Object{Key: key("pod", "shop", "web", "8d12-4")}, "a UUID is plain"},
		{`"apps/Deployment"/shop/web`, graph.Object{Key: key("apps/Deployment", "shop", "web", `"apps/Deployment"/shop/web`)}, "the UID is the text as written, quotes and all"},
		{`"a'"'`, graph.Object{Key: key("a'", "", "a'", "a''")}, "a prime in a name is quoted and no incarnation"},
		{`""`, graph.Object{}, "the zero object has a text, for failures"},
		{"a#3", graph.Object{Key: a, Version: "3"}, "version"},
		{"a~", graph.Object{Key: a, Deleting: true}, "deletion mark"},
		{"a~30", graph.Object{Key: a, Deleting: true, GraceSeconds: 30}, "grace period of the mark"},
		{"a[orphan]", graph.Object{Key: a, Finalizers: []string{graph.FinalizerOrphan}}, "a finalizer without a mark"},
		{"a~[foreground]", graph.Object{Key: a, Deleting: true, Finalizers: []string{graph.FinalizerForeground}}, "foreground is short for Kubernetes' name"},
		{`a["foreground"]`, graph.Object{Key: a, Finalizers: []string{"foreground"}}, "quoted, it is that very text"},
		{"a*", graph.Object{Key: a, Finalizers: []string{"foreign"}}, "the star is the finalizer of someone else"},
		{"a[x.io/y]*[orphan,z]", graph.Object{Key: a, Finalizers: []string{"x.io/y", "foreign", "orphan", "z"}}, "finalizers keep their order"},
		{"a%2/1", graph.Object{Key: a, Generation: 2, ObservedGeneration: 1}, "generation and observed generation"},
		{"a -> b!, c^, d?, e!^?", graph.Object{Key: a, Owners: []graph.Owner{
			{Key: key("b", "", "b", "b"), Block: true},
			{Key: key("c", "", "c", "c"), Controller: true},
			{Key: key("d", "", "d", "d"), Unresolved: true},
			{Key: key("e", "", "e", "e"), Block: true, Controller: true, Unresolved: true},
		}}, "references keep their order and their flags"},
		{"a -> b:release, c!^?:restrict", graph.Object{Key: a, Owners: []graph.Owner{
			{Key: key("b", "", "b", "b"), OnDelete: graph.OnDeleteRelease},
			{Key: key("c", "", "c", "c"), Block: true, Controller: true, Unresolved: true, OnDelete: graph.OnDeleteRestrict},
		}}, "the policy stands behind the flags"},
		{"a- -> b", graph.Object{Key: key("a-", "", "a-", "a-"), Owners: []graph.Owner{{Key: key("b", "", "b", "b")}}}, "a name may end with a dash"},
		{`a#1~5*%3/2 -> pod/s/x@u!`, graph.Object{Key: a, Version: "1", Deleting: true, GraceSeconds: 5, Finalizers: []string{"foreign"},
			Generation: 3, ObservedGeneration: 2, Owners: []graph.Owner{{Key: key("pod", "s", "x", "u"), Block: true}}}, "all parts at once"},
	} {
		got, err := graph.ParseObject(tc.text)
		if err != nil {
			t.Errorf("ParseObject(%q): %v; %s", tc.text, err, tc.reason)
			continue
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("ParseObject(%q): -want +got\n%s%s", tc.text, diff, tc.reason)
		}
		if s := tc.want.String(); s != tc.text {
			t.Errorf("String() = %q, want %q: %s", s, tc.text, tc.reason)
		}
	}
}

func TestNotationCanonical(t *testing.T) {
	for _, tc := range []struct{ text, want, reason string }{
		{" ", "", "blank text has no objects"},
		{"b;a", "a; b", "objects are sorted by key"},
		{"b->a!", "b -> a!", "blanks around an arrow are optional"},
		{"a-->b", "a- -> b", "an arrow ends a name, a dash before it belongs to the name"},
		{"b -> c?^! ,\n\ta", "b -> c!^?, a", "flags have an order, references keep theirs"},
		{"b -> c:release!, d?:\"restrict\"^", "b -> c!:release, d^?:restrict", "a policy may stand among the flags"},
		{"a[ foregroundDeletion , foreign ]", "a[foreground]*", "each finalizer has one shortest spelling"},
		{`"a"/""/"b"@"u"`, "a/b@u", "quotes and an empty scope that need not be are left out"},
		{"a/a@a", "a", "the shortest form of a key wins"},
		{`a#""~0%0/0`, "a~", "a zero value is left out"},
		{"a~007", "a~7", "a number has no leading zeros"},
	} {
		objects, err := graph.Parse(tc.text)
		if err != nil {
			t.Errorf("Parse(%q): %v; %s", tc.text, err, tc.reason)
		} else if got := graph.Format(objects); got != tc.want {
			t.Errorf("Format(Parse(%q)) = %q, want %q: %s", tc.text, got, tc.want, tc.reason)
		}
	}
}

func TestNotationErrors(t *testing.T) {
	for _, tc := range []struct{ text, want, reason string }{
		{";", `byte 1: key: want plain text or a quoted string, found ";"`, "an object has a name"},
		{"a;", "byte 3: key: want plain text or a quoted string, found the end", "a separator stands between objects only"},
		{"a b", `byte 3: object: want ";" or the end, found "b"`, "one object after another needs a separator"},
		{"a; b; a", "byte 7: object: a is there twice", "two states of one object are a mistake"},
		{"a~#3", `byte 3: object: want ";" or the end, found "#"`, "the parts have an order"},
		{"a#", "byte 3: version: want plain text or a quoted string, found the end", "a version is not empty by accident"},
		{"a~99999999999999999999", "byte 3: grace period: the number is too large", "numbers have 64 bits"},
		{"a%2", `byte 4: generation: want "/" and the observed generation, found the end`, "both generations are given"},
		{"a%-2/1", `byte 3: generation: want a number, found "-"`, "no number is negative"},
		{"a[]", `byte 3: finalizer: want plain text or a quoted string, found "]"`, "brackets have something"},
		{"a[x", `byte 4: finalizer: want "," or "]", found the end`, "brackets are closed"},
		{"a -> ", "byte 6: key: want plain text or a quoted string, found the end", "an arrow points at something"},
		{"a -> b!!", `byte 8: reference: '!' is there twice`, "a flag stands once"},
		{"a -> b:release:release", `byte 15: reference: ':' is there twice`, "so does a policy"},
		{"a -> b:", "byte 8: policy: want plain text or a quoted string, found the end", "the colon announces a policy"},
		{"a -> b:Release", `byte 8: policy: want release, restrict or cascade, found "Release"`, "a policy has one spelling"},
		{"a -> b:unset", `byte 8: policy: want release, restrict or cascade, found "unset"`, "no policy has no text"},
		{"a:release", `byte 2: object: want ";" or the end, found ":"`, "an object has no policy"},
		{"a/b/c/d", `byte 7: key: more than kind, scope and name: quote a part that has "/"`, "a kind with a slash is quoted"},
		{"a'@b", `byte 3: object: want ";" or the end, found "@"`, "a prime and a UID contradict"},
		{"a@b'", `byte 4: object: want ";" or the end, found "'"`, "a prime in a UID is quoted"},
		{`"a`, "byte 1: key: not a Go string, or it does not end", "a quote is closed"},
		{"é", `byte 1: key: want plain text or a quoted string, found "é"`, "other alphabets are quoted"},
		{"a\x00", `byte 2: object: want ";" or the end, found "\x00"`, "a zero byte is not the end"},
		{strings.Repeat("a", 1<<20+1), "text: 1048577 bytes, at most 1048576", "the work is bounded"},
	} {
		_, err := graph.Parse(tc.text)
		want := "parse objects: " + tc.want + ": invalid"
		if err == nil || err.Error() != want || !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("Parse(%.40q): error %v, want %s: %s", tc.text, err, want, tc.reason)
		}
	}
}

func TestNotationOne(t *testing.T) {
	for _, tc := range []struct{ text, object, key, reason string }{
		{"a; b", `parse object: byte 2: object: want the end, found ";": invalid`, `parse key: byte 2: key: want the end, found ";": invalid`, "one means one"},
		{"", "parse object: byte 1: key: want plain text or a quoted string, found the end: invalid", "parse key: byte 1: key: want plain text or a quoted string, found the end: invalid", "none is not one"},
		{" a#1 ", "", `parse key: byte 3: key: want the end, found "#": invalid`, "a key has no version"},
		{" a/b@c ", "", "", "blanks around it do no harm"},
		{strings.Repeat(" ", 1<<20+1), "parse object: text: 1048577 bytes, at most 1048576: invalid", "parse key: text: 1048577 bytes, at most 1048576: invalid", "the work is bounded"},
	} {
		if _, err := graph.ParseObject(tc.text); message(err) != tc.object {
			t.Errorf("ParseObject(%.40q): error %q, want %q: %s", tc.text, message(err), tc.object, tc.reason)
		}
		if _, err := graph.ParseKey(tc.text); message(err) != tc.key {
			t.Errorf("ParseKey(%.40q): error %q, want %q: %s", tc.text, message(err), tc.key, tc.reason)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// What no store may have shows in a failure, and cannot be read back.
func TestNotationInvalid(t *testing.T) {
	a := graph.Key{Kind: "a", Name: "a", UID: "a"}
	for _, tc := range []struct {
		object       graph.Object
		want, reason string
	}{
		{graph.Object{Key: a, GraceSeconds: 30}, "a!~30", "a grace period without a mark"},
		{graph.Object{Key: a, Deleting: true, GraceSeconds: -1}, "a~-1", "a negative grace period"},
		{graph.Object{Key: a, Generation: -2}, "a%-2/0", "a negative generation"},
		{graph.Object{Key: a, Owners: []graph.Owner{{Key: a, OnDelete: 9}}}, "a -> a:onDelete(9)", "an unknown policy"},
	} {
		s := tc.object.String()
		if s != tc.want {
			t.Errorf("String() = %q, want %q: %s", s, tc.want, tc.reason)
		}
		if o, err := graph.ParseObject(s); err == nil {
			t.Errorf("ParseObject(%q) = %+v, want an error: %s", s, o, tc.reason)
		}
	}
}

// drawWord prefers text that means something to the notation.
func drawWord() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"a", "b", "pod", "", "'", "a'", "a/a", "-", "->", "a-", "orphan", "foreground", "foregroundDeletion", "foreign",
			"apps/Deployment", `"`, `\`, "a; b", "é", "\xff", "\x00", "*", "[x]", "#1", "~", "a@b", " a"}),
		rapid.String())
}

func drawKey() *rapid.Generator[graph.Key] {
	return rapid.Custom(func(t *rapid.T) graph.Key {
		k := graph.Key{Kind: graph.Kind(drawWord().Draw(t, "kind")), Name: drawWord().Draw(t, "name"), Scope: drawWord().Draw(t, "scope")}
		if rapid.Bool().Draw(t, "short") {
			k.Kind, k.Scope = graph.Kind(k.Name), ""
		}
		primes := strings.Repeat("'", rapid.IntRange(0, 3).Draw(t, "primes"))
		place := strings.TrimSuffix(k.Place().String(), `@""`)
		k.UID = graph.UID(rapid.OneOf(drawWord(), rapid.Just(k.Name+primes), rapid.Just(place+primes)).Draw(t, "UID"))
		return k
	})
}

func drawObject() *rapid.Generator[graph.Object] {
	return rapid.Custom(func(t *rapid.T) graph.Object {
		o := graph.Object{
			Key:                drawKey().Draw(t, "key"),
			Version:            graph.Version(drawWord().Draw(t, "version")),
			Finalizers:         rapid.SliceOfN(drawWord(), 0, 4).Draw(t, "finalizers"),
			Deleting:           rapid.Bool().Draw(t, "deleting"),
			Generation:         rapid.Int64Min(0).Draw(t, "generation"),
			ObservedGeneration: rapid.Int64Min(0).Draw(t, "observed"),
		}
		if o.Deleting {
			o.GraceSeconds = rapid.Int64Min(0).Draw(t, "grace")
		}
		o.Owners = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) graph.Owner {
			return graph.Owner{Key: drawKey().Draw(t, "key"), Unresolved: rapid.Bool().Draw(t, "unresolved"),
				Block: rapid.Bool().Draw(t, "block"), Controller: rapid.Bool().Draw(t, "controller"),
				OnDelete: graph.OnDelete(rapid.IntRange(0, 3).Draw(t, "policy"))}
		}), 0, 3).Draw(t, "owners")
		return o
	})
}

func TestNotationRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		objects := rapid.SliceOfNDistinct(drawObject(), 0, 4, func(o graph.Object) graph.Key { return o.Key }).Draw(t, "objects")
		text := graph.Format(objects)
		got, err := graph.Parse(text)
		if err != nil {
			t.Fatalf("Parse(%q): %v", text, err)
		}
		slices.SortFunc(objects, func(a, b graph.Object) int { return a.Key.Compare(b.Key) })
		if !slices.EqualFunc(objects, got, graph.Object.Equal) {
			t.Fatalf("Parse(Format) differs: -want +got\n%s", cmp.Diff(objects, got))
		}
		for _, o := range objects {
			if k, err := graph.ParseKey(o.Key.String()); err != nil || k != o.Key {
				t.Fatalf("ParseKey(%q) = %+v, %v; want %+v", o.Key.String(), k, err, o.Key)
			}
			for _, r := range o.Owners {
				if d, err := graph.ParseObject("d -> " + r.String()); err != nil || len(d.Owners) != 1 || d.Owners[0] != r {
					t.Fatalf("reference %q reads as %v, %v", r.String(), d.Owners, err)
				}
			}
		}
		slices.Reverse(objects)
		kept := slices.Clone(objects)
		if again := graph.Format(objects); again != text {
			t.Fatalf("Format depends on the order: %q, then %q", text, again)
		}
		if !slices.EqualFunc(objects, kept, graph.Object.Equal) {
			t.Fatalf("Format changed its argument")
		}
	})
}

func FuzzNotation(f *testing.F) {
	f.Add("a; b -> a!")
	f.Fuzz(func(t *testing.T, text string) {
		graph.ParseKey(text)
		graph.ParseObject(text)
		objects, err := graph.Parse(text)
		if err != nil {
			if !errors.Is(err, graph.ErrInvalid) {
				t.Fatalf("Parse(%q): %v does not wrap ErrInvalid", text, err)
			}
			return
		}
		printed := graph.Format(objects)
		again, err := graph.Parse(printed)
		if err != nil || graph.Format(again) != printed {
			t.Fatalf("Parse(%q) prints %q, which reads as %v, %v", text, printed, again, err)
		}
		if len(again) != len(objects) {
			t.Fatalf("Parse(%q): %d objects, printed and read again %d", text, len(objects), len(again))
		}
	})
}
