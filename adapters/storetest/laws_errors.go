package storetest

import (
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// lawsOfErrors demand the sentinels, wrapped with %w. The other laws accept any
// error.
func lawsOfErrors() []law {
	return []law{
		{
			name: "error/not-found", rests: []string{readAbsent},
			why: "ErrNotFound is the proof of absence: without it, no dependent of a removed owner is ever collected",
			run: errorNotFound,
		},
		{
			name: "error/conflict", rests: []string{readFresh, patchUID, patchVersion, deleteUID, deleteVersion},
			why: "after ErrConflict the engine reads and judges again: after any other error the outcome is unknown, and the engine waits",
			run: errorConflict,
		},
		{
			name: "error/kind-unknown", rests: []string{kindsUnserved},
			why: "a kind that is not served proves nothing: with ErrNotFound for its objects, an engine deletes all their dependents",
			run: errorKindUnknown,
		},
		{
			name: "error/refused", rests: []string{readMarked, patchAccepted, noNewFinalizers},
			why: "the engine holds and reports a forbidden write: after any other error it tries again without end",
			run: errorRefused,
		},
	}
}

// wantError breaks the law if err wraps another sentinel, or does not wrap this
// one.
func (t *trial) wantError(what string, err, want error) {
	t.Helper()
	if err == nil {
		t.broken(fmt.Sprintf("%s answers %q", what, want), "it succeeded")
	}
	if !errors.Is(err, want) {
		t.broken(fmt.Sprintf("%s answers an error that wraps %q", what, want), fmt.Sprintf("%q, which does not", err))
	}
	for _, other := range []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrKindUnknown, graph.ErrRefused} {
		if other != want && errors.Is(err, other) {
			t.broken(fmt.Sprintf("%s answers %q", what, want), fmt.Sprintf("%q, which wraps %q as well", err, other))
		}
	}
}

func errorNotFound(t *trial) {
	o := t.made("a")
	gone := t.made("gone")
	t.remove(gone)
	keys := []ownergraph.Key{t.object("never").Key, gone.Key}
	if t.main.Scoped { // no object was ever made in this scope
		keys = append(keys, ownergraph.Key{Kind: t.main.Kind, Scope: scopeTwo, Name: "never"})
	}
	for _, key := range keys {
		_, err := t.get(key)
		t.wantError("Get of an absent object", err, graph.ErrNotFound)
		err = t.patch(key, ownergraph.Precondition{}, ownergraph.Change{AddFinalizer: holdFinalizer})
		t.wantError("Patch of an absent object", err, graph.ErrNotFound)
		err = t.patch(key, exact(o), ownergraph.Change{DropFinalizer: holdFinalizer})
		t.wantError("Patch of an absent object, under a condition,", err, graph.ErrNotFound)
		err = t.delete(key, ownergraph.DeleteOptions{})
		t.wantError("Delete of an absent object", err, graph.ErrNotFound)
		err = t.delete(key, ownergraph.DeleteOptions{Precondition: exact(o)})
		t.wantError("Delete of an absent object, under a condition,", err, graph.ErrNotFound)
	}
}

func errorConflict(t *trial) {
	x := t.made("x")
	old := t.made("a")
	now := t.touch(old)
	for _, pre := range []ownergraph.Precondition{{UID: x.UID}, {Version: old.Version}, exact(old), {UID: x.UID, Version: now.Version}} {
		err := t.patch(now.Key, pre, ownergraph.Change{AddFinalizer: holdFinalizer})
		t.wantError(fmt.Sprintf("Patch of %s under %+v", now, pre), err, graph.ErrConflict)
		err = t.delete(now.Key, ownergraph.DeleteOptions{Precondition: pre})
		t.wantError(fmt.Sprintf("Delete of %s under %+v", now, pre), err, graph.ErrConflict)
	}
}

func errorKindUnknown(t *trial) {
	key := ownergraph.Key{Kind: unservedKind, Scope: t.object("a").Scope, Name: "a"}
	_, err := t.get(key)
	t.wantError("Get of a kind that is not served", err, graph.ErrKindUnknown)
	err = t.patch(key, ownergraph.Precondition{}, ownergraph.Change{AddFinalizer: holdFinalizer})
	t.wantError("Patch of a kind that is not served", err, graph.ErrKindUnknown)
	err = t.delete(key, ownergraph.DeleteOptions{})
	t.wantError("Delete of a kind that is not served", err, graph.ErrKindUnknown)
}

// unservedKind is a kind that no store serves.
const unservedKind = "storetest.example.org/Unserved"

func errorRefused(t *trial) {
	o := t.marked("a")
	err := t.patch(o.Key, exact(o), ownergraph.Change{AddFinalizer: moreFinalizer})
	t.wantError(fmt.Sprintf("Patch of %s that adds a finalizer", o), err, graph.ErrRefused)
}
