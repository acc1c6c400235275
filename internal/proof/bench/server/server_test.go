package server

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

const pod = graph.Kind("pod")

func object(name string, finalizers ...string) graph.Object {
	return graph.Object{
		Key: graph.Key{Kind: pod, Scope: "s", Name: name, UID: graph.UID("u" + name)}, Version: "1", Finalizers: finalizers,
	}
}

func load(list ...graph.Object) *Server {
	s := New(Config{Kinds: []graph.KindInfo{{Kind: pod, Scoped: true}}})
	for _, o := range list {
		s.Load(o)
	}
	return s
}

func TestDelete(t *testing.T) {
	at := object("a").Key
	wrong := graph.Precondition{UID: "other"}
	for _, c := range []struct {
		name   string
		held   graph.Object
		key    graph.Key
		opts   graph.DeleteOptions
		err    error
		left   string
		reason string
	}{
		{"plain", object("a"), at, graph.DeleteOptions{}, nil, "[]", "nothing holds it"},
		{"held", object("a", "f"), at, graph.DeleteOptions{}, nil, "[f]", "its finalizer holds it"},
		{"foreground", object("a"), at, graph.DeleteOptions{Propagation: graph.Foreground}, nil, "[foregroundDeletion]", "it waits"},
		{"orphan", object("a"), at, graph.DeleteOptions{Propagation: graph.Orphan}, nil, "[orphan]", "it waits"},
		{"conflict", object("a"), at, graph.DeleteOptions{Precondition: wrong}, graph.ErrConflict, "[]", "another incarnation"},
		{"not found", object("b"), at, graph.DeleteOptions{}, graph.ErrNotFound, "[]", "there is none"},
		{"no kind", object("a"), graph.Key{Kind: "x"}, graph.DeleteOptions{}, graph.ErrKindUnknown, "[]", "not served"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := load(c.held)
			if err := s.Delete(c.key, c.opts); !errors.Is(err, c.err) {
				t.Fatalf("error %v, want %v: %s", err, c.err, c.reason)
			}
			if got := s.Len(); c.err == nil && c.left == "[]" != (got == 0) {
				t.Errorf("%d objects are left: %s", got, c.reason)
			}
			for _, o := range s.Objects() {
				if got := fmt.Sprint(o.Finalizers); got != c.left || o.Deleting != (c.left != "[]") {
					t.Errorf("left %s with %s, want %s: %s", o, got, c.left, c.reason)
				}
			}
			if n := s.Counts(); n.Deletes != 1 || n.Total() != 1 {
				t.Errorf("counted %+v", n)
			}
		})
	}
}

func TestPatchEndsDeletion(t *testing.T) {
	s := load(object("a"))
	reached := s.Reaches(0)
	if err := s.Remove(object("a").Key, graph.DeleteOptions{Propagation: graph.Foreground}); err != nil {
		t.Fatal(err)
	}
	r, err := s.Get(object("a").Key)
	if err != nil {
		t.Fatal(err)
	}
	free := graph.Change{DropFinalizer: graph.FinalizerForeground}
	if err := s.Patch(r.Object.Key, graph.Precondition{Version: "1"}, free); !errors.Is(err, graph.ErrConflict) {
		t.Errorf("the former version is taken: %v", err)
	}
	if err := s.Patch(r.Object.Key, graph.Precondition{Version: r.Object.Version}, free); err != nil {
		t.Fatal(err)
	}
	<-reached
	if n := s.Counts(); s.Len() != 0 || n.Gets != 1 || n.Patches != 2 || n.Deletes != 0 {
		t.Errorf("%d objects, counted %+v: a user's deletion is not counted", s.Len(), n)
	}
}

func TestWatch(t *testing.T) {
	s := load(object("b"), object("a"))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var reported []string
	err := s.Watch(ctx, func(list []*Record) error {
		for _, r := range list {
			reported = append(reported, "put "+r.Object.Name)
		}
		for _, name := range []string{"a", "b"} {
			opts := graph.DeleteOptions{Propagation: map[string]graph.Propagation{"a": graph.Foreground}[name]}
			if err := s.Remove(object(name).Key, opts); err != nil {
				return err
			}
			s.Fence()
		}
		return nil
	}, func(c Change) error {
		switch {
		case c.Fence != 0:
			reported = append(reported, fmt.Sprintf("fence %d", c.Fence))
		case c.New != nil:
			reported = append(reported, "put "+c.New.Object.Name)
		default:
			reported = append(reported, "gone "+c.Old.Object.Name)
		}
		if len(reported) == 6 {
			stop()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	want := "[put b put a put a fence 1 gone b fence 2]"
	if got := fmt.Sprint(reported); got != want {
		t.Errorf("reported %s, want %s", got, want)
	}
}

func TestCompareVersions(t *testing.T) {
	if CompareVersions("9", "10") >= 0 || CompareVersions("10", "10") != 0 || CompareVersions("11", "10") <= 0 {
		t.Error("versions are numbers")
	}
}
