package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
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
	err := s.Watch(ctx, func(list []Page) error {
		for _, r := range list[0].Records {
			reported = append(reported, "put "+r.Object.Name)
		}
		reported = append(reported, fmt.Sprint(len(list), list[0].Ended))
		for _, name := range []string{"a", "b"} {
			opts := graph.DeleteOptions{Propagation: map[string]graph.Propagation{"a": graph.Foreground}[name]}
			if err := s.Remove(object(name).Key, opts); err != nil {
				return err
			}
			s.Fence()
		}
		return nil
	}, func(changes []Change) error {
		reported = append(reported, describe(changes)...)
		if len(reported) == 7 {
			stop()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	want := "[put b put a 1 [pod] put a fence 1 gone b fence 2]"
	if got := fmt.Sprint(reported); got != want {
		t.Errorf("reported %s, want %s", got, want)
	}
}

// describe returns a line for each change.
func describe(changes []Change) (out []string) {
	for _, c := range changes {
		switch {
		case c.Fence != 0:
			out = append(out, fmt.Sprintf("fence %d", c.Fence))
		case c.New != nil:
			out = append(out, "put "+c.New.Object.Name)
		default:
			out = append(out, "gone "+c.Old.Object.Name)
		}
	}
	return out
}

// TestPages: a page has up to 500 objects, of one kind if that is asked for. A kind ends
// on its last page.
func TestPages(t *testing.T) {
	var mixed []graph.Object
	for i := range 600 {
		o := object(fmt.Sprint(i))
		if i%300 == 0 {
			o.Kind = "set"
		}
		mixed = append(mixed, o)
	}
	for _, c := range []struct {
		objects []graph.Object
		byKind  bool
		want    string
		reason  string
	}{
		{nil, false, "0 [pod set none]", "a page without objects ends all kinds"},
		{mixed, false, "500 [], 100 [pod set none]", "kinds are mixed"},
		{mixed, true, "1 [], 299 [], 1 [set], 299 [pod none]", "each page has one kind"},
	} {
		s := New(Config{Kinds: []graph.KindInfo{{Kind: pod}, {Kind: "set"}, {Kind: "none"}}, ByKind: c.byKind})
		for _, o := range c.objects {
			s.Load(o)
		}
		var got []string
		for _, p := range s.pages(s.loaded) {
			got = append(got, fmt.Sprint(len(p.Records), " ", p.Ended))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("pages %s, want %s: %s", strings.Join(got, ", "), c.want, c.reason)
		}
	}
}

// TestStage: a staged version is stored at once. The watches hear of it later, in one
// batch.
func TestStage(t *testing.T) {
	s := load(object("a"), object("b"))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	err := s.Watch(ctx, func([]Page) error {
		next := object("b")
		next.Version = "2"
		staged := s.Stage([]graph.Object{object("a"), next})
		if r, err := s.Get(next.Key); err != nil || r.Object.Version != "2" || !s.Delivered() {
			t.Errorf("stored %v, %v, delivered %t", r, err, s.Delivered())
		}
		s.Announce(staged)
		if s.Delivered() {
			t.Error("delivered before the watch has run")
		}
		return nil
	}, func(changes []Change) error {
		if got := fmt.Sprint(describe(changes)); got != "[put a put b]" || changes[1].Old.Object.Version != "1" {
			t.Errorf("reported %s", got)
		}
		if s.Delivered() {
			t.Error("delivered while the watch works")
		}
		stop()
		return nil
	})
	if !errors.Is(err, context.Canceled) || !s.Delivered() {
		t.Errorf("%v, delivered %t", err, s.Delivered())
	}
}

func TestCompareVersions(t *testing.T) {
	if CompareVersions("9", "10") >= 0 || CompareVersions("10", "10") != 0 || CompareVersions("11", "10") <= 0 {
		t.Error("versions are numbers")
	}
}
