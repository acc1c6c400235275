package storetest

import (
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const (
	deleteRemoves = "delete/removes"
	deleteMarks   = "delete/marks"
	deleteUID     = "delete/uid-precondition"
	deleteVersion = "delete/version-precondition"
	deleteTwice   = "delete/twice"
	lastFinalizer = "delete/last-finalizer"

	noNewFinalizers = "delete/no-new-finalizers"
	newUID          = "delete/new-uid"
)

func lawsOfDelete() []law {
	return []law{
		{
			name: deleteRemoves, rests: []string{readFresh, readAbsent},
			why: "a deleted object that stays stops the cascade",
			run: deletesRemove,
		},
		{
			name: deleteMarks, rests: []string{readMarked},
			why: "if an object with a finalizer goes at once, the finalizer's clean-up never happens",
			run: deletesMark,
		},
		{
			name: deleteUID, rests: []string{readFresh},
			why: "a delete that was judged for one incarnation removes the next one, which no engine has judged",
			run: deleteNeedsUID,
		},
		{
			name: deleteVersion, rests: []string{readFresh},
			why: "the engine deletes an object that has just been given an owner",
			run: deleteNeedsVersion,
		},
		{
			name: "delete/conflict-changes-nothing", rests: []string{readFresh, deleteUID, deleteVersion},
			why: "after a conflict the engine judges again, as if the write had not been done",
			run: deleteConflictChangesNothing,
		},
		{
			name: "delete/only-this", rests: []string{readFresh, deleteRemoves},
			why: "a store that cascades by itself deletes dependents that an orphan deletion has to keep",
			run: deletesOnlyThis,
		},
		propagationLaw("delete/foreground", ownergraph.Foreground, "an owner without the foreground finalizer goes before its dependents"),
		propagationLaw("delete/orphan", ownergraph.Orphan, "an owner without the orphan finalizer goes, and its dependents with it"),
		propagationLaw("delete/background", ownergraph.Background, "a propagation finalizer that stays blocks a background deletion"),
		{
			name: deleteTwice, rests: []string{readMarked, "delete/foreground", "delete/orphan", "delete/background"},
			why: "the engine repeats a delete of unknown outcome",
			run: deletesTwice,
		},
		{
			name: "delete/keeps-propagation", rests: []string{readMarked, deleteMarks},
			why: "a delete without a propagation cancels the orphaning that the object's finalizer demands",
			run: deletesKeepPropagation,
		},
		{
			name: lastFinalizer, rests: []string{readMarked, readAbsent, patchAccepted, patchDrop},
			why: "the engine ends a deletion by dropping its finalizer: an object that stays after that stays for ever",
			run: deletesAtLastFinalizer,
		},
		{
			name: "delete/other-finalizers", rests: []string{readMarked, patchAccepted, patchDrop},
			why: "if an object goes before its last finalizer, that finalizer's clean-up never happens",
			run: deletesNotBefore,
		},
		{
			name: noNewFinalizers, rests: []string{readMarked},
			why: "a finalizer that comes after the mark can hold the deleted object for ever",
			run: deletesTakeNoFinalizers,
		},
		{
			name: "delete/mark-stays", rests: []string{readMarked},
			why: "when an object loses its mark, the engine is already deleting its dependents",
			run: marksStay,
		},
	}
}

// lawsOfUIDs come before all other laws of the store, because each of those tells
// objects apart by UIDs.
func lawsOfUIDs() []law {
	return []law{{
		name: newUID,
		why:  "an engine knows a former UID as absent: if it returns, the dependents of the new object are deleted at once",
		run:  deletesMakeNewUIDs,
	}}
}

func deletesRemove(t *trial) {
	for _, p := range []graph.Propagation{graph.Unset, ownergraph.Background} {
		o := t.made("a")
		what := fmt.Sprintf("Delete of %s, propagation %s,", o, p)
		t.accept(what, t.delete(o.Key, ownergraph.DeleteOptions{Precondition: exact(o), Propagation: p}))
		t.absent(what, o.Key)
	}
	o := t.made("a")
	what := fmt.Sprintf("Delete of %s without a condition", o)
	t.accept(what, t.delete(o.Key, propagated(ownergraph.Background)))
	t.absent(what, o.Key)
}

func deletesMark(t *trial) {
	o := t.made("a", holdFinalizer)
	o.Owners = []ownergraph.Owner{{Key: t.made("owner").Key, Block: true}}
	o = t.update(o)
	what := fmt.Sprintf("Delete of %s", o)
	t.accept(what, t.delete(o.Key, ownergraph.DeleteOptions{Precondition: exact(o), Propagation: ownergraph.Background}))
	now, err := t.get(o.Key)
	if err != nil {
		t.broken(fmt.Sprintf("%s stays after its deletion, for its finalizer", o), fmt.Sprintf("Get answers: %v", err))
	}
	o.Deleting = true
	t.wantContent(what, o, now)
}

func deleteNeedsUID(t *trial) {
	old := t.made("a")
	t.remove(old)
	now := t.made("a", holdFinalizer)
	for _, pre := range []ownergraph.Precondition{{UID: old.UID}, {UID: old.UID, Version: now.Version}} {
		t.refuse(fmt.Sprintf("Delete of %s under UID %q", now, old.UID), t.delete(now.Key, ownergraph.DeleteOptions{Precondition: pre}))
	}
}

func deleteNeedsVersion(t *trial) {
	old := t.made("a", holdFinalizer)
	now := t.touch(old)
	for _, pre := range []ownergraph.Precondition{{Version: old.Version}, exact(old)} {
		t.refuse(fmt.Sprintf("Delete of %s under version %q", now, old.Version), t.delete(now.Key, ownergraph.DeleteOptions{Precondition: pre}))
	}
}

func deleteConflictChangesNothing(t *trial) {
	x := t.made("x")
	for _, name := range []string{"a", "b"} {
		old := t.made(name)
		if name == "b" {
			old = t.made("c", holdFinalizer)
		}
		now := t.touch(t.touch(t.touch(old))) // the last touch leaves another finalizer
		for _, pre := range []ownergraph.Precondition{{UID: x.UID}, {Version: old.Version}, exact(old)} {
			err := t.delete(now.Key, ownergraph.DeleteOptions{Precondition: pre, Propagation: ownergraph.Foreground})
			if err != nil {
				t.stillThere(fmt.Sprintf("after a Delete under %+v that answered %q", pre, err), now)
			}
		}
	}
}

// stillThere breaks the law if the object is gone or has changed.
func (t *trial) stillThere(when string, o ownergraph.Object) {
	t.Helper()
	now, err := t.get(o.Key)
	if err != nil {
		t.broken(fmt.Sprintf("%s: %s", when, o), fmt.Sprintf("Get answers: %v", err))
	}
	t.wantSame(when, o, now)
}

func deletesOnlyThis(t *trial) {
	owner, beside := t.made("owner"), t.made("beside")
	b := t.owned("b", ownergraph.Owner{Key: owner.Key})
	c := t.owned("c", ownergraph.Owner{Key: owner.Key, Block: true}, ownergraph.Owner{Key: beside.Key})
	what := fmt.Sprintf("after the Delete of %s", owner)
	t.accept(what, t.delete(owner.Key, ownergraph.DeleteOptions{Precondition: exact(owner), Propagation: ownergraph.Background}))
	for _, o := range []ownergraph.Object{beside, b, c} {
		t.stillThere(what, o)
	}
}

func deletesTwice(t *trial) {
	for _, p := range []graph.Propagation{ownergraph.Background, ownergraph.Foreground, ownergraph.Orphan} {
		o := t.made("a-"+p.String(), holdFinalizer)
		t.userDelete(o.Key, propagated(p))
		o = t.live(o.Key)
		what := fmt.Sprintf("another Delete of %s, propagation %s,", o, p)
		t.accept(what, t.delete(o.Key, ownergraph.DeleteOptions{Precondition: exact(o), Propagation: p}))
		now, err := t.get(o.Key)
		if err != nil {
			t.broken(fmt.Sprintf("%s leaves it as it is", what), fmt.Sprintf("Get answers: %v", err))
		}
		t.wantContent(what, o, now)
	}
}

// propagationLaw checks the finalizer that a propagation leaves. The object is
// deleted for the first time, or was deleted with another propagation.
func propagationLaw(name string, p graph.Propagation, why string) law {
	return law{name: name, why: why, rests: []string{readMarked, deleteMarks}, run: func(t *trial) {
		for _, before := range []graph.Propagation{graph.Unset, ownergraph.Background, ownergraph.Foreground, ownergraph.Orphan} {
			// The law delete/twice covers this.
			if before == p {
				continue
			}
			o := t.made("a-"+before.String(), holdFinalizer)
			if before != graph.Unset {
				t.userDelete(o.Key, propagated(before))
				o = t.live(o.Key)
			}
			what := fmt.Sprintf("Delete of %s, propagation %s,", o, p)
			t.accept(what, t.delete(o.Key, ownergraph.DeleteOptions{Precondition: exact(o), Propagation: p}))
			o.Deleting, o.Finalizers = true, []string{holdFinalizer}
			if f := p.Finalizer(); f != "" {
				o.Finalizers = append(o.Finalizers, f)
			}
			t.wantContent(what, o, t.live(o.Key))
		}
	}}
}

func deletesKeepPropagation(t *trial) {
	for _, p := range []graph.Propagation{ownergraph.Foreground, ownergraph.Orphan} {
		o := t.made("a-"+p.String(), holdFinalizer, p.Finalizer())
		what := fmt.Sprintf("Delete of %s, propagation unset,", o)
		t.accept(what, t.delete(o.Key, ownergraph.DeleteOptions{Precondition: exact(o)}))
		o.Deleting = true
		t.wantContent(what, o, t.live(o.Key))
	}
}

func deletesAtLastFinalizer(t *trial) {
	for _, p := range []graph.Propagation{ownergraph.Background, ownergraph.Foreground, ownergraph.Orphan} {
		o := t.made("a", holdFinalizer)
		t.userDelete(o.Key, propagated(p))
		for o = t.live(o.Key); len(o.Finalizers) > 1; o = t.live(o.Key) {
			t.accept("Patch", t.patch(o.Key, exact(o), ownergraph.Change{DropFinalizer: o.Finalizers[0]}))
		}
		what := fmt.Sprintf("%s without its last finalizer", o)
		t.accept("Patch", t.patch(o.Key, exact(o), ownergraph.Change{DropFinalizer: o.Finalizers[0]}))
		t.absent(what, o.Key)
	}
}

func deletesNotBefore(t *trial) {
	o := t.marked("a", holdFinalizer, moreFinalizer)
	change := ownergraph.Change{DropFinalizer: holdFinalizer}
	what := fmt.Sprintf("%s patched with %s", o, formatChange(change))
	t.accept(what, t.patch(o.Key, exact(o), change))
	now, err := t.get(o.Key)
	if err != nil {
		t.broken(fmt.Sprintf("%s stays for its other finalizer", o), fmt.Sprintf("Get answers: %v", err))
	}
	t.wantContent(what, change.Apply(o), now)
}

func deletesTakeNoFinalizers(t *trial) {
	o := t.marked("a")
	for _, f := range []string{moreFinalizer, graph.FinalizerOrphan, graph.FinalizerForeground} {
		what := fmt.Sprintf("Patch of %s that adds the finalizer %q", o, f)
		t.refuse(what, t.patch(o.Key, exact(o), ownergraph.Change{AddFinalizer: f}))
	}
}

func marksStay(t *trial) {
	o := t.marked("a", holdFinalizer, moreFinalizer)
	unmarked := o
	unmarked.Deleting, unmarked.GraceSeconds, unmarked.Generation = false, 0, 0
	unmarked.Finalizers = []string{holdFinalizer}
	if _, err := t.tryUpdate(unmarked); err == nil {
		o.Finalizers = []string{holdFinalizer}
	}
	now := t.live(o.Key)
	t.wantContent(fmt.Sprintf("after an update of %s to %s", o, unmarked), o, now)
	owner := t.made("owner")
	change := ownergraph.Change{AddOwner: &ownergraph.Owner{Key: owner.Key}}
	if t.patch(now.Key, exact(now), change) == nil {
		t.wantContent("after a Patch", change.Apply(now), t.live(now.Key))
	}
}

func deletesMakeNewUIDs(t *trial) {
	first := map[graph.UID]ownergraph.Object{}
	for range 8 {
		for _, name := range []string{"a", "b"} {
			o := t.made(name)
			if old, twice := first[o.UID]; twice {
				t.broken(fmt.Sprintf("the UID of %s never returns", old), o.String())
			}
			first[o.UID] = o
			t.remove(o)
		}
	}
}
