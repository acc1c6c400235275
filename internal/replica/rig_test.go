package replica

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// testKinds: pod and rs are scoped, node and volume are global. event is scoped and may
// not own.
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

// newState returns a state that has the objects of the notation and makes
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

// equals compares the objects of a state with the notation.
func equals(t testing.TB, s interface{ Objects() []graph.Object }, want string) {
	t.Helper()
	if got := graph.Format(s.Objects()); got != want {
		t.Errorf("objects:\n%s\nwant:\n%s", got, want)
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
