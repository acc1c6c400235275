package replica

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

func TestCreate(t *testing.T) {
	s := newState(t, "rs/ns/r@r1#5")
	for _, tc := range []struct{ object, want, reason string }{
		{"pod/ns/a -> rs/ns/r@r1!^", "pod/ns/a@u1#6%1/0 -> rs/ns/r@r1!^", "the store adds UID, version, generation"},
		{"node/n*", "node/n@u2#7*%1/0", "a global one, with a finalizer"},
		{"pod/other/a", "pod/other/a@u3#8%1/0", "a name is free in another scope"},
		{"pod/ns/c -> node/x@u4", "pod/ns/c@u5#9%1/0 -> node/x@u4", "an object never gets a UID that it names as its owner's"},
	} {
		e, o, err := apart(s.Create(fresh(t, tc.object)))
		if err != nil || o.String() != tc.want || e.Type != graph.Put || !e.Object.Equal(o) {
			t.Errorf("Create(%s): %v, %v %v, %v; want %s: %s", tc.object, o, e.Type, e.Object, err, tc.want, tc.reason)
		}
	}
	equals(t, s, "node/n@u2#7*%1/0; pod/ns/a@u1#6%1/0 -> rs/ns/r@r1!^; pod/ns/c@u5#9%1/0 -> node/x@u4; pod/other/a@u3#8%1/0; rs/ns/r@r1#5")
	if s.Version() != "9" {
		t.Errorf("Version() = %s, want that of the latest write, 9", s.Version())
	}
}

func TestCreateRefuses(t *testing.T) {
	with := func(edit func(*graph.Object)) graph.Object {
		o := fresh(t, "pod/ns/new")
		edit(&o)
		return o
	}
	invalid := []error{graph.ErrRefused, graph.ErrInvalid}
	for _, tc := range []struct {
		object graph.Object
		is     []error
		want   string
		reason string
	}{
		{fresh(t, "job/ns/a"), []error{graph.ErrKindUnknown}, "create job/ns/a", "the kind is not served"},
		{with(func(o *graph.Object) { o.UID = "u9" }), []error{graph.ErrRefused}, "create pod/ns/new@u9: uid: the store makes it",
			"a UID that a user chooses could come back"},
		{with(func(o *graph.Object) { o.Version = "1" }), []error{graph.ErrRefused}, "create pod/ns/new: version: the store makes it", "it would name two states"},
		{with(func(o *graph.Object) { o.Deleting = true }), []error{graph.ErrRefused}, "create pod/ns/new: deleting: only a deletion sets the mark",
			"only a deletion sets the mark"},
		{with(func(o *graph.Object) { o.GraceSeconds = 1 }), []error{graph.ErrRefused}, "create pod/ns/new: graceSeconds: only a deletion sets it", "only a deletion sets it"},
		{with(func(o *graph.Object) { o.Generation = 1 }), []error{graph.ErrRefused}, "create pod/ns/new: generation: the store makes it", "the store counts it"},
		{with(func(o *graph.Object) { o.Scope = "" }), invalid, "create pod/new: scope: empty, and the kind is scoped", "no caller could find the object"},
		{fresh(t, "node/ns/n"), invalid, "create node/ns/n: scope: given, and the kind is global", "no caller could find the object"},
		{with(func(o *graph.Object) { o.Name = "" }), invalid, `create: refused: validate pod/ns/"": name: empty`, "graph.Validate checks each new object"},
		{fresh(t, "pod/ns/new -> pod/ns/new@u0"), invalid, "create: refused: validate pod/ns/new: owners[0].name: the object's own coordinates", "it would wait for itself"},
		{fresh(t, "pod/ns/new -> event/ns/e@e1"), invalid, "create pod/ns/new: owners[0].kind: may not own", "events come and go"},
		{fresh(t, "pod/ns/a"), []error{graph.ErrConflict}, `create pod/ns/a: name: taken by uid "a1"`, "the place is taken"},
	} {
		s := newState(t, "pod/ns/a@a1#3")
		_, err := s.Create(tc.object)
		refused(t, "Create("+tc.object.String()+")", err, tc.want, tc.reason, tc.is...)
		equals(t, s, "pod/ns/a@a1#3")
		if _, o, err := apart(s.Create(fresh(t, "pod/ns/next"))); err != nil || o.UID != "u1" || o.Version != "4" {
			t.Errorf("after a refused Create: %v, %v; want u1 and version 4: a refused write takes no version", o, err)
		}
	}
}

func TestCreateHonoursLimits(t *testing.T) {
	s, err := New(Config{Kinds: testKinds, Limits: graph.Limits{Finalizers: 1}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Create(fresh(t, "node/n[x,y]"))
	refused(t, "Create", err, "create: refused: validate node/n: finalizers: 2, more than 1", "the limit is set", graph.ErrRefused, graph.ErrInvalid)
}

// TestResolve: the state resolves the scope of each reference.
func TestResolve(t *testing.T) {
	for _, tc := range []struct{ given, want, reason string }{
		{"pod/ns/a -> rs/r@r1", "pod/ns/a@u1#1%1/0 -> rs/ns/r@r1", "the owner is in the dependent's scope"},
		{"pod/ns/a -> rs/other/r@r1", "pod/ns/a@u1#1%1/0 -> rs/other/r@r1", "unchanged, right or wrong"},
		{"pod/ns/a -> node/n@n1", "pod/ns/a@u1#1%1/0 -> node/n@n1", "the owner is global"},
		{"pod/ns/a -> node/ns/n@n1", "pod/ns/a@u1#1%1/0 -> node/ns/n@n1", "unchanged, although it is wrong"},
		{"node/n -> rs/r@r1!", "node/n@u1#1%1/0 -> rs/r@r1!?", "a global dependent has no scope to lend"},
		{"node/n -> rs/ns/r@r1", "node/n@u1#1%1/0 -> rs/ns/r@r1", "unchanged"},
		{"node/n -> volume/v@v1", "node/n@u1#1%1/0 -> volume/v@v1", "both are global"},
		{"pod/ns/a -> job/j@j1", "pod/ns/a@u1#1%1/0 -> job/j@j1?", "the kind is not served"},
		{"pod/ns/a -> rs/r@r1?", "pod/ns/a@u1#1%1/0 -> rs/r@r1?", "the writer left it unresolved"},
	} {
		created := newState(t, "")
		_, o, err := apart(created.Create(fresh(t, tc.given)))
		if err != nil || o.String() != tc.want {
			t.Errorf("Create(%s): %v, %v, want %s: %s", tc.given, o, err, tc.want, tc.reason)
		}
		same := o.Clone()
		same.Owners = fresh(t, tc.given).Owners
		if e, _, err := apart(created.Update(same)); err != nil || e.Type != graph.EventUnset {
			t.Errorf("Update with the same references: %v, %v, want no event: they resolve to the same", e.Type, err)
		}
		patched := newState(t, "")
		if _, o, err = apart(patched.Create(graph.Object{Key: o.Place()})); err != nil {
			t.Fatal(err)
		}
		_, o, err = apart(patched.Patch(o.Key, graph.Precondition{}, graph.Change{AddOwner: &fresh(t, tc.given).Owners[0]}))
		if want := strings.Replace(tc.want, "#1", "#2", 1); err != nil || o.String() != want {
			t.Errorf("Patch(%s): %v, %v, want %s: %s", tc.given, o, err, want, tc.reason)
		}
	}
}
