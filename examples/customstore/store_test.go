package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

func TestStoreIsShort(t *testing.T) {
	text, err := os.ReadFile("store.go")
	if n := bytes.Count(text, []byte("\n")); err != nil || n >= 100 {
		t.Errorf("store.go has %d lines, %v: the README promises less than a hundred", n, err)
	}
}

func create(t *testing.T, s *Store, kind graph.Kind, name string, owners ...graph.Owner) graph.Object {
	t.Helper()
	o, err := s.Create(kind, name, owners...)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func get(t *testing.T, s *Store, key graph.Key) graph.Object {
	t.Helper()
	o, err := s.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// only returns the precondition that the object is unchanged.
func only(o graph.Object) graph.Precondition {
	return graph.Precondition{UID: o.UID, Version: o.Version}
}

func TestCreate(t *testing.T) {
	s := NewStore("a")
	o := create(t, s, "a", "x", graph.Owner{Key: graph.Key{Kind: "a", Name: "y", UID: "u"}})
	if o.UID == "" || o.Version == "" || len(o.Owners) != 1 || !get(t, s, o.Key).Equal(o) {
		t.Errorf("Create = %v, the store has %v", o, get(t, s, o.Key))
	}
	tests := []struct {
		kind   graph.Kind
		name   string
		owners []graph.Owner
		want   error
		reason string
	}{
		{"a", "x", nil, graph.ErrConflict, "the name is taken"},
		{"b", "x", nil, graph.ErrKindUnknown, "the kind is not served"},
		{"a", "", nil, graph.ErrRefused, "no reference could name it"},
		{"a", "z", []graph.Owner{{}}, graph.ErrRefused, "a reference has to name an owner"},
	}
	if _, err := s.add(graph.Object{Key: graph.Key{Kind: "a", Scope: "n", Name: "y"}}); !errors.Is(err, graph.ErrRefused) {
		t.Errorf("an object in a scope: %v, want %v: the store has no scopes", err, graph.ErrRefused)
	}
	for _, tt := range tests {
		if _, err := s.Create(tt.kind, tt.name, tt.owners...); !errors.Is(err, tt.want) {
			t.Errorf("Create(%s, %s, %v) = %v, want %v: %s", tt.kind, tt.name, tt.owners, err, tt.want, tt.reason)
		}
	}
}

// TestUpdate: an update follows the rules of finalizers, and its result must be valid.
func TestUpdate(t *testing.T) {
	s := NewStore("a")
	o := create(t, s, "a", "x")
	with := func(edit func(*graph.Object)) graph.Object {
		wanted := get(t, s, o.Key)
		edit(&wanted)
		return wanted
	}
	first := o.Version
	tests := []struct {
		wanted graph.Object
		want   error
		reason string
	}{
		{graph.Object{Key: graph.Key{Kind: "a", Name: "y"}}, graph.ErrNotFound, "an update creates nothing"},
		{graph.Object{Key: graph.Key{Kind: "b", Name: "x"}}, graph.ErrKindUnknown, "proves nothing"},
		{with(func(o *graph.Object) { o.Finalizers = []string{"f"} }), nil, "finalizers are the writer's"},
		{with(func(o *graph.Object) { o.Version = first }), graph.ErrConflict, "another state"},
		{with(func(o *graph.Object) { o.Version, o.Finalizers = "", []string{""} }), graph.ErrRefused, "it is invalid"},
		{with(func(o *graph.Object) { o.Version, o.Deleting = "", true }), graph.ErrRefused, "only a deletion sets the mark"},
	}
	for _, tt := range tests {
		before := s.version
		now, err := s.Update(tt.wanted)
		if !errors.Is(err, tt.want) || tt.want == nil && !get(t, s, o.Key).Equal(now) || tt.want != nil && s.version != before {
			t.Errorf("Update(%v) = %v, %v, want %v: %s", tt.wanted, now, err, tt.want, tt.reason)
		}
	}
	if err := s.Delete(t.Context(), o.Key, graph.DeleteOptions{}); err != nil || !get(t, s, o.Key).Deleting {
		t.Fatal(err, "the finalizer holds it")
	}
	if _, err := s.Update(graph.Object{Key: o.Key, Finalizers: []string{"f", "g"}}); !errors.Is(err, graph.ErrRefused) {
		t.Errorf("Update adds a finalizer to a marked object: %v", err)
	}
	if _, err := s.Update(graph.Object{Key: o.Key}); err != nil {
		t.Errorf("Update takes off the last finalizer: %v", err)
	}
	if _, err := s.Get(t.Context(), o.Key); !errors.Is(err, graph.ErrNotFound) {
		t.Errorf("Get after the last finalizer went: %v, want %v", err, graph.ErrNotFound)
	}
}

// TestAbsent: every method returns ErrNotFound for an absent object, and ErrKindUnknown
// for an unserved kind.
func TestAbsent(t *testing.T) {
	s := NewStore("a")
	create(t, s, "a", "x")
	tests := []struct {
		key    graph.Key
		want   error
		reason string
	}{
		{graph.Key{Kind: "a", Name: "y"}, graph.ErrNotFound, "proof of absence"},
		{graph.Key{Kind: "a", Scope: "n", Name: "x"}, graph.ErrNotFound, "the store has no scopes, so nothing is in one"},
		{graph.Key{Kind: "b", Name: "x"}, graph.ErrKindUnknown, "proves nothing"},
	}
	for _, tt := range tests {
		_, got := s.Get(t.Context(), tt.key)
		patch := s.Patch(t.Context(), tt.key, graph.Precondition{}, graph.Change{AddFinalizer: "f"})
		del := s.Delete(t.Context(), tt.key, graph.DeleteOptions{})
		for _, err := range []error{got, patch, del} {
			if !errors.Is(err, tt.want) {
				t.Errorf("%s: %v, want %v: %s", tt.key, err, tt.want, tt.reason)
			}
		}
	}
}

func TestPreconditions(t *testing.T) {
	s := NewStore("a")
	o := create(t, s, "a", "x")
	tests := []struct {
		pre    graph.Precondition
		want   error
		reason string
	}{
		{graph.Precondition{UID: "other"}, graph.ErrConflict, "another incarnation"},
		{graph.Precondition{Version: "other"}, graph.ErrConflict, "another state"},
		{graph.Precondition{UID: o.UID, Version: "other"}, graph.ErrConflict, "both have to be met"},
		{graph.Precondition{UID: "other", Version: o.Version}, graph.ErrConflict, "both have to be met"},
		{only(o), nil, "both are met"},
	}
	for _, tt := range tests {
		before := get(t, s, o.Key)
		if err := s.Patch(t.Context(), o.Key, tt.pre, graph.Change{AddFinalizer: "f"}); !errors.Is(err, tt.want) {
			t.Errorf("Patch under %+v = %v, want %v: %s", tt.pre, err, tt.want, tt.reason)
		}
		if changed := !get(t, s, o.Key).Equal(before); changed != (tt.want == nil) {
			t.Errorf("Patch under %+v: changed %v: %s", tt.pre, changed, tt.reason)
		}
	}
	// The patch has made a new version, so the same preconditions fail.
	if err := s.Delete(t.Context(), o.Key, graph.DeleteOptions{Precondition: only(o)}); !errors.Is(err, graph.ErrConflict) {
		t.Errorf("Delete under an old version = %v, want %v", err, graph.ErrConflict)
	}
	if err := s.Delete(t.Context(), o.Key, graph.DeleteOptions{Precondition: only(get(t, s, o.Key))}); err != nil {
		t.Errorf("Delete under the live version: %v", err)
	}
}

// TestFinalizers: a deletion marks an object with finalizers. The removal of the last
// finalizer removes the object.
func TestFinalizers(t *testing.T) {
	for _, p := range []graph.Propagation{graph.Unset, graph.Background, graph.Foreground, graph.Orphan} {
		s := NewStore("a")
		o := create(t, s, "a", "x")
		steps := []error{
			s.Patch(t.Context(), o.Key, graph.Precondition{}, graph.Change{AddFinalizer: "f"}),
			s.Delete(t.Context(), o.Key, graph.DeleteOptions{Propagation: p}),
		}
		if o = get(t, s, o.Key); !o.Deleting || !o.HasFinalizer("f") || p.Finalizer() != "" && !o.HasFinalizer(p.Finalizer()) {
			t.Errorf("%s: %v, want it marked, with f and the propagation's finalizer", p, o)
		}
		if err := s.Patch(t.Context(), o.Key, only(o), graph.Change{AddFinalizer: "g"}); !errors.Is(err, graph.ErrRefused) {
			t.Errorf("%s: a finalizer is added to a marked object: %v", p, err)
		}
		steps = append(steps, s.Patch(t.Context(), o.Key, only(o), graph.Change{DropFinalizer: "f"}))
		if p.Finalizer() != "" {
			steps = append(steps, s.Patch(t.Context(), o.Key, only(get(t, s, o.Key)), graph.Change{DropFinalizer: p.Finalizer()}))
		}
		if err := errors.Join(steps...); err != nil {
			t.Errorf("%s: %v", p, err)
		}
		if _, err := s.Get(t.Context(), o.Key); !errors.Is(err, graph.ErrNotFound) {
			t.Errorf("%s: %v after the last finalizer went, want %v", p, err, graph.ErrNotFound)
		}
	}
}

// TestNothingComesBack: a UID and a version each stand for one thing.
func TestNothingComesBack(t *testing.T) {
	s := NewStore("a")
	uids, versions := map[graph.UID]bool{}, map[graph.Version]bool{}
	for range 100 {
		o := create(t, s, "a", "x")
		if err := s.Patch(t.Context(), o.Key, graph.Precondition{}, graph.Change{AddFinalizer: "f"}); err != nil {
			t.Fatal(err)
		}
		next := get(t, s, o.Key)
		if uids[o.UID] || versions[o.Version] || versions[next.Version] || o.Version == next.Version {
			t.Fatalf("UID or version of %v or %v was there before", o, next)
		}
		uids[o.UID], versions[o.Version], versions[next.Version] = true, true, true
		// A change without effect makes no version.
		if err := s.Patch(t.Context(), o.Key, only(next), graph.Change{AddFinalizer: "f"}); err != nil || !get(t, s, o.Key).Equal(next) {
			t.Fatalf("an idle patch: %v, %v became %v", err, next, get(t, s, o.Key))
		}
		del := s.Delete(t.Context(), o.Key, graph.DeleteOptions{})
		patch := s.Patch(t.Context(), o.Key, graph.Precondition{}, graph.Change{DropFinalizer: "f"})
		if err := errors.Join(del, patch); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOneWriterWins: of many writers with the same version, one succeeds.
func TestOneWriterWins(t *testing.T) {
	s := NewStore("a")
	o := create(t, s, "a", "x")
	var won, lost atomic.Int32
	var writers sync.WaitGroup
	for i := range 32 {
		writers.Go(func() {
			change := graph.Change{AddFinalizer: string(rune('a' + i))}
			switch err := s.Patch(context.Background(), o.Key, only(o), change); {
			case err == nil:
				won.Add(1)
			case errors.Is(err, graph.ErrConflict):
				lost.Add(1)
			}
		})
	}
	writers.Wait()
	if won.Load() != 1 || lost.Load() != 31 || len(get(t, s, o.Key).Finalizers) != 1 {
		t.Errorf("%d won, %d met a conflict, %v", won.Load(), lost.Load(), get(t, s, o.Key))
	}
}

// TestNothingIsShared: the store shares no memory with its callers.
func TestNothingIsShared(t *testing.T) {
	s := NewStore("a")
	owners := []graph.Owner{{Key: graph.Key{Kind: "a", Name: "y", UID: "u"}}}
	made := create(t, s, "a", "x", owners...)
	added := &graph.Owner{Key: graph.Key{Kind: "a", Name: "z", UID: "v"}}
	if err := s.Patch(t.Context(), made.Key, graph.Precondition{}, graph.Change{AddOwner: added, AddFinalizer: "f"}); err != nil {
		t.Fatal(err)
	}
	want := get(t, s, made.Key).String()
	owners[0].Name, made.Owners[0].Name, added.Name = "other", "other", "other"
	got := get(t, s, made.Key)
	got.Owners[0].Name, got.Finalizers[0] = "other", "other"
	events, _ := s.list()
	for _, e := range events {
		if e.Type == graph.Put {
			e.Object.Owners[1].Name, e.Object.Finalizers[0] = "other", "other"
		}
	}
	if now := get(t, s, made.Key).String(); now != want {
		t.Errorf("the store has %s, want %s", now, want)
	}
}
