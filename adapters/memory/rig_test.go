package memory

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/replica"
)

// modelKinds, places, someKinds, names and options are the inputs of random histories.
var (
	modelKinds = []graph.KindInfo{{Kind: "node"}, {Kind: "pod", Scoped: true}, {Kind: "rs", Scoped: true}}
	places     = rapid.SampledFrom([]graph.Key{
		{Kind: "node", Name: "a"}, {Kind: "node", Name: "b"}, {Kind: "pod", Scope: "x", Name: "a"},
		{Kind: "pod", Scope: "x", Name: "b"}, {Kind: "pod", Scope: "y", Name: "a"}, {Kind: "rs", Scope: "x", Name: "a"},
	})
	someKinds = rapid.SampledFrom(modelKinds)
	names     = rapid.SampledFrom([]string{"x", "y", graph.FinalizerOrphan, graph.FinalizerForeground})
	options   = rapid.Custom(func(t *rapid.T) graph.DeleteOptions {
		o := graph.DeleteOptions{Propagation: rapid.SampledFrom([]graph.Propagation{0, 1, 2, 3}).Draw(t, "propagation")}
		if rapid.Bool().Draw(t, "with grace") {
			grace := rapid.Int64Range(0, 2).Draw(t, "grace")
			o.GraceSeconds = &grace
		}
		o.GraceAtMost = rapid.Bool().Draw(t, "at most")
		return o
	})
)

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

// equals compares the objects of a store with the notation.
func equals(t testing.TB, s *Store, want string) {
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
	for _, e := range []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrKindUnknown, graph.ErrRefused, graph.ErrInvalid, replica.ErrSick} {
		if got, want := errors.Is(err, e), slices.Contains(is, e); got != want {
			t.Errorf("%s: %v is %v: %t, want %t: %s", call, err, e, got, want, reason)
		}
	}
}

// fenced begins a fence, and returns its token. The tokens count from 1.
func fenced(t *testing.T, s *Store) uint64 {
	t.Helper()
	token, err := s.Fence(t.Context())
	do(t, err)
	return token
}
