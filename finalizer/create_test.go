package finalizer

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
)

// request reads the object of a user's request, without a UID.
func request(t *testing.T, text string) graph.Object {
	t.Helper()
	o := parse(t, text)
	o.UID = ""
	return o
}

func TestCreate(t *testing.T) {
	refused, invalid := []error{graph.ErrRefused}, []error{graph.ErrRefused, graph.ErrInvalid}
	for _, tc := range []struct {
		object string
		edit   func(*graph.Object)
		limits graph.Limits
		is     []error
		want   string // the object to be stored, without its UID, or the message
		reason string
	}{
		{"pod/ns/a", nil, graph.Limits{}, nil, "pod/ns/a%1/0", "its first generation"},
		{"pod/ns/a[x,y] -> rs/ns/r!, node/n^", nil, graph.Limits{}, nil, "pod/ns/a[x,y]%1/0 -> rs/ns/r!, node/n^", "owners and finalizers are the writer's"},
		{"a[orphan]", nil, graph.Limits{}, nil, "a[orphan]%1/0", "it may carry one propagation from the start"},
		{"a -> b:release, c:restrict", nil, graph.Limits{}, nil, "a%1/0 -> b:release, c:restrict", "policies are the writer's"},
		{"a -> b", func(o *graph.Object) { o.Owners[0].OnDelete = 9 }, graph.Limits{}, invalid,
			"create: refused: validate a/a: owners[0].onDelete: onDelete(9) is unknown: invalid", "no store keeps an unknown policy"},
		{"a -> b?", nil, graph.Limits{}, nil, "a%1/0 -> b?", "an owner may be unresolved"},
		{"a", func(o *graph.Object) { o.ObservedGeneration = 1 }, graph.Limits{}, nil, "a%1/1", "the observed generation is the writer's, as in an update"},
		{"a", func(o *graph.Object) { o.UID = "u" }, graph.Limits{}, refused, "create a@u: uid: the store makes it: refused", "a UID that a user chooses could come back"},
		{"a", func(o *graph.Object) { o.Version = "1" }, graph.Limits{}, refused, "create a: version: the store makes it: refused", "it would name two states"},
		{"a~", nil, graph.Limits{}, refused, "create a: deleting: only a deletion sets the mark: refused", "it would never have been alive"},
		{"a", func(o *graph.Object) { o.GraceSeconds = 1 }, graph.Limits{}, refused, "create a: graceSeconds: only a deletion sets it: refused", "it belongs to the mark"},
		{"a%1/0", nil, graph.Limits{}, refused, "create a: generation: the store makes it: refused", "the store counts it"},
		{"a[orphan,foreground]", nil, graph.Limits{}, invalid,
			"create: refused: validate a/a: finalizers: both orphan and foregroundDeletion: invalid", "they contradict each other"},
		{"a", func(o *graph.Object) { o.Finalizers = []string{""} }, graph.Limits{}, invalid,
			"create: refused: validate a/a: finalizers[0]: empty: invalid", "no client could take it off"},
		{"a[x,x]", nil, graph.Limits{}, invalid, "create: refused: validate a/a: finalizers[1]: the same as finalizers[0]: invalid", "one goes, the other stays"},
		{"a[x,y]", nil, graph.Limits{Finalizers: 1}, invalid, "create: refused: validate a/a: finalizers: 2, more than 1: invalid", "the store's own limits apply"},
		{"a -> b, b/b@c, b/d@b", nil, graph.Limits{}, invalid, "create: refused: validate a/a: owners[2].uid: the same as owners[0].uid: invalid", "one of two is wrong"},
		{"a -> a/a@u", nil, graph.Limits{}, invalid, "create: refused: validate a/a: owners[0].name: the object's own coordinates: invalid", "it would wait for itself"},
		{"a", func(o *graph.Object) { o.Name = "" }, graph.Limits{}, invalid, `create: refused: validate a/"": name: empty: invalid`, "it could not be found"},
	} {
		o := request(t, tc.object)
		if tc.edit != nil {
			tc.edit(&o)
		}
		before := o.Clone()
		out, err := Create(o, tc.limits)
		for _, is := range tc.is {
			if !errors.Is(err, is) {
				t.Errorf("Create(%s): %v is no %v: %s", tc.object, err, is, tc.reason)
			}
		}
		got := says(out, err)
		if err == nil {
			want := request(t, tc.want)
			got = says(out, nil)
			if !out.Object.Equal(want) || out.Effect != Stored {
				t.Errorf("Create(%s): %s, want it stored as %s: %s", tc.object, got, want, tc.reason)
			}
		} else if tc.is == nil || got != tc.want || out.Effect != EffectUnset {
			t.Errorf("Create(%s): %v %s, want %s: %s", tc.object, out.Effect, got, tc.want, tc.reason)
		}
		if !o.Equal(before) {
			t.Errorf("Create(%s) changed its argument: %v", tc.object, o)
		}
	}
}

// TestCreateLaws: Create takes an object if and only if the store's fields are empty and
// the rest is sound. It adds the first generation and nothing else, and shares nothing
// with its argument. The stored object can be deleted.
func TestCreateLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := objects.Draw(t, "object")
		o.UID = graph.UID(rapid.SampledFrom([]string{"", "", "", "u"}).Draw(t, "uid"))
		o.Version = graph.Version(rapid.SampledFrom([]string{"", "", "", "1"}).Draw(t, "version"))
		o.Deleting = o.Deleting && rapid.Bool().Draw(t, "marked")
		o.Generation = min(o.Generation, rapid.Int64Range(0, 1).Draw(t, "at most"))
		given := o.Clone()
		makes := given.UID != "" || given.Version != "" || given.Deleting || given.GraceSeconds != 0 || given.Generation != 0
		takes := !makes && graph.Validate(given, graph.Limits{}) == nil
		out, err := Create(o, graph.Limits{})
		switch {
		case takes != (err == nil), !takes && !errors.Is(err, graph.ErrRefused), !o.Equal(given):
			t.Fatalf("Create(%v): %v, want it taken: %t", given, err, takes)
		case !takes:
			return
		}
		want := given.Clone()
		want.Generation = 1
		if out.Effect != Stored || !out.Object.Equal(want) {
			t.Fatalf("Create(%v): %v %v", given, out.Effect, out.Object)
		}
		for i := range out.Object.Finalizers {
			out.Object.Finalizers[i] += "'"
		}
		for i := range out.Object.Owners {
			out.Object.Owners[i].Name += "'"
		}
		if !o.Equal(given) {
			t.Fatalf("Create(%v) shares its result", given)
		}
		stored := want
		stored.UID, stored.Version = "a", "1"
		checkEnd(t, stored)
	})
}

// TestCreateThenUpdate: an update that repeats the request changes nothing.
func TestCreateThenUpdate(t *testing.T) {
	for _, text := range []string{"a", "a[x,orphan] -> b!", "pod/ns/a -> rs/ns/r^"} {
		asked := request(t, text)
		out, err := Create(asked, graph.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		live := out.Object
		live.UID, live.Version = "u", "1"
		if got := says(Update(live, asked)); got != "unchanged" {
			t.Errorf("Update(%v, %v) after Create: %s, want unchanged", live, asked, got)
		}
		slices.Reverse(asked.Finalizers)
		if got := says(Update(live, asked)); strings.HasPrefix(got, "update") {
			t.Errorf("Update(%v, %v): %s", live, asked, got)
		}
	}
}
