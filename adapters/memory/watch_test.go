package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph/graph"
)

// newStore returns a store of global nodes and scoped pods that makes the UIDs
// u1, u2, ...
func newStore(t testing.TB, objects string, log int) *Store {
	t.Helper()
	s, err := New(Config{
		Kinds:     []graph.KindInfo{{Kind: "node"}, {Kind: "pod", Scoped: true}},
		Objects:   parse(t, objects),
		UIDPrefix: "u",
		Log:       log,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// say renders an event in one line.
func say(e graph.Event) string {
	switch e.Type {
	case graph.KindsKnown:
		words := []string{"kinds"}
		for _, info := range e.Kinds {
			words = append(words, string(info.Kind))
		}
		return strings.Join(words, " ")
	case graph.Put:
		return "put " + e.Object.String()
	case graph.Gone:
		return "gone " + e.Key.String()
	case graph.ListBegun:
		return fmt.Sprint("list ", e.Kind)
	case graph.ListEnded:
		return fmt.Sprint("ended ", e.Kind, " ", e.Version)
	case graph.Progress:
		return fmt.Sprint("progress ", e.Kind, " ", e.Version)
	case graph.FencePassed:
		return fmt.Sprintf("fence %d %s", e.Fence, e.Kind)
	case graph.KindSick:
		return fmt.Sprint("sick ", e.Kind, " ", e.Reason)
	case graph.KindRecovered, graph.KindVanished:
		return fmt.Sprint(strings.TrimPrefix(e.Type.String(), "kind-"), " ", e.Kind)
	}
	return e.Type.String() + " " + e.Reason
}

// recorder is a watch in a bubble, and what it was told.
type recorder struct {
	mu       sync.Mutex
	events   []string
	fences   []graph.Event // those that passed
	rewinds  []string      // the epochs told
	progress bool          // record Progress too
	gate     chan struct{}
	cancel   func()
	done     chan error
}

// record starts a watch. It must run in a bubble.
func record(t *testing.T, s *Store) *recorder {
	ctx, cancel := context.WithCancel(t.Context())
	r := &recorder{cancel: cancel, done: make(chan error, 1)}
	go func() { r.done <- s.Watch(ctx, r.sink) }()
	t.Cleanup(cancel)
	return r
}

func (r *recorder) sink(e graph.Event) error {
	r.mu.Lock()
	gate := r.gate
	if e.Type != graph.Progress || r.progress {
		r.events = append(r.events, say(e))
	}
	if e.Type == graph.FencePassed {
		r.fences = append(r.fences, e)
	}
	if e.Type == graph.Rewound {
		r.rewinds = append(r.rewinds, e.Epoch)
	}
	r.mu.Unlock()
	if gate != nil {
		<-gate
	}
	return nil
}

// epochs returns those told since the last call.
func (r *recorder) epochs() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.rewinds
	r.rewinds = nil
	return out
}

// block makes the sink take one more event and no further, until the function
// that it returns is called.
func (r *recorder) block() func() {
	gate := make(chan struct{})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gate = gate
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.gate = nil
		close(gate)
	}
}

// wants compares everything that was told since the last call, once nothing
// more comes, and forgets it.
func (r *recorder) wants(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Equal(r.events, want) {
		t.Errorf("told:\n  %s\nwant:\n  %s", strings.Join(r.events, "\n  "), strings.Join(want, "\n  "))
	}
	r.events = nil
}

// do fails the test if one of the steps went wrong.
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

// TestWatch holds the order of reports: kinds, listings, changes.
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

// TestProgress holds that each batch says how far every kind is, the unchanged
// ones too.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 0)
		r := record(t, s)
		r.progress = true
		r.wants(t, listed...)
		put(t, s, "pod/ns/b")
		r.wants(t, "put pod/ns/b@u1#3%1/0", "progress node 3", "progress pod 3")
		do(t, s.Sicken("node", "no disk"))
		remove(t, s, "pod/ns/b")
		r.wants(t, "sick node no disk", "gone pod/ns/b@u1", "progress pod 4")
	})
}

// TestProgressNeverFallsBack: a kind that was listed at a later moment has more
// progress than the log that is still being read.
func TestProgressNeverFallsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 0)
		r := record(t, s)
		r.progress = true
		r.wants(t, listed...)
		release := r.block()
		put(t, s, "pod/ns/a*") // version 3
		synctest.Wait()        // the sink is stuck with it
		for range batch {
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

// TestWatchFallsBehind: a slow sink holds nothing up, and what it missed is
// listed anew; so is everything after Compact.
func TestWatchFallsBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, start, 3)
		r, idle := record(t, s), record(t, s)
		r.wants(t, listed...)
		idle.wants(t, listed...)
		release := r.block()
		put(t, s, "pod/ns/a*")
		synctest.Wait() // r's sink is stuck with it
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
		s.Compact()
		release()
		r.wants(t, "put pod/ns/a@a1#11", "kinds node pod", "list node", "ended node 12", "list pod", "put pod/ns/a@a1#11",
			"put pod/ns/b@u1#12%1/0", "ended pod 12")
		idle.wants(t)
	})
}

// TestWatchEnds holds why and how a watch ends, and that it leaves nothing.
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
		never := func(e graph.Event) error { t.Errorf("told %s after the end", say(e)); return nil }
		if err := s.Watch(ended, never); err != context.Canceled {
			t.Errorf("Watch: %v, want the context's error as it is", err)
		}
		failed, calls := errors.New("failed"), 0
		err := s.Watch(t.Context(), func(graph.Event) error { calls++; return failed })
		if !errors.Is(err, failed) || calls != 1 {
			t.Errorf("Watch: %v after %d calls, want the sink's error after one", err, calls)
		}
		during, cancel := context.WithCancel(t.Context())
		calls = 0
		if err := s.Watch(during, func(graph.Event) error { calls++; cancel(); return nil }); err != context.Canceled || calls != 1 {
			t.Errorf("Watch: %v after %d calls, want it cancelled after one", err, calls)
		}
		refused(t, "Watch", s.Watch(t.Context(), nil), "watch: sink: nil", "nobody to tell", graph.ErrRefused)
		if len(s.watches) != 0 {
			t.Errorf("%d watches are left", len(s.watches))
		}
	})
}

// TestSinkMayCall: a sink may use the store, which holds no lock meanwhile.
func TestSinkMayCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, "", 0)
		ctx, cancel := context.WithCancel(t.Context())
		var told []string
		err := s.Watch(ctx, func(e graph.Event) error {
			told = append(told, say(e))
			switch say(e) {
			case "list node":
				put(t, s, "node/a")
			case "put node/a@u1#1%1/0":
				do(t, s.Fence(ctx, 7))
			case "fence 7 ":
				cancel()
			}
			return nil
		})
		want := []string{"kinds node pod", "list node", "ended node 0", "list pod", "ended pod 0", "put node/a@u1#1%1/0",
			"progress node 1", "progress pod 1", "fence 7 node", "fence 7 pod", "fence 7 "}
		if err != context.Canceled || !slices.Equal(told, want) {
			t.Errorf("Watch: %v, told %q, want %q", err, told, want)
		}
	})
}

// TestEndedContext: no call has an effect after its context has ended.
func TestEndedContext(t *testing.T) {
	s := newStore(t, start, 0)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	pod := key(t, "pod/ns/a")
	_, getErr := s.Get(ctx, pod)
	_, createErr := s.Create(ctx, fresh(t, "node/m"))
	_, updateErr := s.Update(ctx, fresh(t, "pod/ns/a*"))
	for name, err := range map[string]error{
		"Get": getErr, "Create": createErr, "Update": updateErr,
		"Patch":  s.Patch(ctx, pod, graph.Precondition{}, graph.Change{AddFinalizer: "x"}),
		"Delete": s.Delete(ctx, pod, graph.DeleteOptions{}),
		"Fence":  s.Fence(ctx, 1), "List": s.List(ctx, "pod"),
	} {
		if err != context.Canceled {
			t.Errorf("%s: %v, want the context's error", name, err)
		}
	}
	holds(t, s, start)
}

// TestStoreErrors holds that a store passes on what its State says.
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
	refused(t, "AddKind", s.AddKind(graph.KindInfo{}), "add kind: kind: empty", "no name", graph.ErrRefused)
	refused(t, "RemoveKind", s.RemoveKind("job"), "remove kind job", "not served", graph.ErrKindUnknown)
	refused(t, "Sicken", s.Sicken("job", ""), "sicken kind job", "not served", graph.ErrKindUnknown)
	refused(t, "Recover", s.Recover("job"), "recover kind job", "not served", graph.ErrKindUnknown)
	refused(t, "Restore", s.Restore(Snapshot{}), "restore: snapshot: of another store", "nobody's", graph.ErrRefused)
	holds(t, s, start)
}
