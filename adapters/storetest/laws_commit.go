package storetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const commitFailed = "commit/failed"

// lawsOfCommits are about a database that refuses a commit, or does it and loses
// the answer.
func lawsOfCommits() []law {
	return []law{
		{
			name: commitFailed, needs: []need{needFailCommits}, rests: writesRest(),
			why: "the engine relies on an acknowledged write: if it was not done, an owner goes, and its dependent still refers to it",
			run: func(t *trial) { t.failCommits(false) },
		},
		{
			name: "commit/unanswered", needs: []need{needFailCommits}, rests: writesRest(),
			why: "after not-found or a conflict, an engine takes a completed write for not done, and its object for absent or changed",
			run: func(t *trial) { t.failCommits(true) },
		},
	}
}

// writesRest names the laws on which the laws of failing writes rest.
func writesRest() []string {
	return []string{readMarked, readAbsent, watchGone, secondObserved, deleteMarks, lastFinalizer, "error/not-found"}
}

// failingWrite is one write whose commit fails.
type failingWrite struct {
	name  string
	write func(ctx context.Context) error
	// key is the written object's. Before and after are its states, nil for none.
	// The version of after is unknown.
	key           ownergraph.Key
	before, after *ownergraph.Object
}

// attempts prepares one write of every sort.
func (t *trial) attempts(round string) []failingWrite {
	t.Helper()
	var list []failingWrite
	add := func(name string, before ownergraph.Object, change func(*ownergraph.Object), write func(context.Context) error) {
		a := failingWrite{name: name, write: write, key: before.Key, before: &before}
		if change != nil {
			after := before.Clone()
			change(&after)
			a.after = &after
		}
		list = append(list, a)
	}
	p, u := t.made("patched"+round, holdFinalizer), t.made("updated"+round)
	m, r := t.made("marked"+round, holdFinalizer), t.made("removed"+round)
	d := t.marked("dropped" + round)
	add("Patch", p, func(o *ownergraph.Object) { o.Finalizers = []string{holdFinalizer, moreFinalizer} }, func(ctx context.Context) error {
		return t.Store.Patch(ctx, p.Key, exact(p), ownergraph.Change{AddFinalizer: moreFinalizer})
	})
	add("Patch of the last finalizer", d, nil, func(ctx context.Context) error {
		return t.Store.Patch(ctx, d.Key, exact(d), ownergraph.Change{DropFinalizer: holdFinalizer})
	})
	add("Delete that marks", m, func(o *ownergraph.Object) { o.Deleting = true }, func(ctx context.Context) error {
		return t.Store.Delete(ctx, m.Key, ownergraph.DeleteOptions{Precondition: exact(m), Propagation: ownergraph.Background})
	})
	add("Delete that removes", r, nil, func(ctx context.Context) error {
		return t.Store.Delete(ctx, r.Key, ownergraph.DeleteOptions{Precondition: exact(r), Propagation: ownergraph.Background})
	})
	add("Client.Update", u, func(o *ownergraph.Object) { o.Finalizers = []string{moreFinalizer} }, func(ctx context.Context) error {
		_, err := t.Client.Update(ctx, withFinalizers(u, moreFinalizer))
		return err
	})
	c := t.object("created" + round)
	return append(list, failingWrite{name: "Client.Create", key: c.Key, after: &c, write: func(ctx context.Context) error {
		_, err := t.Client.Create(ctx, c.Clone())
		return err
	}})
}

func (t *trial) failCommits(done bool) {
	t.Helper()
	w := t.watch().ready()
	for i := range 3 {
		for _, a := range t.attempts(fmt.Sprint(i)) {
			end := t.begin("FailCommits", func(ctx context.Context) (func(context.Context) error, error) { return t.FailCommits(ctx, done) })
			err := t.do(a.name, a.write)
			end()
			t.wholeOrNot(w, a, err)
		}
	}
}

// begin runs a hook that returns the function that ends it.
func (t *trial) begin(name string, hook func(context.Context) (func(context.Context) error, error)) (end func()) {
	t.Helper()
	var over func(context.Context) error
	t.hook(name, func(ctx context.Context) (err error) { over, err = hook(ctx); return err })
	if over == nil {
		t.unable("hook %s returned no function that ends it", name)
	}
	return func() {
		t.Helper()
		t.hook("the end of "+name, over)
	}
}

// definite reports whether an error means that a write was not done.
func definite(err error) bool {
	for _, is := range []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrKindUnknown, graph.ErrRefused, graph.ErrInvalid} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}

// wholeOrNot breaks the law if the write is done in part, or if its answer is
// wrong. Reads and the watch have to agree on it.
func (t *trial) wholeOrNot(w *watcher, a failingWrite, answer error) {
	t.Helper()
	answered := "it answered that it was done"
	if answer != nil {
		answered = fmt.Sprintf("it answered %q", answer)
	}
	if errors.Is(answer, graph.ErrNotFound) || errors.Is(answer, graph.ErrKindUnknown) {
		t.broken(a.name+" whose commit fails does not prove absence", answered)
	}
	now, err := t.get(a.key)
	if err != nil && !errors.Is(err, graph.ErrNotFound) {
		t.broken("a read succeeds after a commit has failed", err.Error())
	}
	here := err == nil
	isBefore := here == (a.before != nil) && (!here || sameContent(*a.before, now) && a.before.Version == now.Version)
	isAfter := here == (a.after != nil) && (!here || sameAsMade(*a.after, now))
	switch {
	case answer == nil && !isAfter, (definite(answer) || comesAgain(answer)) && !isBefore, !isBefore && !isAfter:
		seen := "nothing is there"
		if here {
			seen = "there is " + now.String()
		}
		t.broken(a.name+" whose commit fails is done or not done, as it is answered", answered+", and "+seen)
	}
	w.mustSee(fmt.Sprintf("the watch agrees with reads after %s of %s, whose commit failed", a.name, place(a.key)), func(r *replica) bool {
		if here {
			return r.knows(now)
		}
		return !r.hasPlace(a.key)
	})
}

// sameAsMade is sameContent without a comparison of UIDs, if the store has made the
// UID.
func sameAsMade(want, seen ownergraph.Object) bool {
	if want.UID == "" {
		want.UID = seen.UID
	}
	return sameContent(want, seen)
}

// hasPlace reports whether the replica has any incarnation at the place.
func (r *replica) hasPlace(key ownergraph.Key) bool {
	for k := range r.of(key.Kind).objects {
		if k.Place() == key.Place() {
			return true
		}
	}
	return false
}
