package memory_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// scoped returns a store whose namespaces stand for scopes.
func scoped(t *testing.T, objects string) *memory.Store {
	t.Helper()
	list, err := graph.Parse(objects)
	if err != nil {
		t.Fatal(err)
	}
	s, err := memory.New(memory.Config{
		Kinds:  []graph.KindInfo{{Kind: "ns"}, {Kind: "pod", Scoped: true}, {Kind: "secret", Scoped: true}},
		Scopes: "ns", Objects: list, UIDPrefix: "new-",
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestScopes: a scope admits new objects only while its object exists and is not being
// deleted.
func TestScopes(t *testing.T) {
	s := scoped(t, "ns/a; ns/b~[x.io/z]; pod/b/old")
	for _, tc := range []struct {
		key    graph.Key
		want   string
		reason string
	}{
		{graph.Key{Kind: "pod", Scope: "a", Name: "p"}, "", "its scope is there"},
		{graph.Key{Kind: "ns", Name: "c"}, "", "it has no scope"},
		{graph.Key{Kind: "pod", Scope: "c", Name: "p"}, "", "now its scope is there"},
		{graph.Key{Kind: "pod", Scope: "d", Name: "p"}, `create pod/d/p: scope: there is no ns "d": refused`, "the scope does not exist"},
		{graph.Key{Kind: "pod", Scope: "b", Name: "p"}, "create pod/b/p: scope: it is being deleted: refused", "it would never be empty"},
	} {
		_, err := s.Create(t.Context(), graph.Object{Key: tc.key})
		if got := fmt.Sprint(err); tc.want == "" && err != nil || tc.want != "" && (got != tc.want || !errors.Is(err, graph.ErrRefused)) {
			t.Errorf("create %s: %v, want %q: %s", tc.key, err, tc.want, tc.reason)
		}
	}
	if _, err := s.Update(t.Context(), graph.Object{Key: graph.Key{Kind: "pod", Scope: "b", Name: "old"}, Finalizers: []string{"x.io/y"}}); err != nil {
		t.Errorf("update an object in a scope that is being deleted: %v", err)
	}
}

// TestScopeSweep: the deletion of a scope's object empties the scope in the given
// order. The scope admits no new objects meanwhile. The object is removed last.
func TestScopeSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scoped(t, "ns/a; ns/aa; pod/a/p[x.io/slow]; secret/a/s; pod/aa/p")
		sweep := guard.ScopeSweep("ns", "x.io/scope", []graph.Kind{"pod"})
		c, err := ownergraph.New(s, ownergraph.Config{Sweeps: []guard.Sweep{sweep}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx) }()
		defer func() { stop(); <-ended }()
		wait := func(want string) {
			t.Helper()
			if _, err := c.WaitIdle(ctx); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, o := range s.Objects() {
				o.Version, o.Generation = "", 0
				got = append(got, o.String())
			}
			if have := strings.Join(got, "; "); have != want {
				t.Errorf("the store has %s, want %s", have, want)
			}
		}
		wait("ns/a[x.io/scope]; ns/aa[x.io/scope]; pod/a/p[x.io/slow]; pod/aa/p; secret/a/s")
		if err := s.Delete(ctx, graph.Key{Kind: "ns", Name: "a"}, graph.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		wait("ns/a~[x.io/scope]; ns/aa[x.io/scope]; pod/a/p~[x.io/slow]; pod/aa/p; secret/a/s")
		if _, err := s.Create(ctx, graph.Object{Key: graph.Key{Kind: "pod", Scope: "a", Name: "late"}}); !errors.Is(err, graph.ErrRefused) {
			t.Errorf("create in a scope that is being deleted: %v", err)
		}
		if err := s.Patch(ctx, graph.Key{Kind: "pod", Scope: "a", Name: "p"}, graph.Precondition{}, graph.Change{DropFinalizer: "x.io/slow"}); err != nil {
			t.Fatal(err)
		}
		wait("ns/aa[x.io/scope]; pod/aa/p")
	})
}
