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
			why:  "a decision rests on what a read answers: one that is older than the call shows an owner alive or gone that is not, and its dependent dies or stays",
			run:  readsFresh,
		},
		{
			name: readAbsent, rests: []string{readFresh},
			why: "what is taken for an object keeps garbage for ever, and an owner that is gone waits for dependents that will never come",
			run: readsAbsent,
		},
		{
			name: "read/any-uid", rests: []string{readFresh},
			why: "a read of one incarnation that finds another proves the first absent; without that answer its dependents are never collected",
			run: readsAnyUID,
		},
		{
			name: readMarked, rests: []string{readFresh},
			why: "an object that is being deleted still holds its dependents: taken for absent, they die although it may orphan them",
			run: readsMarked,
		},
		{
			name: "read/scopes", needs: []need{needScoped}, rests: []string{readFresh, readAbsent},
			why: "an owner of the same name in another scope is another object: mixed up, a dependent is deleted for somebody else's owner",
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
	if t.patch(want.Key, exact(want), ownergraph.Change{AddOwner: &ownergraph.Owner{Key: owner.Key}, AddFinalizer: foreign}) == nil {
		o := t.live(want.Key)
		if o.Version == want.Version {
			t.broken("a read after a patch shows what it left", o.String())
		}
		want = o
	}
	want.Finalizers = nil
	want = t.update(want)
	t.remove(want)
	t.absent("just deleted", want.Key)
	want = t.made("a")
	t.wantSame("created anew", want, t.live(want.Key))
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
			t.broken(fmt.Sprintf("a read of %s answers what is there, whatever its UID: %s", key, now), err.Error())
		}
		t.wantSame(fmt.Sprintf("a read of %s answers what is there, whatever its UID", key), now, o)
	}
}

func readsMarked(t *trial) {
	a := t.made("a", foreign)
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
