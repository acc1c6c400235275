package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/ownergraph/ownergraph"
)

// lawsOfConcurrency are about many callers at once. The race detector finds more,
// so run the test with -race.
func lawsOfConcurrency() []law {
	return []law{
		{
			name: "concurrency/one-wins", rests: []string{readFresh, patchConflict, patchVersion, patchAccepted, "patch/add-finalizer"},
			why: "two engines judge one state and write: if both succeed, one has written to a state that it has not judged",
			run: oneWriterWins,
		},
		{
			name: "concurrency/no-lost-update", rests: []string{readFresh, patchConflict, patchVersion, patchAccepted, "patch/add-finalizer"},
			why: "a lost update means that a writer has overwritten a state that it had not read",
			run: noUpdateIsLost,
		},
		{
			name: "concurrency/mixed", rests: []string{readMarked, deleteRemoves, patchConflict, watchSeveral, watchReconnect, watchNoGap, oneCall, strictKept, "concurrency/no-lost-update"},
			why: "an engine reads, writes and watches on several goroutines, beside users and other engines",
			run: everythingAtOnce,
		},
	}
}

const writers = 6

// together runs f for each of the writers at once, and waits for all of them.
func (t *trial) together(f func(ctx context.Context, i int) error) []error {
	t.Helper()
	errs := make([]error, writers)
	err := t.do("each of several calls at once", func(ctx context.Context) error {
		var wg sync.WaitGroup
		for i := range writers {
			wg.Go(func() { errs[i] = <-start(ctx, func(ctx context.Context) error { return f(ctx, i) }) })
		}
		wg.Wait()
		return nil
	})
	t.accept("several calls at once", err)
	return errs
}

func numbered(i int) string { return fmt.Sprintf("example.org/writer-%d", i) }

func oneWriterWins(t *trial) {
	o := t.made("a")
	wins := 0
	for round := range 10 {
		pre := exact(o)
		errs := t.together(func(ctx context.Context, i int) error {
			return t.Store.Patch(ctx, o.Key, pre, ownergraph.Change{AddFinalizer: numbered(round*writers + i)})
		})
		var winner []string
		for i, err := range errs {
			if err == nil {
				winner = append(winner, numbered(round*writers+i))
			}
		}
		wins += len(winner)
		now := t.live(o.Key)
		if len(winner) > 1 {
			t.broken("of several writes on one version, one succeeds", fmt.Sprintf("%d did, and left %s", len(winner), now))
		}
		if len(winner) == 1 {
			t.wantContent("after the only write that succeeded", ownergraph.Change{AddFinalizer: winner[0]}.Apply(o), now)
		}
		o = now
	}
	if wins == 0 {
		t.broken("of several writes on one version, one succeeds", "none did, in ten rounds")
	}
}

const maxPatches = 500

// noUpdateIsLost: each writer adds finalizers of its own, by read and write.
func noUpdateIsLost(t *trial) {
	o := t.made("a")
	const each = 3
	errs := t.together(func(ctx context.Context, i int) error {
		for n := range each {
			if err := patchUntilDone(ctx, t.Store, o.Key, ownergraph.Change{AddFinalizer: numbered(i*each + n)}); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(errs...); err != nil {
		t.broken("each of several writers succeeds in the end", err.Error())
	}
	now := t.live(o.Key)
	for i := range writers * each {
		if !now.HasFinalizer(numbered(i)) {
			t.broken(fmt.Sprintf("%s is there: its write succeeded", numbered(i)), now.String())
		}
	}
}

// patchUntilDone reads and writes until a write succeeds.
func patchUntilDone(ctx context.Context, s ownergraph.Store, key ownergraph.Key, change ownergraph.Change) error {
	var err error
	for range maxPatches {
		var o ownergraph.Object
		if o, err = s.Get(ctx, key); err != nil {
			return err
		}
		if err = s.Patch(ctx, key, exact(o), change); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// everythingAtOnce ends with one question: does every watch agree with the reads?
func everythingAtOnce(t *trial) {
	w := t.watch()
	shared := t.made("shared")
	errs := t.together(func(ctx context.Context, i int) error { return t.useAll(ctx, i, shared.Key) })
	if err := errors.Join(errs...); err != nil {
		t.broken("several users and engines work at once", err.Error())
	}
	var want []ownergraph.Object
	for i := range writers {
		for n := range 4 {
			o, err := t.get(t.object(fmt.Sprintf("w%d-%d", i, n)).Key)
			if err == nil {
				want = append(want, o)
			}
		}
	}
	want = append(want, t.live(shared.Key))
	for _, w := range []*watcher{w, t.watch()} {
		w.mustSee("every watch knows "+formatObjects(want), func(r *replica) bool { return r.listed() && r.agrees(t.main.Kind, want) })
	}
}

// useAll has all calls of one of them.
func (t *trial) useAll(ctx context.Context, i int, shared ownergraph.Key) error {
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	watched := start(short, func(ctx context.Context) error {
		return t.Store.Watch(ctx, func([]ownergraph.Event) error { return nil })
	})
	for n := range 4 {
		o := t.object(fmt.Sprintf("w%d-%d", i, n))
		o, err := t.Client.Create(ctx, o)
		if err != nil {
			return err
		}
		if err := patchUntilDone(ctx, t.Store, o.Key, ownergraph.Change{AddFinalizer: holdFinalizer}); err != nil {
			return err
		}
		if err := patchUntilDone(ctx, t.Store, shared, ownergraph.Change{AddOwner: &ownergraph.Owner{Key: o.Key}}); err != nil {
			return err
		}
		if n%2 == 0 {
			if err := t.removeAtOnce(ctx, o.Key); err != nil {
				return err
			}
		}
		if f, ok := ownergraph.As[ownergraph.Fencer](t.Store); ok && n == 1 {
			if _, err := f.Fence(ctx); err != nil {
				return err
			}
		}
	}
	cancel()
	<-watched
	return nil
}

func (t *trial) removeAtOnce(ctx context.Context, key ownergraph.Key) error {
	if err := t.Client.Delete(ctx, key, propagated(ownergraph.Background)); err != nil {
		return err
	}
	return patchUntilDone(ctx, t.Store, key, ownergraph.Change{DropFinalizer: holdFinalizer})
}
