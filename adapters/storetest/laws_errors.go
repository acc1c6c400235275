package storetest

import (
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// lawsOfErrors hold the store to the sentinels, wrapped with %w. The other laws
// are content with any error.
func lawsOfErrors() []law {
	return []law{
		{
			name: "error/not-found", rests: []string{readAbsent},
			why: "ErrNotFound is the proof of absence: without it nothing whose owner is gone is ever collected",
			run: errorNotFound,
		},
		{
			name: "error/conflict", rests: []string{readFresh, patchUID, patchVersion, deleteUID, deleteVersion},
			why: "after ErrConflict the engine reads and judges again; any other error is taken for an unknown outcome, and waits",
			run: errorConflict,
		},
		{
			name: "error/kind-unknown", rests: []string{kindsUnserved},
			why: "a kind that is not served proves nothing: ErrNotFound for its objects deletes all that they own",
			run: errorKindUnknown,
		},
		{
			name: "error/refused", rests: []string{readMarked, patchAccepted, noNewFinalizers},
			why: "what is forbidden is held and reported; any other error is tried again without end",
			run: errorRefused,
		},
	}
}

// wantError breaks the law unless err is this one of the sentinels and no other.
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
	if t.main.Scoped { // nothing was ever made in this scope
		keys = append(keys, ownergraph.Key{Kind: t.main.Kind, Scope: scopeTwo, Name: "never"})
	}
	for _, key := range keys {
		_, err := t.get(key)
		t.wantError("Get of what is not there", err, graph.ErrNotFound)
		err = t.patch(key, ownergraph.Precondition{}, ownergraph.Change{AddFinalizer: foreign})
		t.wantError("Patch of what is not there", err, graph.ErrNotFound)
		err = t.patch(key, exact(o), ownergraph.Change{DropFinalizer: foreign})
		t.wantError("Patch of what is not there, under a condition,", err, graph.ErrNotFound)
		err = t.delete(key, ownergraph.DeleteOptions{})
		t.wantError("Delete of what is not there", err, graph.ErrNotFound)
		err = t.delete(key, ownergraph.DeleteOptions{Precondition: exact(o)})
		t.wantError("Delete of what is not there, under a condition,", err, graph.ErrNotFound)
	}
}

func errorConflict(t *trial) {
	x := t.made("x")
	old := t.made("a")
	now := t.touch(old)
	for _, pre := range []ownergraph.Precondition{{UID: x.UID}, {Version: old.Version}, exact(old), {UID: x.UID, Version: now.Version}} {
		err := t.patch(now.Key, pre, ownergraph.Change{AddFinalizer: foreign})
		t.wantError(fmt.Sprintf("Patch of %s under %+v", now, pre), err, graph.ErrConflict)
		err = t.delete(now.Key, ownergraph.DeleteOptions{Precondition: pre})
		t.wantError(fmt.Sprintf("Delete of %s under %+v", now, pre), err, graph.ErrConflict)
	}
}

func errorKindUnknown(t *trial) {
	key := ownergraph.Key{Kind: unservedKind, Scope: t.object("a").Scope, Name: "a"}
	_, err := t.get(key)
	t.wantError("Get of a kind that is not served", err, graph.ErrKindUnknown)
	err = t.patch(key, ownergraph.Precondition{}, ownergraph.Change{AddFinalizer: foreign})
	t.wantError("Patch of a kind that is not served", err, graph.ErrKindUnknown)
	err = t.delete(key, ownergraph.DeleteOptions{})
	t.wantError("Delete of a kind that is not served", err, graph.ErrKindUnknown)
}

// unservedKind is a kind that no store serves.
const unservedKind = "storetest.example.org/Unserved"

func errorRefused(t *trial) {
	o := t.marked("a")
	err := t.patch(o.Key, exact(o), ownergraph.Change{AddFinalizer: another})
	t.wantError(fmt.Sprintf("Patch of %s that adds a finalizer", o), err, graph.ErrRefused)
}
