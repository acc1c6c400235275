package memory

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/replica"
)

// newStore returns a store of global nodes and scoped pods that makes the UIDs u1, u2,
// ...
func newStore(t testing.TB, objects string, log int) *Store {
	t.Helper()
	s, err := New(Config{
		Kinds:     []graph.KindInfo{{Kind: "node"}, {Kind: "pod", Scoped: true}},
		Objects:   parse(t, objects),
		UIDPrefix: "u",
	})
	if err != nil {
		t.Fatal(err)
	}
	if log > 0 {
		insider{s}.KeepLog(log)
	}
	return s
}

// do fails the test if a step failed.
func do(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// put creates or updates an object.
func put(t *testing.T, s *Store, text string) {
	t.Helper()
	o := fresh(t, text)
	_, err := s.Update(t.Context(), o)
	if errors.Is(err, graph.ErrNotFound) {
		_, err = s.Create(t.Context(), o)
	}
	do(t, err)
}

func remove(t *testing.T, s *Store, text string) {
	t.Helper()
	do(t, s.Delete(t.Context(), key(t, text), graph.DeleteOptions{}))
}

var listed = []string{"kinds node pod", "list node", "put node/n@n1#1", "ended node 2", "list pod", "put pod/ns/a@a1#2", "ended pod 2"}

const start = "node/n@n1#1; pod/ns/a@a1#2"

// TestWatch: a watch reports the kinds, then the listings, then the changes.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 0)
		r := record(t, s)
		r.wants(t, listed...)
		put(t, s, "pod/ns/b")
		put(t, s, "node/n*")
		put(t, s, "node/n*")
		remove(t, s, "node/n")
		remove(t, s, "pod/ns/b")
		put(t, s, "pod/ns/b")
		r.wants(t, "put pod/ns/b@u1#3%1/0", "put node/n@n1#4*", "put node/n@n1#5~*", "gone pod/ns/b@u1", "put pod/ns/b@u2#7%1/0")
		do(t, s.Patch(t.Context(), key(t, "node/n"), graph.Precondition{Version: "5"}, graph.Change{DropFinalizer: "foreign"}))
		r.wants(t, "gone node/n@n1")
	})
}

// TestProgress: each round of changes reports the progress of every kind, even of an unchanged
// one.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 0)
		r := record(t, s)
		r.progress = true
		r.wants(t, listed...)
		put(t, s, "pod/ns/b")
		r.wants(t, "put pod/ns/b@u1#3%1/0", "progress node 3", "progress pod 3")
		do(t, insider{s}.Sicken("node", "no disk"))
		remove(t, s, "pod/ns/b")
		r.wants(t, "sick node no disk", "gone pod/ns/b@u1", "progress pod 4")
	})
}

// TestProgressNeverFallsBack: a kind with a later listing has more progress than the
// log that the watch is still reading.
func TestProgressNeverFallsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 0)
		r := record(t, s)
		r.progress = true
		r.wants(t, listed...)
		release := r.block()
		put(t, s, "pod/ns/a*") // version 3
		synctest.Wait()        // the sink blocks at this batch
		for range maxChanges {
			put(t, s, "pod/ns/a")
			put(t, s, "pod/ns/a*")
		}
		do(t, s.List(t.Context(), "node")) // at version 515
		release()
		synctest.Wait()
		r.events = slices.DeleteFunc(r.events, func(e string) bool { return strings.HasPrefix(e, "put pod") })
		r.wants(t, "progress node 3", "progress pod 3", "list node", "put node/n@n1#1", "ended node 515",
			"progress pod 259", "progress node 515", "progress pod 515")
	})
}

// TestWatchFallsBehind: a slow sink delays neither writers nor other watches. Its
// watch lists every kind anew, also after Compact.
func TestWatchFallsBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 3)
		r, idle := record(t, s), record(t, s)
		r.wants(t, listed...)
		idle.wants(t, listed...)
		release := r.block()
		put(t, s, "pod/ns/a*")
		synctest.Wait() // r's sink blocks at this batch
		remove(t, s, "node/n")
		for range 3 {
			put(t, s, "pod/ns/a")
			synctest.Wait()
			put(t, s, "pod/ns/a*")
			synctest.Wait()
		}
		idle.wants(t, "put pod/ns/a@a1#3*", "gone node/n@n1", "put pod/ns/a@a1#5", "put pod/ns/a@a1#6*", "put pod/ns/a@a1#7",
			"put pod/ns/a@a1#8*", "put pod/ns/a@a1#9", "put pod/ns/a@a1#10*")
		release()
		r.wants(t, "put pod/ns/a@a1#3*", "kinds node pod", "list node", "ended node 10", "list pod", "put pod/ns/a@a1#10*", "ended pod 10")

		release = r.block()
		put(t, s, "pod/ns/a")
		synctest.Wait()
		put(t, s, "pod/ns/b")
		idle.wants(t, "put pod/ns/a@a1#11", "put pod/ns/b@u1#12%1/0")
		insider{s}.Compact()
		release()
		r.wants(t, "put pod/ns/a@a1#11", "kinds node pod", "list node", "ended node 12", "list pod", "put pod/ns/a@a1#11",
			"put pod/ns/b@u1#12%1/0", "ended pod 12")
		idle.wants(t)
	})
}

// TestWatchEnds: a watch ends with the error of its context or sink, and leaves the
// store's set of watches.
func TestWatchEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 0)
		r := record(t, s)
		r.wants(t, listed...)
		r.cancel()
		if err := <-r.done; err != context.Canceled {
			t.Errorf("Watch: %v, want the context's error as it is", err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		never := func(batch []graph.Event) error { t.Errorf("event %s after the end", say(batch[0])); return nil }
		if err := s.Watch(ended, never); err != context.Canceled {
			t.Errorf("Watch: %v, want the context's error as it is", err)
		}
		failed, calls := errors.New("failed"), 0
		err := s.Watch(t.Context(), func([]graph.Event) error { calls++; return failed })
		if !errors.Is(err, failed) || calls != 1 {
			t.Errorf("Watch: %v after %d calls, want the sink's error after one", err, calls)
		}
		during, cancel := context.WithCancel(t.Context())
		calls = 0
		if err := s.Watch(during, func([]graph.Event) error { calls++; cancel(); return nil }); err != context.Canceled || calls != 1 {
			t.Errorf("Watch: %v after %d calls, want it cancelled after one", err, calls)
		}
		refused(t, "Watch", s.Watch(t.Context(), nil), "watch: sink: nil", "a watch needs a sink", graph.ErrRefused)
		if len(s.watches) != 0 {
			t.Errorf("%d watches are left", len(s.watches))
		}
	})
}

// TestSinkMayCall: a sink may call the store, because the store has no lock
// meanwhile.
func TestSinkMayCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, "", 0)
		ctx, cancel := context.WithCancel(t.Context())
		var events []string
		err := s.Watch(ctx, oneByOne(func(e graph.Event) error {
			events = append(events, say(e))
			switch say(e) {
			case "list node":
				put(t, s, "node/a")
			case "put node/a@u1#1%1/0":
				fenced(t, s)
			case "fence 1 ":
				cancel()
			}
			return nil
		}))
		want := []string{"kinds node pod", "list node", "ended node 0", "list pod", "ended pod 0", "put node/a@u1#1%1/0",
			"progress node 1", "progress pod 1", "fence 1 node", "fence 1 pod", "fence 1 "}
		if err != context.Canceled || !slices.Equal(events, want) {
			t.Errorf("Watch: %v, events %q, want %q", err, events, want)
		}
	})
}

// TestEndedContext: a call whose context has ended has no effect.
func TestEndedContext(t *testing.T) {
	s := newStore(t, start, 0)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	pod := key(t, "pod/ns/a")
	_, getErr := s.Get(ctx, pod)
	_, fenceErr := s.Fence(ctx)
	_, createErr := s.Create(ctx, fresh(t, "node/m"))
	_, updateErr := s.Update(ctx, fresh(t, "pod/ns/a*"))
	for name, err := range map[string]error{
		"Get": getErr, "Create": createErr, "Update": updateErr,
		"Patch":  s.Patch(ctx, pod, graph.Precondition{}, graph.Change{AddFinalizer: "x"}),
		"Delete": s.Delete(ctx, pod, graph.DeleteOptions{}),
		"Fence":  fenceErr, "List": s.List(ctx, "pod"),
	} {
		if err != context.Canceled {
			t.Errorf("%s: %v, want the context's error", name, err)
		}
	}
	equals(t, s, start)
}

// TestStoreErrors: a store returns the errors of its State.
func TestStoreErrors(t *testing.T) {
	s := newStore(t, start, 0)
	ctx, gone := t.Context(), key(t, "pod/ns/z")
	_, getErr := s.Get(ctx, gone)
	_, updateErr := s.Update(ctx, graph.Object{Key: gone})
	_, createErr := s.Create(ctx, fresh(t, "pod/ns/a"))
	refused(t, "Get", getErr, "get pod/ns/z", "absent", graph.ErrNotFound)
	refused(t, "Update", updateErr, "update pod/ns/z", "absent", graph.ErrNotFound)
	refused(t, "Create", createErr, `create pod/ns/a: name: taken by uid "a1"`, "taken", graph.ErrConflict)
	refused(t, "Patch", s.Patch(ctx, gone, graph.Precondition{}, graph.Change{}), "patch pod/ns/z", "absent", graph.ErrNotFound)
	refused(t, "Delete", s.Delete(ctx, gone, graph.DeleteOptions{}), "delete pod/ns/z", "absent", graph.ErrNotFound)
	refused(t, "List", s.List(ctx, "job"), "list kind job", "not served", graph.ErrKindUnknown)
	refused(t, "AddKind", insider{s}.AddKind(graph.KindInfo{}), "add kind: kind: empty", "no name", graph.ErrRefused)
	refused(t, "RemoveKind", insider{s}.RemoveKind("job"), "remove kind job", "not served", graph.ErrKindUnknown)
	refused(t, "Sicken", insider{s}.Sicken("job", ""), "sicken kind job", "not served", graph.ErrKindUnknown)
	refused(t, "Recover", insider{s}.Recover("job"), "recover kind job", "not served", graph.ErrKindUnknown)
	refused(t, "Restore", insider{s}.Restore(replica.Snapshot{}), "restore: snapshot: of another store", "the zero snapshot is of no store", graph.ErrRefused)
	equals(t, s, start)
}
