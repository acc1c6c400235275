package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

const cancelAnswer = "cancel/answer"

// lawsOfEnds are about contexts that end during a call: at each look of the store at its
// context, after a random time, and when a watch shows the write.
func lawsOfEnds() []law {
	return []law{
		{
			name: cancelAnswer, rests: append(writesRest(), "cancel/ended", "cancel/whole", watchEveryChange, "patch/add-owner", "patch/drop-owners", patchUnblock, argumentPatch, "delete/foreground", "delete/orphan"),
			why: "after not-found an engine takes a live owner for absent and deletes its dependents, and after a conflict it takes a write that was done for not done",
			run: endedWritesAnswerTruly,
		},
		{
			name: "cancel/read", rests: []string{readMarked, readAbsent, "cancel/ended", "delete/new-uid"},
			why: "a read whose context ended proves nothing: an engine that takes its owner for absent deletes the dependents",
			run: endedReadsAnswerTruly,
		},
		{
			name: "cancel/select", needs: []need{needSelector, needLabel}, rests: []string{"select/pages", "select/marked", "cancel/ended"},
			why: "the engine releases the holder when objects no longer match: a page that broke off leaves the missing members behind",
			run: endedSelectionsAreWhole,
		},
		{
			name: "cancel/listing", rests: []string{watchComplete, watchReconnect, "cancel/watch"},
			why: "the end of a listing removes every object outside of it: a listing that broke off with its context removes live owners",
			run: endedListingsAreWhole,
		},
		{
			name: "cancel/fence", level: ownergraph.Level2, needs: []need{needFencer}, rests: []string{fencePasses, "cancel/ended"},
			why: "an engine waits for the fence of each token that it got: a fence that did not begin holds a deletion until the wait is given up",
			run: endedFencesPass,
		},
	}
}

// writeSort makes an object of the name, and returns a write to it.
type writeSort func(name string) failingWrite

// planned returns a write to an object, with its outcome by the rules of finalizer.
func (t *trial) planned(name string, o ownergraph.Object, out finalizer.Outcome, err error, write func(context.Context) error) failingWrite {
	t.Helper()
	if err != nil {
		t.unable("%s of %s: %v", name, o, err)
	}
	a := failingWrite{name: name, key: o.Key, before: &o, write: write}
	if out.Effect != finalizer.Removed {
		a.after = &out.Object
	}
	return a
}

func (t *trial) patchSort(made func(name string) ownergraph.Object, change func(ownergraph.Object) ownergraph.Change) writeSort {
	return func(name string) failingWrite {
		t.Helper()
		o := made(name)
		c := change(o)
		out, err := finalizer.Patch(o.Clone(), exact(o), c)
		return t.planned("Patch: "+formatChange(c), o, out, err, func(ctx context.Context) error { return t.Store.Patch(ctx, o.Key, exact(o), c) })
	}
}

// deleteSort deletes by the store, or by the client.
func (t *trial) deleteSort(made func(name string) ownergraph.Object, p graph.Propagation, seconds *int64, byUser bool) writeSort {
	return func(name string) failingWrite {
		t.Helper()
		o := made(name)
		opts := ownergraph.DeleteOptions{Precondition: exact(o), Propagation: p, GraceSeconds: seconds}
		out, err := finalizer.Delete(o.Clone(), opts, graph.Unset)
		if byUser {
			return t.planned(fmt.Sprintf("Client.Delete: %s", p), o, out, err, func(ctx context.Context) error { return t.Client.Delete(ctx, o.Key, opts) })
		}
		return t.planned(fmt.Sprintf("Delete: %s", p), o, out, err, func(ctx context.Context) error { return t.Store.Delete(ctx, o.Key, opts) })
	}
}

func (t *trial) updateSort(made func(name string) ownergraph.Object, finalizers ...string) writeSort {
	return func(name string) failingWrite {
		t.Helper()
		o := made(name)
		next := withFinalizers(o.Clone(), finalizers...)
		out, err := finalizer.Update(o.Clone(), next)
		return t.planned("Client.Update", o, out, err, func(ctx context.Context) error {
			_, err := t.Client.Update(ctx, next.Clone())
			return err
		})
	}
}

func (t *trial) createSort(name string) failingWrite {
	c := t.object(name, holdFinalizer)
	return failingWrite{name: "Client.Create", key: c.Key, after: &c, write: func(ctx context.Context) error {
		_, err := t.Client.Create(ctx, c.Clone())
		return err
	}}
}

// writeSorts has a write of every sort, by the store and by its client.
func (t *trial) writeSorts() []writeSort {
	t.Helper()
	x, y := ownergraph.Owner{Key: t.made("x").Key, Block: true}, ownergraph.Owner{Key: t.made("y").Key}
	z := ownergraph.Owner{Key: t.made("z").Key, Block: true}
	bare := func(name string) ownergraph.Object { return t.made(name) }
	held := func(name string) ownergraph.Object { return t.made(name, holdFinalizer) }
	marked := func(name string) ownergraph.Object { return t.marked(name) }
	owned := func(name string) ownergraph.Object { return t.owned(name, x, y) }
	list := []writeSort{
		t.patchSort(held, func(ownergraph.Object) ownergraph.Change { return ownergraph.Change{AddFinalizer: moreFinalizer} }),
		t.patchSort(held, func(ownergraph.Object) ownergraph.Change { return ownergraph.Change{DropFinalizer: holdFinalizer} }),
		t.patchSort(marked, func(ownergraph.Object) ownergraph.Change { return ownergraph.Change{DropFinalizer: holdFinalizer} }),
		t.patchSort(owned, func(o ownergraph.Object) ownergraph.Change { return ownergraph.Change{DropOwners: o.Owners[:1]} }),
		t.patchSort(owned, func(o ownergraph.Object) ownergraph.Change { return ownergraph.Change{Unblock: o.Owners[:1]} }),
		t.patchSort(owned, func(ownergraph.Object) ownergraph.Change { added := z; return ownergraph.Change{AddOwner: &added} }),
		t.deleteSort(bare, ownergraph.Background, nil, false), t.deleteSort(held, ownergraph.Background, nil, false),
		t.deleteSort(bare, ownergraph.Foreground, nil, false), t.deleteSort(bare, ownergraph.Orphan, nil, false),
		t.deleteSort(marked, ownergraph.Foreground, nil, false),
		t.deleteSort(bare, ownergraph.Background, nil, true), t.deleteSort(held, ownergraph.Foreground, nil, true),
		t.updateSort(bare, moreFinalizer), t.updateSort(marked), t.createSort,
	}
	return list
}

// writeSignal tells when a watch shows a write.
type writeSignal struct {
	mu      sync.Mutex
	key     ownergraph.Key
	version ownergraph.Version
	shown   chan struct{}
}

// arm waits for the next state at the place.
func (s *writeSignal) arm(a failingWrite) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key, s.version, s.shown = a.key.Place(), "", make(chan struct{})
	if a.before != nil {
		s.version = a.before.Version
	}
	return s.shown
}

func (s *writeSignal) see(e ownergraph.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	isPut := e.Type == graph.Put && e.Object.Place() == s.key && e.Object.Version != s.version
	if s.shown != nil && (isPut || e.Type == graph.Gone && e.Key.Place() == s.key) {
		close(s.shown)
		s.shown = nil
	}
	return nil
}

// doubt is a write that claims not to be done, and may come later.
type doubt struct {
	write  failingWrite
	when   moment
	answer error
}

// endedWritesAnswerTruly ends the context of each sort of write at the looks of the store,
// and then at random moments.
func endedWritesAnswerTruly(t *trial) {
	sorts, signal := t.writeSorts(), &writeSignal{}
	t.watchWith(signal.see).ready()
	var doubts []doubt
	count, typical := 0, time.Duration(0)
	try := func(make writeSort, m moment) (looks int) {
		count++
		a := make(fmt.Sprintf("w%d", count))
		begun := time.Now()
		looks, err := t.during(a.name, m, signal.arm(a), a.write)
		if m == (moment{}) {
			if err != nil {
				t.unable("%s of %s: %v", a.name, place(a.key), err)
			}
			typical = max(typical, time.Since(begun))
		}
		if t.answersTruly(a, m, err) {
			doubts = append(doubts, doubt{a, m, err})
		}
		return looks
	}
	begun := time.Now()
	for _, sort := range sorts {
		moments := looksAt(try(sort, moment{}))
		if time.Since(begun) > 2*t.searchTime { // a slow store
			moments = moments[:min(lastLooks, len(moments))]
		}
		for _, m := range moments {
			try(sort, m)
		}
	}
	t.searchTime /= 2
	t.search(func(int) { try(sorts[rand.IntN(len(sorts))], someMoment(typical)) })
	for _, d := range doubts {
		t.answersTruly(d.write, d.when, d.answer)
	}
}

// answersTruly breaks the law if the answer to a write is a lie. It reports whether the
// answer claims that the write is not done, which has to stay so. No other writer knows
// the object, so its own write alone can be the conflict.
func (t *trial) answersTruly(a failingWrite, m moment, answer error) (claimsUndone bool) {
	t.Helper()
	now, err := t.get(a.key)
	if err != nil && !errors.Is(err, graph.ErrNotFound) {
		t.broken("a read succeeds after the context of a write has ended", err.Error())
	}
	here := err == nil
	isBefore := here == (a.before != nil) && (!here || sameContent(*a.before, now) && a.before.Version == now.Version)
	isAfter := here == (a.after != nil) && (!here || sameAsMade(*a.after, now))
	undone := answer != nil && (definite(answer) || comesAgain(answer))
	lie := ""
	switch {
	case answer == nil && !isAfter:
		lie = "a write that answers success is done"
	case errors.Is(answer, graph.ErrNotFound), errors.Is(answer, graph.ErrKindUnknown):
		lie = "a write whose context ends proves no absence: the kind was served, and the object there"
	case errors.Is(answer, graph.ErrConflict):
		lie = "a write whose context ends meets no conflict: its precondition held, and no other client wrote"
	case undone && isAfter:
		lie = "an error that says that nothing is done comes only if nothing is done"
	case !isBefore && !isAfter:
		lie = "a write whose context ends is done fully or not at all"
	}
	if lie != "" {
		t.broken(lie, history(endedHistory(a, m, answer, now, here)...))
	}
	return undone
}

// endedHistory has the steps of a write whose context ended.
func endedHistory(a failingWrite, m moment, answer error, now ownergraph.Object, here bool) []string {
	state := func(o *ownergraph.Object) string {
		if o == nil {
			return "nothing is at " + place(a.key)
		}
		return o.String()
	}
	after := &now
	if !here {
		after = nil
	}
	answered := "success"
	if answer != nil {
		answered = answer.Error()
	}
	return []string{"before:     " + state(a.before), "the call:   " + a.name, "its context: " + m.String(), "its answer: " + answered, "a read:     " + state(after)}
}

// history prints steps below each other, under the word "seen:".
func history(steps ...string) string { return strings.Join(steps, "\n          ") }
