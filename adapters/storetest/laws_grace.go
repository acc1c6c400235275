package storetest

import (
	"fmt"

	"github.com/ownergraph/ownergraph"
)

const deleteGrace = "delete/grace"

// lawsOfGrace are about grace periods and generations, which a store may do
// without.
func lawsOfGrace() []law {
	return []law{
		{
			name: deleteGrace, excuse: GracePeriods, rests: []string{readMarked},
			why: "an object that is removed within its grace period takes with it what its agent has still to end",
			run: graceMarks,
		},
		{
			name: "delete/grace-ends", excuse: GracePeriods, rests: []string{readMarked, readAbsent, deleteGrace},
			why: "an object whose grace period nobody can end stays for ever",
			run: graceEnds,
		},
		{
			name: "delete/grace-holds", excuse: GracePeriods, rests: []string{readMarked, patchAccepted, patchDrop, deleteGrace},
			why: "the last finalizer goes before the agent is done, and the object with it",
			run: graceHolds,
		},
		{
			name: "delete/generation", rests: []string{readMarked, deleteMarks, deleteTwice},
			why: "a controller that has acknowledged an object may not know of its deletion; the generation is how an orphaning sees that",
			run: marksRaiseGeneration,
		},
	}
}

func grace(seconds int64) *int64 { return &seconds }

func graceMarks(t *trial) {
	o := t.made("a")
	what := fmt.Sprintf("Delete of %s with a grace period of 30 seconds", o)
	t.accept(what, t.delete(o.Key, ownergraph.DeleteOptions{Precondition: exact(o), Propagation: ownergraph.Background, GraceSeconds: grace(30)}))
	now, err := t.get(o.Key)
	o.Deleting, o.GraceSeconds = true, 30
	if err != nil {
		t.broken(fmt.Sprintf("%s: %s", what, o), fmt.Sprintf("Get answers: %v", err))
	}
	t.wantContent(what, o, now)
}

// inGrace makes an object that is in its grace period.
func (t *trial) inGrace(name string, finalizers ...string) ownergraph.Object {
	t.Helper()
	o := t.made(name, finalizers...)
	t.userDelete(o.Key, ownergraph.DeleteOptions{Propagation: ownergraph.Background, GraceSeconds: grace(30)})
	return t.live(o.Key)
}

func graceEnds(t *trial) {
	o := t.inGrace("a")
	what := fmt.Sprintf("Delete of %s with a grace period of 0", o)
	t.accept(what, t.delete(o.Key, ownergraph.DeleteOptions{Precondition: exact(o), GraceSeconds: grace(0)}))
	t.absent(what, o.Key)
	o = t.inGrace("b", foreign)
	what = fmt.Sprintf("Delete of %s with a grace period of 0", o)
	t.accept(what, t.delete(o.Key, ownergraph.DeleteOptions{Precondition: exact(o), GraceSeconds: grace(0)}))
	o.GraceSeconds = 0
	t.wantContent(what, o, t.live(o.Key))
}

func graceHolds(t *trial) {
	o := t.inGrace("a", foreign)
	change := ownergraph.Change{DropFinalizer: foreign}
	what := fmt.Sprintf("%s patched with %s", o, sayChange(change))
	t.accept(what, t.patch(o.Key, exact(o), change))
	now, err := t.get(o.Key)
	if err != nil {
		t.broken(fmt.Sprintf("%s: %s", what, change.Apply(o)), fmt.Sprintf("Get answers: %v", err))
	}
	t.wantContent(what, change.Apply(o), now)
}

// marksRaiseGeneration: a store without generations has 0 everywhere.
func marksRaiseGeneration(t *trial) {
	o := t.made("a", foreign)
	before := o.Generation
	t.accept(fmt.Sprintf("Delete of %s", o), t.delete(o.Key, ownergraph.DeleteOptions{Precondition: exact(o), Propagation: ownergraph.Background}))
	now := t.live(o.Key)
	want := before
	if before > 0 {
		want++
	}
	if now.Generation != want {
		t.broken(fmt.Sprintf("the mark takes the generation from %d to %d", before, want), now.String())
	}
	t.accept(fmt.Sprintf("another Delete of %s", now), t.delete(o.Key, ownergraph.DeleteOptions{Precondition: exact(now), Propagation: ownergraph.Background}))
	if again := t.live(o.Key); again.Generation != want {
		t.broken(fmt.Sprintf("another deletion leaves the generation at %d", want), again.String())
	}
}
