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
		for _, pre := range []ownergraph.Precondition{{}, exact(o)} {
			t.wantWrites(fmt.Sprintf("of an absent object, under %+v,", pre), key, pre, o.Key, graph.ErrNotFound)
		}
	}
}

// wantWrites breaks the law if a write answers another error. A store may have a path of its own
// for each verb and each propagation. It may refuse a reference to another scope at once.
func (t *trial) wantWrites(what string, key ownergraph.Key, pre ownergraph.Precondition, owner ownergraph.Key, want error) {
	t.Helper()
	reference := ownergraph.Owner{Key: owner}
	changes := []ownergraph.Change{{AddFinalizer: holdFinalizer}, {DropFinalizer: holdFinalizer}}
	if key.Scope == owner.Scope {
		changes = append(changes, ownergraph.Change{AddOwner: &reference},
			ownergraph.Change{DropOwners: []ownergraph.Owner{reference}}, ownergraph.Change{Unblock: []ownergraph.Owner{reference}})
	}
	for _, c := range changes {
		t.wantError(fmt.Sprintf("Patch %s with %s", what, formatChange(c)), t.patch(key, pre, c), want)
	}
	for _, p := range []graph.Propagation{graph.Unset, ownergraph.Background, ownergraph.Foreground, ownergraph.Orphan} {
		err := t.delete(key, ownergraph.DeleteOptions{Precondition: pre, Propagation: p})
		t.wantError(fmt.Sprintf("Delete %s with the propagation %s", what, p), err, want)
	}
}

func errorConflict(t *trial) {
	x := t.made("x")
	old := t.made("a")
	now := t.touch(old)
	for _, pre := range []ownergraph.Precondition{{UID: x.UID}, {Version: old.Version}, exact(old), {UID: x.UID, Version: now.Version}} {
		t.wantWrites(fmt.Sprintf("of %s under %+v", now, pre), now.Key, pre, x.Key, graph.ErrConflict)
	}
}

func errorKindUnknown(t *trial) {
	key := ownergraph.Key{Kind: unservedKind, Scope: t.object("a").Scope, Name: "a"}
	_, err := t.get(key)
	t.wantError("Get of a kind that is not served", err, graph.ErrKindUnknown)
	t.wantWrites("of a kind that is not served", key, ownergraph.Precondition{}, t.made("owner").Key, graph.ErrKindUnknown)
}

// unservedKind is a kind that no store serves.
const unservedKind = "storetest.example.org/Unserved"

func errorRefused(t *trial) {
	o := t.marked("a")
	err := t.patch(o.Key, exact(o), ownergraph.Change{AddFinalizer: moreFinalizer})
	t.wantError(fmt.Sprintf("Patch of %s that adds a finalizer", o), err, graph.ErrRefused)
}
