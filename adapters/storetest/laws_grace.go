package storetest

import (
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const (
	deleteGrace  = "delete/grace"
	deleteAtMost = "delete/grace-at-most"
)

// lawsOfGrace are about grace periods and generations, which a store may lack.
func lawsOfGrace() []law {
	return []law{
		{
			name: deleteGrace, excuse: GracePeriods, rests: []string{readMarked},
			why: "if an object goes within its grace period, its agent cannot finish its work",
			run: graceMarks,
		},
		{
			name: "delete/grace-ends", excuse: GracePeriods, rests: []string{readMarked, readAbsent, deleteGrace},
			why: "an object whose grace period cannot end stays for ever",
			run: graceEnds,
		},
		{
			name: "delete/grace-holds", excuse: GracePeriods, rests: []string{readMarked, patchAccepted, patchDrop, deleteGrace},
			why: "if the object goes with its last finalizer, its agent cannot finish its work",
			run: graceHolds,
		},
		{
			name: deleteAtMost, excuse: GracePeriods, rests: []string{readMarked, readAbsent, deleteGrace, "delete/grace-ends", "delete/foreground"},
			why: "a cascade carries the period of its owner in this form: an object that goes earlier cuts its agent off, and one that stays longer delays the owner",
			run: atMostMarksAlike,
		},
		{
			name: "delete/generation", rests: []string{readMarked, deleteMarks, deleteTwice},
			why: "a controller that has acknowledged an object may not know its deletion: an orphan deletion compares the generations",
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
	o = t.inGrace("b", holdFinalizer)
	what = fmt.Sprintf("Delete of %s with a grace period of 0", o)
	t.accept(what, t.delete(o.Key, ownergraph.DeleteOptions{Precondition: exact(o), GraceSeconds: grace(0)}))
	o.GraceSeconds = 0
	t.wantContent(what, o, t.live(o.Key))
}

func graceHolds(t *trial) {
	o := t.inGrace("a", holdFinalizer)
	change := ownergraph.Change{DropFinalizer: holdFinalizer}
	what := fmt.Sprintf("%s patched with %s", o, formatChange(change))
	t.accept(what, t.patch(o.Key, exact(o), change))
	now, err := t.get(o.Key)
	if err != nil {
		t.broken(fmt.Sprintf("%s: %s", what, change.Apply(o)), fmt.Sprintf("Get answers: %v", err))
	}
	t.wantContent(what, change.Apply(o), now)
}

// shortest is the period of the laws of GraceAtMost. No object that waits at all has a shorter one of
// its own.
const shortest = 1

// atMostMarksAlike deletes two objects alike, one of them with GraceAtMost. An object's own period is
// not shorter, so both end alike.
func atMostMarksAlike(t *trial) {
	for i, c := range atMostCases() {
		plain, other := t.made(fmt.Sprintf("a%d", i), c.finalizers...), t.made(fmt.Sprintf("b%d", i), c.finalizers...)
		t.accept(fmt.Sprintf("Delete of %s with %s", plain, c.name), t.delete(plain.Key, c.options(plain, false)))
		what := fmt.Sprintf("Delete of %s with %s and GraceAtMost", other, c.name)
		t.accept(what, t.delete(other.Key, c.options(other, true)))
		want, now := t.live(plain.Key), t.live(other.Key)
		want.Key = now.Key
		t.wantContent(what, want, now)
	}
	o := t.inGrace("ended")
	what := fmt.Sprintf("Delete of %s with a grace period of 0 and GraceAtMost", o)
	t.accept(what, t.delete(o.Key, ownergraph.DeleteOptions{Precondition: exact(o), GraceSeconds: grace(0), GraceAtMost: true}))
	t.absent(what, o.Key)
}

// atMostCase is a deletion that leaves its object.
type atMostCase struct {
	name        string
	finalizers  []string
	propagation graph.Propagation
	seconds     *int64
}

func atMostCases() []atMostCase {
	held, period := []string{holdFinalizer}, fmt.Sprintf("a grace period of %d", shortest)
	return []atMostCase{
		{period, nil, ownergraph.Background, grace(shortest)},
		{period + " in the foreground", held, ownergraph.Foreground, grace(shortest)},
		{"no grace period", held, ownergraph.Background, nil},
	}
}

func (c atMostCase) options(o ownergraph.Object, atMost bool) ownergraph.DeleteOptions {
	opts := ownergraph.DeleteOptions{Precondition: exact(o), Propagation: c.propagation, GraceAtMost: atMost}
	if c.seconds != nil {
		opts.GraceSeconds = grace(*c.seconds)
	}
	return opts
}

// marksRaiseGeneration accepts a store without generations, which has 0 everywhere.
func marksRaiseGeneration(t *trial) {
	o := t.made("a", holdFinalizer)
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
