package storetest

import (
	"fmt"

	"github.com/ownergraph/ownergraph"
)

const (
	patchAccepted = "patch/accepted"
	patchUID      = "patch/uid-precondition"
	patchVersion  = "patch/version-precondition"
	patchUnblock  = "patch/unblock"
	patchDrop     = "patch/drop-finalizer"
	patchOneStep  = "patch/one-step"
	patchConflict = "patch/conflict-changes-nothing"
)

func lawsOfPatch() []law {
	verb := func(name, why string, run func(*trial)) law {
		return law{name: name, rests: []string{readFresh, patchAccepted}, why: why, run: run}
	}
	return []law{
		{
			name: patchAccepted, rests: []string{readFresh},
			why: "every write of the engine has UID and version: if a store refuses the right ones, no object is ever collected",
			run: patchIsAccepted,
		},
		{
			name: patchUID, rests: []string{readFresh},
			why: "a write that was judged for one incarnation changes the next one: a new object loses its owner, and is deleted",
			run: patchNeedsUID,
		},
		{
			name: patchVersion, rests: []string{readMarked},
			why: "a write that was judged on one state changes another: the engine drops an owner reference that a user has just set",
			run: patchNeedsVersion,
		},
		verb("patch/no-precondition", "a zero field of the precondition demands nothing", patchNeedsNothing),
		{
			name: patchConflict, rests: []string{readFresh, patchUID, patchVersion},
			why: "after a conflict the engine judges again, as if the write had not been done",
			run: patchConflictChangesNothing,
		},
		verb("patch/drop-owners", "a dangling reference that stays blocks the decision on its object: a reference dropped by mistake removes a live owner",
			patchDropsOwners),
		verb("patch/add-owner", "a dependent without its added owner is deleted", patchAddsOwner),
		verb(patchUnblock, "the engine breaks a ring of blocking references by it: without it, the owners wait for each other for ever", patchUnblocks),
		verb(patchDrop, "an owner whose finalizer stays, stays for ever: an owner that loses a foreign finalizer goes too soon", patchDropsFinalizer),
		verb("patch/add-finalizer", "a missing finalizer does not hold its object", patchAddsFinalizer),
		{
			name: "patch/no-change", rests: []string{readFresh, patchAccepted}, excuse: StillVersions,
			why: "a repeated write wakes every watch if it makes a version: engines on one store keep each other busy",
			run: patchChangesNothing,
		},
	}
}

// lawsOfSteps are about writes that are whole. They come after the laws of deletion
// and of the watch, which they use.
func lawsOfSteps() []law {
	return []law{
		{
			name: "patch/refused-changes-nothing", rests: []string{readMarked, noNewFinalizers},
			why: "no engine has judged the state after half of a refused write",
			run: patchRefusedChangesNothing,
		},
		{
			name: patchOneStep, rests: []string{watchExact, "patch/drop-owners", patchUnblock, patchDrop, "patch/add-finalizer"},
			why: "between the two halves of a write, an engine sees an object without its owner and its finalizer, and deletes it",
			run: patchIsOneStep,
		},
	}
}

func patchIsAccepted(t *trial) {
	o := t.made("a", holdFinalizer)
	t.accept(fmt.Sprintf("Patch of %s under its UID and version", o), t.patch(o.Key, exact(o), ownergraph.Change{DropFinalizer: holdFinalizer}))
	o = t.touch(t.live(o.Key))
	change := ownergraph.Change{AddFinalizer: holdFinalizer}
	t.accept(fmt.Sprintf("Patch of %s under its UID and version", o), t.patch(o.Key, exact(o), change))
}

func patchNeedsUID(t *trial) {
	change := ownergraph.Change{AddFinalizer: holdFinalizer}
	old := t.made("a")
	t.remove(old)
	now := t.made("a")
	for _, pre := range []ownergraph.Precondition{{UID: old.UID}, {UID: old.UID, Version: now.Version}} {
		t.refuse(fmt.Sprintf("Patch of %s under UID %q", now, old.UID), t.patch(now.Key, pre, change))
	}
}

func patchNeedsVersion(t *trial) {
	change := ownergraph.Change{AddFinalizer: holdFinalizer}
	old := t.made("a")
	now := t.touch(old)
	for _, pre := range []ownergraph.Precondition{{Version: old.Version}, exact(old)} {
		t.refuse(fmt.Sprintf("Patch of %s under version %q", now, old.Version), t.patch(now.Key, pre, change))
	}
	marked := t.marked("b")
	x := t.touch(t.made("x"))
	t.refuse(fmt.Sprintf("Patch of %s under version %q", marked, x.Version),
		t.patch(marked.Key, ownergraph.Precondition{UID: marked.UID, Version: x.Version}, ownergraph.Change{DropFinalizer: holdFinalizer}))
}

func patchNeedsNothing(t *trial) {
	o := t.made("a", holdFinalizer)
	for _, pre := range []ownergraph.Precondition{{}, {UID: o.UID}} {
		what := fmt.Sprintf("Patch of %s under %+v", o, pre)
		t.accept(what, t.patch(o.Key, pre, ownergraph.Change{DropFinalizer: holdFinalizer}))
		t.accept(what, t.patch(o.Key, pre, ownergraph.Change{AddFinalizer: holdFinalizer}))
	}
	o = t.live(o.Key)
	t.accept(fmt.Sprintf("Patch of %s under its version alone", o),
		t.patch(o.Key, ownergraph.Precondition{Version: o.Version}, ownergraph.Change{DropFinalizer: holdFinalizer}))
}

func patchConflictChangesNothing(t *trial) {
	owner := t.made("owner")
	old := t.owned("a", ownergraph.Owner{Key: owner.Key, Block: true})
	now := t.touch(old)
	change := ownergraph.Change{DropOwners: old.Owners, DropFinalizer: moreFinalizer, AddFinalizer: holdFinalizer}
	for _, pre := range []ownergraph.Precondition{{UID: owner.UID}, {Version: old.Version}, exact(old)} {
		if err := t.patch(now.Key, pre, change); err != nil {
			t.wantSame(fmt.Sprintf("after a Patch under %+v that answered %q", pre, err), now, t.live(now.Key))
		}
	}
}

// patched patches the present object, and breaks the law if the result differs from
// the change.
func (t *trial) patched(o ownergraph.Object, change ownergraph.Change) ownergraph.Object {
	t.Helper()
	what := fmt.Sprintf("%s patched with %s", o, formatChange(change))
	if err := t.patch(o.Key, exact(o), change); err != nil {
		t.broken(what+" succeeds", err.Error())
	}
	now := t.live(o.Key)
	t.wantContent(what, change.Apply(o), now)
	return now
}

// threeOwners makes an object with references to three others.
func (t *trial) threeOwners() ownergraph.Object {
	t.Helper()
	var owners []ownergraph.Owner
	for _, name := range []string{"x", "y", "z"} {
		owners = append(owners, ownergraph.Owner{Key: t.made(name).Key, Block: true})
	}
	return t.owned("a", owners...)
}

func patchDropsOwners(t *trial) {
	o := t.threeOwners()
	next := o.Owners[1]
	next.UID = o.Owners[0].UID // x's UID, with y's name: not the same claim
	flagged := o.Owners[2]
	flagged.Block = false // the same claim: flags do not count
	o = t.patched(o, ownergraph.Change{DropOwners: []ownergraph.Owner{next}})
	o = t.patched(o, ownergraph.Change{DropOwners: []ownergraph.Owner{flagged}})
	o = t.patched(o, ownergraph.Change{DropOwners: o.Owners})
	t.patched(o, ownergraph.Change{DropOwners: []ownergraph.Owner{flagged}}) // it is no longer there

	// A store may accept one reference twice. Then both go.
	owner := ownergraph.Owner{Key: t.made("twice").Key}
	b := t.object("b")
	b.Owners = []ownergraph.Owner{owner, owner}
	if b, err := t.tryCreate(b); err == nil && len(b.Owners) > 0 {
		t.patched(b, ownergraph.Change{DropOwners: b.Owners[:1]})
	}
}

func patchAddsOwner(t *trial) {
	o := t.threeOwners()
	more := t.made("more")
	o = t.patched(o, ownergraph.Change{AddOwner: &ownergraph.Owner{Key: more.Key, Block: true}})
	alone := t.made("alone")
	t.patched(alone, ownergraph.Change{AddOwner: &ownergraph.Owner{Key: o.Key}})
	t.wantContent("an owner that was given to another object", o, t.live(o.Key))
}

func patchUnblocks(t *trial) {
	o := t.threeOwners()
	other := o.Owners[1]
	other.UID = o.Owners[0].UID
	o = t.patched(o, ownergraph.Change{Unblock: []ownergraph.Owner{other}})
	o = t.patched(o, ownergraph.Change{Unblock: o.Owners[:1]})
	t.patched(o, ownergraph.Change{Unblock: o.Owners[1:]})
}

func patchDropsFinalizer(t *trial) {
	o := t.made("a", holdFinalizer, moreFinalizer)
	o = t.patched(o, ownergraph.Change{DropFinalizer: holdFinalizer})
	o = t.patched(o, ownergraph.Change{DropFinalizer: moreFinalizer})
	t.patched(o, ownergraph.Change{DropFinalizer: moreFinalizer}) // it is no longer there
}

func patchAddsFinalizer(t *trial) {
	o := t.made("a", holdFinalizer)
	o = t.patched(o, ownergraph.Change{AddFinalizer: moreFinalizer})
	t.patched(o, ownergraph.Change{AddFinalizer: moreFinalizer}) // once is enough
}

// patchIsOneStep checks every state that a watch reports.
func patchIsOneStep(t *trial) {
	o := t.threeOwners()
	o.Finalizers = []string{holdFinalizer}
	o = t.update(o)
	w := t.watch().ready()
	change := ownergraph.Change{DropOwners: o.Owners[:1], Unblock: o.Owners[1:2], DropFinalizer: holdFinalizer, AddFinalizer: moreFinalizer}
	now := t.patched(o, change)
	w.sees(func(r *replica) bool { return r.knows(now) })
	events, _ := w.reported()
	for _, e := range events {
		if e.Object.Key == o.Key && !sameContent(e.Object, o) && !sameContent(e.Object, now) {
			t.broken(fmt.Sprintf("a patch leads from %s to %s in one step", o, now), "the watch reported "+formatEvent(e))
		}
	}
}

func patchChangesNothing(t *trial) {
	o := t.threeOwners()
	other := o.Owners[1]
	other.UID = o.Owners[0].UID
	for _, change := range []ownergraph.Change{{}, {DropFinalizer: holdFinalizer}, {Unblock: []ownergraph.Owner{other}}} {
		what := fmt.Sprintf("%s patched with %s", o, formatChange(change))
		t.accept(what, t.patch(o.Key, exact(o), change))
		t.wantSame(what+", which changes nothing", o, t.live(o.Key))
	}
}

func patchRefusedChangesNothing(t *trial) {
	owner := t.made("owner")
	o := t.owned("a", ownergraph.Owner{Key: owner.Key, Block: true})
	o.Finalizers = []string{holdFinalizer}
	o = t.update(o)
	t.remove(o)
	o = t.live(o.Key)
	err := t.patch(o.Key, exact(o), ownergraph.Change{DropOwners: o.Owners, Unblock: o.Owners, AddFinalizer: moreFinalizer})
	if err != nil {
		t.wantSame(fmt.Sprintf("after a Patch that answered %q", err), o, t.live(o.Key))
	}
}
