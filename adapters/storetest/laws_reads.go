package storetest

import (
	"fmt"

	"github.com/ownergraph/ownergraph"
)

const (
	readFresh  = "read/fresh"
	readAbsent = "read/absent"
	readMarked = "read/marked"
)

func lawsOfReads() []law {
	return []law{
		{
			name: readFresh,
			why:  "a decision rests on the answers of reads: an answer older than the call shows a wrong state of an owner, and its dependent is deleted or stays wrongly",
			run:  readsFresh,
		},
		{
			name: readAbsent, rests: []string{readFresh},
			why: "an engine that takes a removed object for present keeps its dependents for ever, and an owner waits for removed dependents",
			run: readsAbsent,
		},
		{
			name: "read/any-uid", rests: []string{readFresh},
			why: "a read that answers another incarnation proves the first one absent: without that answer its dependents are never collected",
			run: readsAnyUID,
		},
		{
			name: readMarked, rests: []string{readFresh},
			why: "an object that is being deleted still owns its dependents: an engine that takes it for absent deletes them, although it may orphan them",
			run: readsMarked,
		},
		{
			name: "read/scopes", needs: []need{needScoped}, rests: []string{readFresh, readAbsent},
			why: "an owner of the same name in another scope is another object: if a store mixes them up, a dependent is deleted for the wrong owner",
			run: readsScopes,
		},
		{
			name: "read/kinds", needs: []need{needTwoKinds}, rests: []string{readFresh, readAbsent},
			why: "an owner of the same name and another kind is another object",
			run: readsKinds,
		},
	}
}

func readsFresh(t *trial) {
	want := t.made("a")
	t.wantSame("just created", want, t.live(want.Key))
	for range 3 {
		want = t.touch(want)
		t.wantSame("just updated", want, t.live(want.Key))
	}
	owner := t.made("owner")
	if t.patch(want.Key, exact(want), ownergraph.Change{AddOwner: &ownergraph.Owner{Key: owner.Key}, AddFinalizer: holdFinalizer}) == nil {
		o := t.live(want.Key)
		if o.Version == want.Version {
			t.broken("a read after a patch shows its result", o.String())
		}
		want = o
	}
	want.Finalizers = nil
	want = t.update(want)
	t.remove(want)
	t.absent("just deleted", want.Key)
	want = t.made("a")
	t.wantSame("created again", want, t.live(want.Key))
}

func readsAbsent(t *trial) {
	here := t.made("here")
	t.absent("never created", t.object("never").Key)
	gone := t.made("gone")
	t.remove(gone)
	t.absent("deleted", gone.Key)
	t.absent("deleted, and asked for without its UID", gone.Key.Place())
	t.live(here.Key)
}

func readsAnyUID(t *trial) {
	old := t.made("a")
	t.remove(old)
	now := t.made("a")
	for _, key := range []ownergraph.Key{now.Key, now.Key.Place(), old.Key} {
		o, err := t.get(key)
		if err != nil {
			t.broken(fmt.Sprintf("a read of %s answers the object there, with any UID: %s", key, now), err.Error())
		}
		t.wantSame(fmt.Sprintf("a read of %s answers the object there, with any UID", key), now, o)
	}
}

func readsMarked(t *trial) {
	a := t.made("a", holdFinalizer)
	t.remove(a)
	o, err := t.get(a.Key)
	if err != nil {
		t.broken(fmt.Sprintf("%s is there until its finalizer is gone", a), err.Error())
	}
	if !o.Deleting || o.Key != a.Key {
		a.Deleting, a.Version, a.Generation = true, o.Version, o.Generation
		t.broken(a.String(), o.String())
	}
}

func readsScopes(t *trial) {
	one := t.made("a")
	key := t.object("a").Key
	key.Scope = scopeTwo
	t.absent("created in another scope", key)
	two := t.create(ownergraph.Object{Key: key})
	t.wantSame("in its scope", one, t.live(one.Key))
	t.wantSame("in its scope", two, t.live(two.Key))
	t.remove(one)
	t.absent("deleted in this scope", one.Key)
	t.wantSame("not deleted in this scope", two, t.live(two.Key))
}

func readsKinds(t *trial) {
	first := t.made("a")
	key := keyOf(t.second, "a")
	t.absent("created under another kind", key)
	other := t.create(ownergraph.Object{Key: key})
	t.wantSame("under its kind", first, t.live(first.Key))
	t.wantSame("under its kind", other, t.live(other.Key))
	t.remove(first)
	t.absent("deleted under this kind", first.Key)
	t.wantSame("not deleted under this kind", other, t.live(other.Key))
}
