package storetest

import (
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const (
	strictAbsent     = "level3/absent-owner"
	strictForeground = "level3/foreground-owner"
	strictOrphan     = "level3/orphan-owner"
	strictUpdate     = "level3/update"
	strictPatch      = "level3/patch"
	strictMoved      = "level3/moved"
	strictKept       = "level3/kept"
)

// lawsOfStrict are about a store of level 3. See ownergraph.Leveler.
func lawsOfStrict() []law {
	created := []string{readMarked, "delete/foreground", "delete/orphan", "delete/background"}
	changed := append([]string{patchAccepted, "patch/add-owner", strictAbsent, strictForeground, strictOrphan}, created...)
	list := []law{
		{
			name: strictAbsent, rests: created,
			why: "a reference to an owner that is gone makes an object garbage at once, and its user has no error",
			run: refusesAbsentOwners,
		},
		{
			name: "level3/other-incarnation", rests: append([]string{strictAbsent}, created...),
			why: "an owner is its UID: the owner that the user means is gone, and another object has its name",
			run: refusesFormerOwners,
		},
		{
			name: strictForeground, rests: append([]string{strictAbsent}, created...),
			why: "the engine has counted the dependents of such an owner: one that comes later does not hold it, and is left behind",
			run: refusesOwnersInForeground,
		},
		{
			name: strictOrphan, rests: append([]string{strictForeground}, created...),
			why: "the engine has freed the dependents of such an owner: one that comes later is left as garbage, and is deleted",
			run: refusesOrphaningOwners,
		},
		{
			name: "level3/background-owner", rests: created,
			why: "a background mark leaves the dependents to later: users may go on until the owner is gone",
			run: acceptsOwnersInBackground,
		},
		{
			name: strictUpdate, rests: changed,
			why: "a reference that an update adds makes a dependent, as a creation does",
			run: refusesUpdates,
		},
		{
			name: strictPatch, rests: append([]string{strictUpdate}, changed...),
			why: "a reference that a patch adds makes a dependent, as a creation does",
			run: refusesPatches,
		},
		{
			name: strictMoved, rests: append([]string{strictUpdate, strictPatch, "level3/other-incarnation"}, changed...),
			why: "a reference that moves to another owner makes a dependent of that owner, and the number of references stays",
			run: refusesMoves,
		},
		{
			name: "level3/blocking", rests: append([]string{strictMoved}, changed...),
			why: "a reference that begins to block an owner holds it, and the engine has counted those that do",
			run: refusesToBlock,
		},
		{
			name: strictKept, rests: append([]string{strictUpdate, strictPatch}, changed...),
			why: "an object with such a reference could no longer be changed: no controller could free its finalizers",
			run: acceptsKeptReferences,
		},
		{
			name: "level3/released", rests: append([]string{strictKept, patchUnblock, "patch/drop-owners"}, changed...),
			why: "the engine frees dependents and breaks rings by these writes: without them, the owners stay for ever",
			run: acceptsReleases,
		},
		{
			name: "level3/unserved", rests: append([]string{strictAbsent}, created...),
			why: "the store knows nothing about an owner of another database, and cannot judge it",
			run: acceptsUnservedOwners,
		},
		{
			name: "level3/refused-changes-nothing", rests: append([]string{strictMoved}, changed...),
			why: "no engine and no user has judged the state after half of a refused write",
			run: refusedReferencesChangeNothing,
		},
	}
	return ofLevel3(list)
}

func ofLevel3(list []law) []law {
	for i := range list {
		list[i].level = ownergraph.Level3
	}
	return list
}

// refusesReference breaks the law unless the store refuses a write of a reference.
func (t *trial) refusesReference(what string, err error) {
	t.Helper()
	switch {
	case err == nil:
		t.broken(what+" is an error that wraps ErrRefused", "it succeeded")
	case !errors.Is(err, graph.ErrRefused) || errors.Is(err, graph.ErrNotFound) || errors.Is(err, graph.ErrConflict):
		t.broken(what+" is an error that wraps ErrRefused alone", err.Error())
	}
}

// markedOwner creates an object that stays, and deletes it with the propagation.
func (t *trial) markedOwner(name string, p graph.Propagation) ownergraph.Object {
	t.Helper()
	o := t.made(name, holdFinalizer)
	t.userDelete(o.Key, propagated(p))
	if o = t.live(o.Key); !o.Deleting {
		t.unable("Client.Delete left %s without a mark", o)
	}
	return o
}

// goneOwner returns the key of an object that is gone.
func (t *trial) goneOwner(name string) ownergraph.Key {
	t.Helper()
	o := t.made(name)
	t.remove(o)
	return o.Key
}

// refusesCreations creates a dependent of the owner, with a plain reference and with one
// that blocks.
func (t *trial) refusesCreations(owner ownergraph.Key) {
	t.Helper()
	for _, block := range []bool{false, true} {
		o := t.object("dependent")
		o.Owners = []ownergraph.Owner{{Key: owner, Block: block}}
		_, err := t.tryCreate(o)
		t.refusesReference(fmt.Sprintf("Client.Create of %s -> %s", place(o.Key), o.Owners[0]), err)
	}
}

func refusesAbsentOwners(t *trial) { t.refusesCreations(t.goneOwner("owner")) }

func refusesFormerOwners(t *trial) {
	former := t.goneOwner("owner")
	t.made("owner")
	t.refusesCreations(former)
}

func refusesOwnersInForeground(t *trial) {
	t.refusesCreations(t.markedOwner("owner", ownergraph.Foreground).Key)
}

func refusesOrphaningOwners(t *trial) {
	t.refusesCreations(t.markedOwner("owner", ownergraph.Orphan).Key)
}

func acceptsOwnersInBackground(t *trial) {
	owner := t.markedOwner("owner", ownergraph.Background)
	o := t.object("dependent")
	o.Owners = []ownergraph.Owner{{Key: owner.Key, Block: true}}
	_, err := t.tryCreate(o)
	t.accept(fmt.Sprintf("Client.Create of %s -> %s, whose owner is %s,", place(o.Key), o.Owners[0], owner), err)
}

// badOwners returns the keys of owners that take no dependent.
func (t *trial) badOwners() []ownergraph.Key {
	t.Helper()
	return []ownergraph.Key{
		t.goneOwner("gone"), t.markedOwner("waiting", ownergraph.Foreground).Key, t.markedOwner("orphaning", ownergraph.Orphan).Key,
	}
}

func refusesUpdates(t *trial) {
	for i, owner := range t.badOwners() {
		o := t.made(fmt.Sprint("d", i))
		o.Owners = []ownergraph.Owner{{Key: owner}}
		_, err := t.tryUpdate(o)
		t.refusesReference(fmt.Sprintf("Client.Update that adds a reference: %s", o), err)
	}
}

func refusesPatches(t *trial) {
	for i, owner := range t.badOwners() {
		o := t.made(fmt.Sprint("d", i))
		change := ownergraph.Change{AddOwner: &ownergraph.Owner{Key: owner}}
		t.refusesReference(fmt.Sprintf("Patch of %s with %s", o, formatChange(change)), t.patch(o.Key, exact(o), change))
	}
}

func refusesInBatches(t *trial) {
	for i, owner := range t.badOwners() {
		o, other := t.made(fmt.Sprint("d", i)), t.made(fmt.Sprint("e", i))
		bad := patchOf(o, ownergraph.Change{AddOwner: &ownergraph.Owner{Key: owner}})
		results := t.batched(bad, deleteOf(other, ownergraph.Background))
		t.refusesReference(fmt.Sprintf("in a batch, %s with %s", bad, formatChange(bad.Change)), results[0])
		t.accept(fmt.Sprintf("in the same batch, the deletion of %s", other), results[1])
	}
}

func refusesMoves(t *trial) {
	first := t.made("first")
	bad := t.badOwners()
	for i, owner := range bad {
		o := t.owned(fmt.Sprint("d", i), ownergraph.Owner{Key: first.Key})
		change := ownergraph.Change{DropOwners: o.Owners, AddOwner: &ownergraph.Owner{Key: owner}}
		t.refusesReference(fmt.Sprintf("Patch of %s with %s", o, formatChange(change)), t.patch(o.Key, exact(o), change))
		o.Owners = []ownergraph.Owner{{Key: owner}}
		_, err := t.tryUpdate(o)
		t.refusesReference(fmt.Sprintf("Client.Update that moves a reference: %s", o), err)
	}
	// The owner keeps its coordinates, and gets another UID.
	o := t.owned("d", ownergraph.Owner{Key: first.Key})
	o.Owners[0].UID = bad[0].UID
	_, err := t.tryUpdate(o)
	t.refusesReference(fmt.Sprintf("Client.Update that changes the UID of a reference: %s", o), err)
}

func refusesToBlock(t *trial) {
	for _, p := range []graph.Propagation{ownergraph.Foreground, ownergraph.Orphan} {
		owner := t.made(p.String(), holdFinalizer)
		o := t.owned("of-"+p.String(), ownergraph.Owner{Key: owner.Key})
		t.userDelete(owner.Key, propagated(p))
		o.Owners[0].Block = true
		_, err := t.tryUpdate(o)
		t.refusesReference(fmt.Sprintf("Client.Update of a reference that begins to block: %s", o), err)
	}
}

// ownedBeforeEnd returns an object with a blocking reference to an owner, which is marked
// or removed since.
func (t *trial) ownedBeforeEnd(p graph.Propagation) ownergraph.Object {
	t.Helper()
	name := p.String()
	owner := t.made(name, holdFinalizer)
	if p == ownergraph.Background {
		owner = t.update(withFinalizers(owner))
	}
	o := t.owned("of-"+name, ownergraph.Owner{Key: owner.Key, Block: true})
	t.userDelete(owner.Key, propagated(p))
	return o
}

func (t *trial) eachOwnedBeforeEnd(run func(o ownergraph.Object)) {
	t.Helper()
	for _, p := range []graph.Propagation{ownergraph.Background, ownergraph.Foreground, ownergraph.Orphan} {
		run(t.ownedBeforeEnd(p))
	}
}

func acceptsKeptReferences(t *trial) {
	other := t.made("other")
	t.eachOwnedBeforeEnd(func(o ownergraph.Object) {
		o.Finalizers = []string{moreFinalizer}
		_, err := t.tryUpdate(o)
		t.accept(fmt.Sprintf("Client.Update that keeps a reference: %s", o), err)
		for _, change := range []ownergraph.Change{
			{AddFinalizer: holdFinalizer}, {AddOwner: &ownergraph.Owner{Key: other.Key}}, {DropFinalizer: moreFinalizer},
		} {
			o = t.live(o.Key)
			t.accept(fmt.Sprintf("Patch of %s with %s", o, formatChange(change)), t.patch(o.Key, exact(o), change))
		}
	})
}

func acceptsReleases(t *trial) {
	t.eachOwnedBeforeEnd(func(o ownergraph.Object) {
		for _, change := range []ownergraph.Change{{Unblock: o.Owners}, {DropOwners: o.Owners}} {
			o = t.live(o.Key)
			t.accept(fmt.Sprintf("Patch of %s with %s", o, formatChange(change)), t.patch(o.Key, exact(o), change))
		}
	})
}

func acceptsUnservedOwners(t *trial) {
	o := t.object("dependent")
	o.Owners = []ownergraph.Owner{{Key: ownergraph.Key{Kind: unservedKind, Scope: o.Scope, Name: "owner", UID: "elsewhere"}}}
	_, err := t.tryCreate(o)
	t.accept(fmt.Sprintf("Client.Create of %s -> %s, whose kind is not served,", place(o.Key), o.Owners[0]), err)
}

func refusedReferencesChangeNothing(t *trial) {
	bad := t.badOwners()
	first := t.made("first")
	for i, owner := range bad {
		o := t.owned(fmt.Sprint("d", i), ownergraph.Owner{Key: first.Key})
		next := o.Clone()
		next.Owners, next.Finalizers = []ownergraph.Owner{{Key: owner}}, []string{moreFinalizer}
		_, err := t.tryUpdate(next)
		t.refusesReference(fmt.Sprintf("Client.Update to %s", next), err)
		t.wantSame("after a refused update", o, t.live(o.Key))
		change := ownergraph.Change{DropOwners: o.Owners, AddOwner: &ownergraph.Owner{Key: owner}, AddFinalizer: moreFinalizer}
		t.refusesReference(fmt.Sprintf("Patch of %s with %s", o, formatChange(change)), t.patch(o.Key, exact(o), change))
		t.wantSame("after a refused patch", o, t.live(o.Key))
		made := t.object("made")
		made.Owners = []ownergraph.Owner{{Key: owner}}
		_, err = t.tryCreate(made)
		t.refusesReference(fmt.Sprintf("Client.Create of %s -> %s", place(made.Key), owner), err)
		t.absent("after a refused creation", made.Key)
	}
}
