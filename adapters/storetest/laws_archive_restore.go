package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// lawsOfArchiveRestores are about the writes of archive.Store.
func lawsOfArchiveRestores(beside func(more ...string) []string) []law {
	return []law{
		{
			name: archiveRestore, rests: beside(watchSeveral),
			why: "a new object whose references name former owners is garbage, and the engine deletes it at once",
			run: restoresRewriteReferences,
		},
		{
			name: "archive/once", rests: beside(archiveRestore),
			why: "a restore begins anew after a crash: a second object of one entry is a copy that nobody wants",
			run: entriesComeBackOnce,
		},
		{
			name: "archive/unrestored", rests: beside(archiveRestore, "archive/pages"),
			why: "a restore looks for the members that came later before it ends: one that no page brings stays away",
			run: unrestoredEntriesAreFound,
		},
		{
			name: "archive/taken", rests: beside(archiveRestore),
			why: "a user has given the name to another object since, and a half restore lacks owners",
			run: takenNamesRestoreNothing,
		},
		{
			name: "archive/hold", rests: beside(archiveRestore, "patch/add-finalizer"),
			why: "an entry with a hold is evidence, and nobody brings it back after its end",
			run: holdsKeep,
		},
		{
			name: "archive/purge", rests: beside(archiveRestore),
			why: "data that a user wants gone stays for ever, or data goes that a user still needs",
			run: purgesDropEntries,
		},
		{
			name: "archive/purge-under-way", rests: beside("archive/purge"),
			why: "a purge during a foreground deletion or a sweep drops what the restore of the root has to bring back",
			run: purgesKeepCascades,
		},
		{
			name: "archive/labels", needs: []need{needSelector, needLabel}, rests: beside(archiveRestore, "select/matches"),
			why: "an object without its payload is another one",
			run: labelsComeBack,
		},
		{
			name: "archive/relink", rests: beside(policyKept, "patch/drop-owners", patchUnblock),
			why: "a reference that loses its policy lets the engine delete what the user keeps",
			run: relinksKeepFlags,
		},
		{
			name: "archive/restore-refused", level: ownergraph.Level3, rests: beside(archiveRestore, strictAbsent, strictForeground),
			why: "the owner may have gone since the set was computed: its new dependent is garbage",
			run: refusesRestoredReferences,
		},
		{
			name: "archive/relink-refused", level: ownergraph.Level3, rests: beside("archive/relink", strictAbsent, strictForeground, strictOrphan, strictPatch),
			why: "a moved reference makes a dependent of the new owner, as one that is added does",
			run: refusesRelinks,
		},
	}
}

// itemOf restores an object under its name, with these references.
func itemOf(o ownergraph.Object, owners ...ownergraph.Owner) archive.Item {
	return archive.Item{UID: o.UID, Scope: o.Scope, Name: o.Name, Owners: owners}
}

func (t *trial) tryRestore(items ...archive.Item) (keys []ownergraph.Key, err error) {
	t.Helper()
	err = t.do("RestoreEntries", func(ctx context.Context) (err error) {
		keys, err = t.archive().RestoreEntries(ctx, slices.Clone(items))
		return err
	})
	return keys, err
}

// restored restores entries, and has to succeed.
func (t *trial) restored(what string, items ...archive.Item) []ownergraph.Key {
	t.Helper()
	keys, err := t.tryRestore(items...)
	t.accept("RestoreEntries of "+what, err)
	if len(keys) != len(items) {
		t.broken(fmt.Sprintf("RestoreEntries of %s returns %d keys", what, len(items)), fmt.Sprint(keys))
	}
	return keys
}

// isBack compares a new object and its entry with the item.
func (t *trial) isBack(what string, former ownergraph.Object, key ownergraph.Key, owners ...ownergraph.Owner) ownergraph.Object {
	t.Helper()
	now := t.live(key)
	want := ownergraph.Object{Key: key, Owners: owners}
	t.wantContent(what, want, now)
	if key.UID == former.UID || now.UID != key.UID {
		t.broken(fmt.Sprintf("%s: a new object has a new UID, and the answer has it", what), fmt.Sprintf("%s, which was %s, and the answer is %s", now, former.UID, key))
	}
	if e := t.entry(what, former.Key); e.Restored != key {
		t.broken(fmt.Sprintf("%s: the entry names the new object %s", what, key), formatEntries([]archive.Entry{e}))
	}
	return now
}

// unrestoredEntriesAreFound restores one of two dependents. The other one is found, and its owner.
func unrestoredEntriesAreFound(t *trial) {
	owner := t.made("owner")
	var made []ownergraph.Object
	for i := range 4 {
		o := t.dependent(fmt.Sprint("d", i), owner.Key)
		t.engineDelete(o, graph.Cause{Root: owner.Key})
		made = append(made, o)
	}
	t.remove(owner)
	slices.SortFunc(made, func(a, b ownergraph.Object) int { return cmp.Compare(a.UID, b.UID) }) // a restored one is first in the pages
	t.restored("two dependents", itemOf(made[0]), itemOf(made[2]))
	below := []graph.UID{made[1].UID, made[3].UID}
	for limit := range 3 {
		t.wantEntries("those that were not restored", archive.Query{Unrestored: true, Limit: limit}, append([]graph.UID{owner.UID}, below...))
		t.wantEntries("those of an owner", archive.Query{Owners: []graph.UID{owner.UID}, Unrestored: true, Limit: limit}, below)
	}
}

// restoresRewriteReferences restores an owner with its dependent, under another name, and a ring.
func restoresRewriteReferences(t *trial) {
	w := t.watch().ready()
	stays := t.made("stays")
	owner := t.made("owner", holdFinalizer)
	d := t.dependent("dependent", owner.Key)
	t.remove(d)
	t.remove(owner)
	t.dropFinalizer(t.live(owner.Key), holdFinalizer)
	toStays := ownergraph.Owner{Key: stays.Key}
	renamed := itemOf(owner)
	renamed.Name = "another"
	what := "a dependent and its owner"
	keys := t.restored(what, itemOf(d, d.Owners[0], toStays), renamed)
	toOwner := d.Owners[0]
	toOwner.Key = keys[1]
	if keys[1].Name != "another" || keys[0].Place() != d.Place() {
		t.broken("RestoreEntries answers with the keys of the items, in their order", fmt.Sprint(keys))
	}
	now := t.isBack(what, d, keys[0], toOwner, toStays)
	t.isBack(what, owner, keys[1])
	t.absent("it came back under another name", owner.Key)
	w.mustSee("the watch reports "+now.String(), func(r *replica) bool { return r.knows(now) })

	a, b := t.made("a"), t.made("b")
	t.remove(a)
	t.remove(b)
	keys = t.restored("a ring", itemOf(a, ownergraph.Owner{Key: b.Key}), itemOf(b, ownergraph.Owner{Key: a.Key}))
	t.isBack("a ring", a, keys[0], ownergraph.Owner{Key: keys[1]})
	t.isBack("a ring", b, keys[1], ownergraph.Owner{Key: keys[0]})
}

// entriesComeBackOnce restores an entry again: alone, beside another one, and after the new object's end.
func entriesComeBackOnce(t *trial) {
	a, b := t.made("a"), t.made("b")
	t.remove(a)
	t.remove(b)
	first := t.restored("an object", itemOf(a))[0]
	now := t.live(first)
	again := t.restored("an object, once more", itemOf(a))[0]
	t.wantSame("restored once more", now, t.live(first))
	moved := itemOf(a)
	moved.Name = "elsewhere"
	keys := t.restored("it, beside a dependent", moved, itemOf(b, ownergraph.Owner{Key: a.Key}))
	if again != first || keys[0] != first {
		t.broken(fmt.Sprintf("each restore of the entry answers with %s", first), fmt.Sprintf("%s, %s", again, keys[0]))
	}
	t.absent("it came back before", ownergraph.Key{Kind: a.Kind, Scope: a.Scope, Name: "elsewhere"})
	t.isBack("beside an entry that came back before", b, keys[1], ownergraph.Owner{Key: first})
	t.remove(now)
	if last := t.restored("it, after the end of the new object", itemOf(a))[0]; last != first {
		t.broken(fmt.Sprintf("a restore answers with %s, also after the end of that object", first), last.String())
	}
	t.absent("its entry came back before, and ended", now.Key)
	t.wantEntry("the new object has ended", now, nil, words{explicit: true})
}

// takenNamesRestoreNothing restores objects of which one has lost its name.
func takenNamesRestoreNothing(t *trial) {
	a, b := t.made("a"), t.made("b")
	t.remove(a)
	t.remove(b)
	other := t.made("b")
	what := fmt.Sprintf("RestoreEntries of %s and %s", a.Key, b.Key)
	_, err := t.tryRestore(itemOf(a), itemOf(b))
	var taken *archive.TakenError
	expected := fmt.Sprintf("%s answers a *archive.TakenError, and %s has the name of %s", what, other.Key, b.UID)
	switch {
	case err == nil:
		t.broken(expected, "it succeeded")
	case !errors.As(err, &taken) || !errors.Is(err, graph.ErrConflict) || len(taken.Taken) != 1 || taken.Taken[b.UID] != other.Key:
		t.broken(expected, err.Error())
	}
	t.absent(what+" was refused", a.Key)
	t.wantSame(what+" was refused", other, t.live(other.Key))
	for _, o := range []ownergraph.Object{a, b} {
		if e := t.entry(what, o.Key); e.Restored.UID != "" {
			t.broken(what+" notes nothing", formatEntries([]archive.Entry{e}))
		}
	}
	renamed := itemOf(b)
	renamed.Name = "another"
	keys := t.restored("both, with another name", itemOf(a), renamed)
	t.isBack("with another name", b, keys[1])
}

func (t *trial) hold(key ownergraph.Key, by string) error {
	t.Helper()
	return t.do("HoldEntry", func(ctx context.Context) error {
		return t.archive().HoldEntry(ctx, key, archive.Hold{By: by, Reason: "case 1"})
	})
}

func (t *trial) endHold(key ownergraph.Key, by string) error {
	t.Helper()
	return t.do("EndHold", func(ctx context.Context) error { return t.archive().EndHold(ctx, key, by) })
}

func (t *trial) purge(uids ...graph.UID) (n int, err error) {
	t.Helper()
	err = t.do("PurgeEntries", func(ctx context.Context) (err error) { n, err = t.archive().PurgeEntries(ctx, uids); return err })
	return n, err
}

// holdsKeep holds an entry, a living object and a marked one.
func holdsKeep(t *trial) {
	a, other := t.made("a"), t.made("other")
	t.remove(a)
	t.remove(other)
	t.accept("HoldEntry of an entry", t.hold(a.Key, "law"))
	t.accept("HoldEntry of it by another holder", t.hold(a.Key, "audit"))
	late := archive.Hold{By: "far", Until: time.Date(300000, 1, 1, 0, 0, 0, 0, time.UTC)}
	if err := t.do("HoldEntry", func(ctx context.Context) error { return t.archive().HoldEntry(ctx, a.Key, late) }); !errors.Is(err, graph.ErrInvalid) {
		t.broken("HoldEntry with an end above the microseconds of 64 bits answers ErrInvalid", fmt.Sprint(err))
	}
	t.accept("EndHold of it", t.endHold(a.Key, "audit"))
	t.keepsHeld(a, other)
	t.restored("an entry with a hold", itemOf(a))
	t.accept("EndHold of it", t.endHold(a.Key, "law"))
	if n, err := t.purge(a.UID); n != 1 || err != nil {
		t.broken("PurgeEntries drops an entry after its hold", fmt.Sprintf("%d, %v", n, err))
	}
	for what, err := range map[string]error{"HoldEntry without an object or an entry": t.hold(a.Key, "law"), "EndHold without a hold": t.endHold(other.Key, "law")} {
		t.wantError(what, err, graph.ErrNotFound)
	}
	t.holdsProtect()
}

// keepsHeld purges an entry with a hold, alone and beside another one.
func (t *trial) keepsHeld(held, other ownergraph.Object) {
	t.Helper()
	for _, uids := range [][]graph.UID{{held.UID}, {other.UID, held.UID}} {
		n, err := t.purge(uids...)
		if !errors.Is(err, graph.ErrRefused) || n != 0 {
			t.broken(fmt.Sprintf("PurgeEntries of %v, of which %s has a hold, answers ErrRefused", uids, held.Key), fmt.Sprintf("%d, %v", n, err))
		}
	}
	t.entry("a purge was refused", other.Key)
	if e := t.entry("it has a hold", held.Key); len(e.Holds) != 1 || e.Holds[0].By != "law" {
		t.broken("the entry has the hold of law", fmt.Sprintf("%+v", e.Holds))
	}
}

// holdsProtect holds objects that have not ended.
func (t *trial) holdsProtect() {
	t.Helper()
	o := t.made("living")
	t.accept("HoldEntry of a living object", t.hold(o.Key, "law"))
	protected := o.Clone()
	protected.Finalizers = append(protected.Finalizers, graph.FinalizerProtect)
	t.wantContent("a hold on a living object", protected, t.live(o.Key))
	t.accept("EndHold of a living object", t.endHold(o.Key, "law"))
	t.wantContent("after the hold on a living object", o, t.live(o.Key))
	m := t.marked("marked")
	t.accept("HoldEntry of a marked object", t.hold(m.Key, "law"))
	t.wantContent("a hold on a marked object", m, t.live(m.Key))
	t.dropFinalizer(t.live(m.Key), holdFinalizer)
	if e := t.entry("an object with a hold has ended", m.Key); len(e.Holds) != 1 {
		t.broken("the entry inherits the hold of its object", fmt.Sprintf("%+v", e.Holds))
	}
}

// purgesDropEntries purges entries by their UIDs, and those whose time is over, of which there is none.
func purgesDropEntries(t *trial) {
	a, b := t.made("a"), t.made("b")
	t.remove(a)
	t.remove(b)
	_, err := t.purge()
	t.accept("PurgeEntries without UIDs", err)
	t.entry("its time is not over", a.Key)
	n, err := t.purge(a.UID, "none")
	if n != 1 || err != nil {
		t.broken("PurgeEntries of one entry, and of a UID without one, answers 1", fmt.Sprintf("%d, %v", n, err))
	}
	t.noEntry("it was purged", a.Key)
	t.entry("another one was purged", b.Key)
	_, err = t.tryRestore(itemOf(b), itemOf(a))
	t.wantError("RestoreEntries beside a purged entry", err, graph.ErrNotFound)
	t.absent("the restore beside a purged entry has failed", b.Key)
}

// purgesKeepCascades purges while a cascade runs. The entry of its root comes after those of the dependents.
func purgesKeepCascades(t *trial) {
	root := t.made("root", holdFinalizer)
	a, member := t.dependent("a", root.Key), t.made("member")
	t.remove(root)
	t.engineDelete(a, graph.Cause{Root: root.Key})
	t.engineDelete(member, graph.Cause{Root: root.Key, Holder: root.Key})
	_, err := t.purge()
	t.accept("PurgeEntries without UIDs", err)
	t.entry("its owner is marked", a.Key)
	t.entry("the holder of its sweep is marked", member.Key)
	t.dropFinalizer(t.live(root.Key), holdFinalizer)
	_, err = t.purge()
	t.accept("PurgeEntries without UIDs", err)
	t.entry("the entry of its owner stays", a.Key)
}

func labelsComeBack(t *trial) {
	o := t.label(t.made("a"), map[string]string{tagged: "1"})
	t.remove(o)
	key := t.restored("an object with labels", itemOf(o))[0]
	t.selects(tagged+"=1", 0, []string{"1"}, t.live(key))
}

// relinksKeepFlags moves references of each sort.
func relinksKeepFlags(t *trial) {
	first, second, other := t.made("first"), t.made("second"), t.made("other")
	move := ownergraph.Change{Relink: []graph.Relink{{From: first.Key, To: second.Key}}}
	for i, policy := range append(allPolicies(), graph.OnDeleteUnset) {
		for _, flagged := range []bool{false, true} {
			ref := ownergraph.Owner{Key: first.Key, OnDelete: policy, Block: flagged, Controller: flagged}
			o := t.object(fmt.Sprint("d", i, "-", flagged))
			o.Owners = []ownergraph.Owner{{Key: other.Key}, ref}
			made, err := t.tryCreate(o)
			if err != nil {
				continue // the store has no place for the policy, or for the flags
			}
			t.patched(made, move)
		}
	}
	none := t.owned("none", ownergraph.Owner{Key: other.Key})
	t.patched(none, move)
	both := t.owned("both", ownergraph.Owner{Key: first.Key}, ownergraph.Owner{Key: second.Key})
	t.patched(both, move)
}

func refusesRestoredReferences(t *trial) {
	a, b := t.made("a"), t.made("b")
	t.remove(a)
	t.remove(b)
	for _, owner := range []ownergraph.Key{t.goneOwner("gone"), t.markedOwner("waiting", ownergraph.Foreground).Key} {
		what := fmt.Sprintf("RestoreEntries of %s -> %s", a.Key, owner)
		_, err := t.tryRestore(itemOf(b), itemOf(a, ownergraph.Owner{Key: owner}))
		t.refusesReference(what, err)
		t.absent(what, a.Key)
		t.absent(what, b.Key)
	}
	owner := t.made("owner")
	key := t.restored("an object with a living owner", itemOf(a, ownergraph.Owner{Key: owner.Key}))[0]
	t.isBack("with a living owner", a, key, ownergraph.Owner{Key: owner.Key})
}

func refusesRelinks(t *trial) {
	first := t.made("first")
	for i, owner := range t.badOwners() {
		o := t.owned(fmt.Sprint("d", i), ownergraph.Owner{Key: first.Key})
		change := ownergraph.Change{Relink: []graph.Relink{{From: first.Key, To: owner}}}
		what := fmt.Sprintf("Patch of %s with %s", o, formatChange(change))
		t.refusesReference(what, t.patch(o.Key, exact(o), change))
		t.wantSame(what, o, t.live(o.Key))
	}
}
