package replica

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// kinds of the tests: pod and rs are scoped, node and volume global, event is
// scoped and may not own.
var testKinds = []graph.KindInfo{
	{Kind: "event", Scoped: true, NoOwner: true}, {Kind: "node"}, {Kind: "pod", Scoped: true},
	{Kind: "rs", Scoped: true}, {Kind: "volume"},
}

func parse(t testing.TB, text string) []graph.Object {
	t.Helper()
	list, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// fresh reads an object as a user would create it: without UID and version.
func fresh(t testing.TB, text string) graph.Object {
	t.Helper()
	o := parse(t, text)[0]
	o.UID, o.Version = "", ""
	return o
}

func key(t testing.TB, text string) graph.Key {
	t.Helper()
	return fresh(t, text).Key
}

// newState returns a state that holds the objects of the notation and makes
// the UIDs u1, u2, ...
func newState(t testing.TB, objects string) *State {
	t.Helper()
	s, err := New(Config{Kinds: testKinds, Objects: parse(t, objects), UIDPrefix: "u"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// apart returns the event and the object of a commit.
func apart(c Commit, err error) (graph.Event, graph.Object, error) {
	if err != nil {
		return graph.Event{}, graph.Object{}, err
	}
	return c.Event(), c.Object(), nil
}

// holds compares all that a state holds with the notation.
func holds(t testing.TB, s interface{ Objects() []graph.Object }, want string) {
	t.Helper()
	if got := graph.Format(s.Objects()); got != want {
		t.Errorf("held:\n%s\nwant:\n%s", got, want)
	}
}

// refused compares an error with its sentinels and its text without them.
func refused(t testing.TB, call string, err error, text, reason string, is ...error) {
	t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), text+": ") {
		t.Errorf("%s: %v, want %q: %s", call, err, text, reason)
	}
	for _, e := range is {
		if !errors.Is(err, e) {
			t.Errorf("%s: %v is no %v: %s", call, err, e, reason)
		}
	}
	for _, e := range []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrKindUnknown, graph.ErrRefused, graph.ErrInvalid, ErrSick} {
		if errors.Is(err, e) && !slices.Contains(is, e) {
			t.Errorf("%s: %v is also %v: %s", call, err, e, reason)
		}
	}
}

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
	holds(t, s, "node/n@u2#7*%1/0; pod/ns/a@u1#6%1/0 -> rs/ns/r@r1!^; pod/ns/c@u5#9%1/0 -> node/x@u4; pod/other/a@u3#8%1/0; rs/ns/r@r1#5")
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
		{with(func(o *graph.Object) { o.Scope = "" }), invalid, "create pod/new: scope: empty, and the kind is scoped", "it could not be found"},
		{fresh(t, "node/ns/n"), invalid, "create node/ns/n: scope: given, and the kind is global", "it could not be found"},
		{with(func(o *graph.Object) { o.Name = "" }), invalid, `create: refused: validate pod/ns/"": name: empty`, "graph.Validate stands at the door"},
		{fresh(t, "pod/ns/new -> pod/ns/new@u0"), invalid, "create: refused: validate pod/ns/new: owners[0].name: the object's own coordinates", "it would wait for itself"},
		{fresh(t, "pod/ns/new -> event/ns/e@e1"), invalid, "create pod/ns/new: owners[0].kind: may not own", "events come and go"},
		{fresh(t, "pod/ns/a"), []error{graph.ErrConflict}, `create pod/ns/a: name: taken by uid "a1"`, "the place is taken"},
	} {
		s := newState(t, "pod/ns/a@a1#3")
		_, err := s.Create(tc.object)
		refused(t, "Create("+tc.object.String()+")", err, tc.want, tc.reason, tc.is...)
		holds(t, s, "pod/ns/a@a1#3")
		if _, o, err := apart(s.Create(fresh(t, "pod/ns/next"))); err != nil || o.UID != "u1" || o.Version != "4" {
			t.Errorf("after a refused Create: %v, %v; want u1 and version 4: nothing was used up", o, err)
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

// TestResolve holds what becomes of a reference's scope.
func TestResolve(t *testing.T) {
	for _, tc := range []struct{ given, want, reason string }{
		{"pod/ns/a -> rs/r@r1", "pod/ns/a@u1#1%1/0 -> rs/ns/r@r1", "the owner is in the dependent's scope"},
		{"pod/ns/a -> rs/other/r@r1", "pod/ns/a@u1#1%1/0 -> rs/other/r@r1", "as given, right or wrong"},
		{"pod/ns/a -> node/n@n1", "pod/ns/a@u1#1%1/0 -> node/n@n1", "the owner is global"},
		{"pod/ns/a -> node/ns/n@n1", "pod/ns/a@u1#1%1/0 -> node/ns/n@n1", "as given, though wrong"},
		{"node/n -> rs/r@r1!", "node/n@u1#1%1/0 -> rs/r@r1!?", "a global dependent has no scope to lend"},
		{"node/n -> rs/ns/r@r1", "node/n@u1#1%1/0 -> rs/ns/r@r1", "as given"},
		{"node/n -> volume/v@v1", "node/n@u1#1%1/0 -> volume/v@v1", "both are global"},
		{"pod/ns/a -> job/j@j1", "pod/ns/a@u1#1%1/0 -> job/j@j1?", "nobody knows what a job is"},
		{"pod/ns/a -> rs/r@r1?", "pod/ns/a@u1#1%1/0 -> rs/r@r1?", "the writer does not know either"},
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

func TestWrites(t *testing.T) {
	orphan := graph.DeleteOptions{Propagation: graph.Orphan}
	patch := func(c graph.Change) func(*State) (Commit, error) {
		return func(s *State) (Commit, error) {
			return s.Patch(key(t, "pod/ns/a"), graph.Precondition{UID: "a1"}, c)
		}
	}
	update := func(text string) func(*State) (Commit, error) {
		return func(s *State) (Commit, error) { return s.Update(parse(t, text)[0]) }
	}
	remove := func(o graph.DeleteOptions) func(*State) (Commit, error) {
		return func(s *State) (Commit, error) { return s.Delete(key(t, "pod/ns/a"), o) }
	}
	for _, tc := range []struct {
		name   string
		live   string
		write  func(*State) (Commit, error)
		event  graph.EventType
		object string
		reason string
	}{
		{"update", "pod/ns/a@a1#3", update("pod/ns/a@a1#3*"), graph.Put, "pod/ns/a@a1#4*", "a new version"},
		{"update nothing", "pod/ns/a@a1#3*", update("pod/ns/a@a1#3*"), graph.EventUnset, "pod/ns/a@a1#3*", "no new version"},
		{"patch", "pod/ns/a@a1#3", patch(graph.Change{AddFinalizer: "x"}), graph.Put, "pod/ns/a@a1#4[x]", "a new version"},
		{"patch nothing", "pod/ns/a@a1#3[x]", patch(graph.Change{AddFinalizer: "x"}), graph.EventUnset, "pod/ns/a@a1#3[x]", "no new version"},
		{"mark", "pod/ns/a@a1#3*%1/1", remove(orphan), graph.Put, "pod/ns/a@a1#4~*[orphan]%2/1", "finalizers hold it"},
		{"mark again", "pod/ns/a@a1#3~[orphan]", remove(orphan), graph.EventUnset, "pod/ns/a@a1#3~[orphan]", "nothing new"},
		{"delete", "pod/ns/a@a1#3", remove(graph.DeleteOptions{}), graph.Gone, "pod/ns/a@a1#3~", "nothing holds it"},
		{"last finalizer", "pod/ns/a@a1#3~[x]", patch(graph.Change{DropFinalizer: "x"}), graph.Gone, "pod/ns/a@a1#3~", "nothing holds it"},
		{"flawed", "pod/ns/a@a1#3[x] -> pod/ns/a@a1, rs/ns/r@r1, rs/ns/q@r1", patch(graph.Change{DropFinalizer: "x"}), graph.Put,
			"pod/ns/a@a1#4 -> pod/ns/a@a1, rs/ns/r@r1, rs/ns/q@r1", "what only takes away may leave what was wrong before"},
		{"flawed and done", "pod/ns/a@a1#3~[x] -> pod/ns/a@a1", update("pod/ns/a@a1 -> pod/ns/a@a1"), graph.Gone,
			"pod/ns/a@a1#3~ -> pod/ns/a@a1", "what goes needs no judgement"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newState(t, tc.live)
			e, o, err := apart(tc.write(s))
			if err != nil || e.Type != tc.event || o.String() != tc.object {
				t.Fatalf("%v %v, %v; want %v %s: %s", e.Type, o, err, tc.event, tc.object, tc.reason)
			}
			switch e.Type {
			case graph.Gone:
				holds(t, s, "")
				if e.Key != o.Key || s.Version() != "4" {
					t.Errorf("gone %v at %s, want %v at 4: a removal takes a version", e.Key, s.Version(), o.Key)
				}
			case graph.Put:
				holds(t, s, tc.object)
			default:
				holds(t, s, tc.live)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	here, gone, job := key(t, "pod/ns/a"), key(t, "pod/ns/z"), key(t, "job/ns/a")
	stale := graph.Precondition{UID: "a1", Version: "2"}
	invalid := []error{graph.ErrRefused, graph.ErrInvalid}
	for _, tc := range []struct {
		name   string
		call   func(*State) error
		want   string
		is     []error
		reason string
	}{
		{"get", func(s *State) error { _, err := s.Get(gone); return err }, "get pod/ns/z", []error{graph.ErrNotFound}, "proof of absence"},
		{"get kind", func(s *State) error { _, err := s.Get(job); return err }, "get job/ns/a", []error{graph.ErrKindUnknown}, "proof of nothing"},
		{"get scope", func(s *State) error { _, err := s.Get(key(t, "pod/a")); return err }, "get pod/a", []error{graph.ErrNotFound}, "nothing is there"},
		{"get nothing", func(s *State) error { _, err := s.Get(graph.Key{}); return err }, `get ""`, []error{graph.ErrKindUnknown}, "no kind at all"},
		{"update", func(s *State) error { _, err := s.Update(graph.Object{Key: gone}); return err }, "update pod/ns/z",
			[]error{graph.ErrNotFound}, "an update creates nothing"},
		{"update kind", func(s *State) error { _, err := s.Update(graph.Object{Key: job}); return err }, "update job/ns/a",
			[]error{graph.ErrKindUnknown}, "proof of nothing"},
		{"update version", func(s *State) error { _, err := s.Update(graph.Object{Key: here, Version: "2"}); return err },
			`update pod/ns/a@a1: version: want "2", is "3"`, []error{graph.ErrConflict}, "optimistic"},
		{"update uid", func(s *State) error {
			k := here
			k.UID = "a0"
			_, err := s.Update(graph.Object{Key: k})
			return err
		}, `update pod/ns/a@a1: uid: want "a0", is "a1"`, []error{graph.ErrConflict}, "another incarnation"},
		{"update invalid", func(s *State) error {
			_, err := s.Update(graph.Object{Key: here, Finalizers: []string{""}})
			return err
		},
			"update: refused: validate pod/ns/a@a1: finalizers[0]: empty", invalid, "the door is the same"},
		{"update mark", func(s *State) error { _, err := s.Update(graph.Object{Key: here, Deleting: true}); return err },
			"update pod/ns/a@a1: deleting: only a deletion sets the mark", []error{graph.ErrRefused}, "finalizer's rules hold"},
		{"patch", func(s *State) error { _, err := s.Patch(gone, graph.Precondition{}, graph.Change{}); return err }, "patch pod/ns/z",
			[]error{graph.ErrNotFound}, "a patch creates nothing"},
		{"patch version", func(s *State) error { _, err := s.Patch(here, stale, graph.Change{}); return err },
			`patch pod/ns/a@a1: version: want "2", is "3"`, []error{graph.ErrConflict}, "a change of nothing has its precondition, too"},
		{"patch invalid", func(s *State) error {
			_, err := s.Patch(here, graph.Precondition{}, graph.Change{AddOwner: &graph.Owner{Key: graph.Key{Kind: "rs", Name: "r"}}})
			return err
		}, "patch: refused: validate pod/ns/a@a1: owners[0].uid: empty", invalid, "what a change adds is judged"},
		{"patch both", func(s *State) error {
			_, err := s.Patch(here, graph.Precondition{}, graph.Change{AddFinalizer: graph.FinalizerForeground})
			return err
		}, "patch: refused: validate pod/ns/a@a1: finalizers: both orphan and foregroundDeletion", invalid, "they contradict each other"},
		{"delete", func(s *State) error { _, err := s.Delete(gone, graph.DeleteOptions{}); return err }, "delete pod/ns/z",
			[]error{graph.ErrNotFound}, "proof of absence"},
		{"delete version", func(s *State) error {
			_, err := s.Delete(here, graph.DeleteOptions{Precondition: stale})
			return err
		},
			`delete pod/ns/a@a1: version: want "2", is "3"`, []error{graph.ErrConflict}, "another state"},
		{"delete how", func(s *State) error { _, err := s.Delete(here, graph.DeleteOptions{Propagation: 7}); return err },
			"delete pod/ns/a@a1: propagation: propagation(7) means nothing", []error{graph.ErrRefused}, "no guess"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newState(t, "pod/ns/a@a1#3[orphan]")
			refused(t, tc.name, tc.call(s), tc.want, tc.reason, tc.is...)
			holds(t, s, "pod/ns/a@a1#3[orphan]")
		})
	}
}

func TestDefaultPropagation(t *testing.T) {
	s, err := New(Config{
		Kinds: testKinds, Objects: parse(t, "pod/ns/a@a1; rs/ns/r@r1; node/n@n1"),
		Propagation: map[graph.Kind]graph.Propagation{"rs": graph.Orphan, "node": graph.Foreground},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"pod/ns/a", "rs/ns/r", "node/n"} {
		if _, err := s.Delete(key(t, text), graph.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	}
	holds(t, s, "node/n@n1#6~[foreground]; rs/ns/r@r1#5~[orphan]")
}
