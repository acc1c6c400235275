package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/replica"
)

// history drives a store and one reader of its watch.
type history struct {
	store   *Store
	reader  *reader
	cancel  func()
	done    chan error
	stopped bool
	fences  uint64
	first   uint64 // the first fence that this reader has to pass
	rewinds int
	before  replica.Snapshot
}

// TestWatchLaws: a random history writes, removes, restores, compacts, lists and
// fences, and makes kinds sick. The sink takes the events at any speed. The watch
// reports the kinds first. The history of a kind never goes back, and no fence is
// early. A reader that has taken all events has the objects of the store.
func TestWatchLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rapid.SyncTest(t, func(t *rapid.T) {
			store, err := New(Config{Kinds: modelKinds, UIDPrefix: "u"})
			if err != nil {
				t.Fatal(err)
			}
			insider{store}.KeepLog(rapid.IntRange(1, 6).Draw(t, "log"))
			l := &history{store: store, before: insider{store}.Snapshot()}
			l.connect(t)
			defer l.stop()
			t.Repeat(map[string]func(*rapid.T){
				"create": l.create, "create more": l.create, "update": l.update, "delete": l.delete, "delete more": l.delete,
				"kind": l.kind, "history": l.restore, "fence": l.fence, "list": l.list,
				"take": l.take, "take more": l.take, "take all": l.takeAll, "reconnect": l.reconnect,
			})
			l.takeAll(t)
			l.disconnect(t)
		})
	})
}

func (l *history) connect(t *rapid.T) {
	ctx, cancel := context.WithCancel(t.Context())
	l.reader, l.cancel, l.done, l.stopped, l.first = newReader(l.store, &l.rewinds), cancel, make(chan error, 1), false, l.fences+1
	done, sink := l.done, oneByOne(l.reader.sink)
	go func() { done <- l.store.Watch(ctx, sink) }()
	synctest.Wait()
}

// disconnect ends the watch, whose sink may wait for a token.
func (l *history) disconnect(t *rapid.T) {
	l.stop()
	if err := <-l.done; !errors.Is(err, context.Canceled) {
		t.Fatalf("Watch: %v", err)
	}
}

func (l *history) stop() {
	l.cancel()
	if !l.stopped {
		close(l.reader.tokens)
	}
	l.stopped = true
}

func (l *history) reconnect(t *rapid.T) {
	l.disconnect(t)
	l.connect(t)
}

// give lets the sink take one event. It returns false if there is none.
func (l *history) give(t *rapid.T) bool {
	synctest.Wait()
	select {
	case l.reader.tokens <- struct{}{}:
		synctest.Wait()
		return true
	case err := <-l.done:
		t.Fatalf("Watch: %v", err)
	default:
	}
	return false
}

func (l *history) take(t *rapid.T) {
	for range rapid.IntRange(1, 6).Draw(t, "events") {
		l.give(t)
	}
}

func (l *history) takeAll(t *rapid.T) {
	for l.give(t) {
	}
	var got, want []graph.Object
	for _, o := range l.store.Objects() {
		if !l.reader.kinds[o.Kind].sick {
			want = append(want, o)
		}
	}
	state := l.store.view()
	for _, info := range state.Kinds() {
		sick, _ := state.Sick(info.Kind)
		k := l.reader.kinds[info.Kind]
		if k == nil || k.sick != sick || k.listed == k.sick {
			t.Fatalf("the reader has %+v of %s, sick: %t", k, info.Kind, sick)
		}
		for _, o := range k.objects {
			if !k.sick {
				got = append(got, o)
			}
		}
		l.checkPassed(t, string(info.Kind), k.sick)
	}
	l.checkPassed(t, "", false)
	slices.SortFunc(got, func(a, b graph.Object) int { return a.Key.Compare(b.Key) })
	if !slices.EqualFunc(got, want, graph.Object.Equal) || len(l.reader.kinds) != len(state.Kinds()) {
		t.Fatalf("the reader has:\n%s\nwant:\n%s", graph.Format(got), graph.Format(want))
	}
}

// checkPassed: the watch reported each fence of this reader once. It may leave out
// fences of a kind that was not served throughout.
func (l *history) checkPassed(t *rapid.T, kind string, sick bool) {
	for id := max(l.first, l.fences-min(l.fences, maxFences)+1); id <= l.fences; id++ {
		n := l.reader.passed[fmt.Sprint(id)+kind]
		if n > 1 || n == 0 && kind == "" {
			t.Fatalf("fence %d of %q was passed %d times, sick: %t", id, kind, n, sick)
		}
	}
	if kind == "rs" && !sick && l.fences >= l.first && l.reader.passed[fmt.Sprint(l.fences)+kind] != 1 {
		t.Fatalf("the latest fence of %q was not passed", kind)
	}
}

func (l *history) create(t *rapid.T) {
	o := graph.Object{Key: places.Draw(t, "place"), Finalizers: rapid.SliceOfNDistinct(names, 0, 1, rapid.ID).Draw(t, "finalizers")}
	_, err := l.store.Create(t.Context(), o)
	expect(t, err, graph.ErrConflict, graph.ErrKindUnknown)
}

func (l *history) update(t *rapid.T) {
	o := graph.Object{Key: places.Draw(t, "place"), ObservedGeneration: rapid.Int64Range(0, 9).Draw(t, "observed")}
	_, err := l.store.Update(t.Context(), o)
	expect(t, err, graph.ErrNotFound, graph.ErrKindUnknown)
}

func (l *history) delete(t *rapid.T) {
	err := l.store.Delete(t.Context(), places.Draw(t, "place"), options.Draw(t, "options"))
	expect(t, err, graph.ErrNotFound, graph.ErrKindUnknown, replica.ErrSick)
}

func (l *history) list(t *rapid.T) {
	expect(t, l.store.List(t.Context(), someKinds.Draw(t, "kind").Kind), graph.ErrKindUnknown)
}

// fence begins a fence and records the state of the store.
func (l *history) fence(t *rapid.T) {
	l.fences++
	l.reader.fences[l.fences] = past{l.store.view(), l.rewinds}
	if token, err := l.store.Fence(t.Context()); err != nil || token != l.fences {
		t.Fatalf("Fence: %d, %v, want %d", token, err, l.fences)
	}
}

// kind changes kinds. It never removes rs.
func (l *history) kind(t *rapid.T) {
	info := someKinds.Draw(t, "kind")
	switch what := rapid.SampledFrom([]string{"add", "remove", "sicken", "recover", "recover"}).Draw(t, "step"); {
	case what == "add":
		expect(t, insider{l.store}.AddKind(info))
	case what == "remove" && info.Kind != "rs":
		expect(t, insider{l.store}.RemoveKind(info.Kind), graph.ErrKindUnknown)
	case what == "sicken":
		expect(t, insider{l.store}.Sicken(info.Kind, "test"), graph.ErrKindUnknown)
	default:
		expect(t, insider{l.store}.Recover(info.Kind), graph.ErrKindUnknown)
	}
}

func (l *history) restore(t *rapid.T) {
	switch rapid.SampledFrom([]string{"compact", "note", "restore"}).Draw(t, "step") {
	case "compact":
		insider{l.store}.Compact()
	case "note":
		l.before = insider{l.store}.Snapshot()
	case "restore":
		l.rewinds++
		expect(t, insider{l.store}.Restore(l.before))
	}
}

// expect fails the test at an error other than those.
func expect(t *rapid.T, err error, of ...error) {
	if err != nil && !slices.ContainsFunc(of, func(e error) bool { return errors.Is(err, e) }) {
		t.Fatal(err)
	}
}
