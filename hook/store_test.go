package hook_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/hook"
)

// bare hides all powers of a store.
type bare struct{ ownergraph.Store }

// unwrapping shows the powers of a store, except batches.
type unwrapping struct{ ownergraph.Store }

func (u unwrapping) Unwrap() ownergraph.Store { return u.Store }

// TestPowers: a wrapped store has the powers of the store, and no others. Batches of a store
// that takes none stay hidden.
func TestPowers(t *testing.T) {
	m := newMemory(t, memory.Config{Strict: true})
	for _, c := range []struct {
		store  ownergraph.Store
		reason string
	}{
		{m, "a store with all powers"},
		{bare{m}, "a store without a power"},
		{unwrapping{m}, "a wrapper shows the powers, except batches"},
		{hook.Store(m, &journal{}), "two observers"},
	} {
		if got, want := powers(hook.Store(c.store, &journal{})), powers(c.store); got != want {
			t.Errorf("%s, want %s: %s", got, want, c.reason)
		}
	}
	if s := hook.Store(nil, &journal{}); s != nil {
		t.Errorf("a nil store becomes %T", s)
	}
	if _, err := ownergraph.New(hook.Store((*memory.Store)(nil), &journal{}), ownergraph.Config{}); !errors.Is(err, ownergraph.ErrInvalid) {
		t.Errorf("a nil memory store: %v, want ErrInvalid", err)
	}
	wrapped := hook.Store(m, &journal{})
	if b, _ := ownergraph.As[ownergraph.Batcher](wrapped); b.MaxBatch(bare{wrapped}) != 0 {
		t.Error("another store has batches that pass by it")
	}
}

func powers(s ownergraph.Store) string {
	_, fences := ownergraph.As[ownergraph.Fencer](s)
	_, lists := ownergraph.As[ownergraph.Lister](s)
	_, selects := ownergraph.As[ownergraph.LabelSelector](s)
	_, compares := ownergraph.As[ownergraph.VersionComparer](s)
	_, records := ownergraph.As[ownergraph.Records](s)
	_, graces := ownergraph.As[ownergraph.Gracer](s)
	most := 0
	if b, ok := ownergraph.As[ownergraph.Batcher](s); ok {
		most = b.MaxBatch(s)
	}
	return fmt.Sprintf("level %s, fences %t, lists %t, selects %t, compares %t, records %t, graces %t, batches of %d",
		ownergraph.LevelOf(s), fences, lists, selects, compares, records, graces, most)
}

// TestCalls: the observer gets each call with its object and its result, one of a batch
// too, and its context reaches the store.
func TestCalls(t *testing.T) {
	j, m := &journal{}, newMemory(t, memory.Config{UIDPrefix: "u"})
	s := hook.Store(m, j)
	o, err := m.Create(t.Context(), ownergraph.Object{Key: ownergraph.Key{Kind: "node", Name: "a"}})
	if err != nil {
		t.Fatal(err)
	}
	missing := ownergraph.Key{Kind: "node", Name: "b", UID: "x"}
	batches, _ := ownergraph.As[ownergraph.Batcher](s)
	fencer, _ := ownergraph.As[ownergraph.Fencer](s)
	lister, _ := ownergraph.As[ownergraph.Lister](s)
	records, _ := ownergraph.As[ownergraph.Records](s)
	selector, _ := ownergraph.As[ownergraph.LabelSelector](s)
	for _, c := range []struct {
		call   func() error
		want   string
		reason string
	}{
		{func() error { _, err := s.Get(t.Context(), o.Key); return err }, "read ok " + o.Key.String(), "a read"},
		{func() error { return s.Patch(t.Context(), missing, ownergraph.Precondition{}, ownergraph.Change{}) }, "patch not_found node/b@x", "a patch of no object"},
		{func() error {
			return s.Delete(t.Context(), o.Key, ownergraph.DeleteOptions{Precondition: ownergraph.Precondition{UID: "other"}})
		}, "delete conflict " + o.Key.String(), "a delete of another object"},
		{func() error { _, err := fencer.Fence(t.Context()); return err }, "fence ok", "a fence"},
		{func() error { return lister.List(t.Context(), "pod") }, "list pod ok", "a listing"},
		{func() error { return lister.List(t.Context(), "none") }, "list none kind_unknown", "a listing of no kind"},
		{func() error {
			_, err := selector.Select(t.Context(), ownergraph.SelectRequest{Kind: "pod", Selector: "a=b"})
			return err
		}, "select pod ok", "a selection"},
		{func() error { _, err := records.ReadRecord(t.Context(), "r"); return err }, "read_record not_found", "no record"},
		{func() error { _, err := records.WriteRecord(t.Context(), "r", []byte("{}"), ""); return err }, "write_record ok", "a record"},
		{func() error {
			_, err := batches.Batch(t.Context(), []ownergraph.Write{{Type: 2, Key: o.Key}, {Type: 2, Key: missing}})
			return err
		}, "batch ok delete " + o.Key.String() + "=ok delete node/b@x=not_found", "a batch"},
	} {
		err := c.call()
		if got := j.take(); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%q, want %q: %s (error %v)", got, c.want, c.reason, err)
		}
	}
}

// dying is a store whose calls end in another way than by an answer.
type dying struct {
	ownergraph.Store
	die     func()
	results []error // of a batch
	err     error   // of a batch
}

func (d dying) Get(context.Context, ownergraph.Key) (o ownergraph.Object, err error) {
	d.die()
	return o, nil
}

func (d dying) Patch(context.Context, ownergraph.Key, ownergraph.Precondition, ownergraph.Change) error {
	d.die()
	return nil
}

func (d dying) Delete(context.Context, ownergraph.Key, ownergraph.DeleteOptions) error {
	d.die()
	return nil
}

func (d dying) Fence(context.Context) (uint64, error)       { d.die(); return 0, nil }
func (d dying) List(context.Context, ownergraph.Kind) error { d.die(); return nil }
func (d dying) MaxBatch(ownergraph.Store) int               { return 2 }
func (d dying) Select(context.Context, ownergraph.SelectRequest) (p ownergraph.SelectPage, err error) {
	d.die()
	return p, nil
}

func (d dying) ReadRecord(context.Context, string) (r ownergraph.Record, err error) {
	d.die()
	return r, nil
}

func (d dying) WriteRecord(context.Context, string, []byte, ownergraph.Version) (v ownergraph.Version, err error) {
	d.die()
	return v, nil
}

func (d dying) Batch(context.Context, []ownergraph.Write) ([]error, error) {
	d.die()
	return d.results, d.err
}

// TestCallsWithoutAnswer: each call that panics, or that ends its goroutine, ends for the
// observer too, and once. The panic goes on to the caller.
func TestCallsWithoutAnswer(t *testing.T) {
	for _, c := range []struct {
		die    func()
		reason string
	}{
		{func() { panic("by the test") }, "a panic"},
		{runtime.Goexit, "the end of the goroutine"},
	} {
		j, done, after := &journal{}, make(chan any), false
		s := dying{Store: newMemory(t, memory.Config{}), die: c.die}
		observed := hook.Store(s, j)
		fencer, _ := ownergraph.As[ownergraph.Fencer](observed)
		lister, _ := ownergraph.As[ownergraph.Lister](observed)
		selector, _ := ownergraph.As[ownergraph.LabelSelector](observed)
		records, _ := ownergraph.As[ownergraph.Records](observed)
		batches, _ := ownergraph.As[ownergraph.Batcher](observed)
		k := ownergraph.Key{Kind: "node", Name: "a"}
		handlers := hook.Handlers(map[string]finalizer.Handler{"x/y": func(context.Context, ownergraph.Object) error { c.die(); return nil }}, j)
		for _, call := range []struct {
			do   func()
			want string
		}{
			{func() { _, _ = observed.Get(t.Context(), k) }, `read error node/a@""`},
			{func() { _ = observed.Patch(t.Context(), k, ownergraph.Precondition{}, ownergraph.Change{}) }, `patch error node/a@""`},
			{func() { _ = observed.Delete(t.Context(), k, ownergraph.DeleteOptions{}) }, `delete error node/a@""`},
			{func() { _, _ = fencer.Fence(t.Context()) }, "fence error"},
			{func() { _ = lister.List(t.Context(), "node") }, "list node error"},
			{func() { _, _ = selector.Select(t.Context(), ownergraph.SelectRequest{Kind: "node"}) }, "select node error"},
			{func() { _, _ = records.ReadRecord(t.Context(), "r") }, "read_record error"},
			{func() { _, _ = records.WriteRecord(t.Context(), "r", nil, "") }, "write_record error"},
			{func() { _, _ = batches.Batch(t.Context(), []ownergraph.Write{{Type: 2, Key: k}}) }, `batch error delete node/a@""=error`},
			{func() { _ = handlers["x/y"](t.Context(), ownergraph.Object{Key: k}) }, `handle x/y error node/a@""`},
		} {
			go func() {
				defer func() { done <- recover() }()
				call.do()
				after = true
			}()
			v := <-done
			if got := j.take(); !slices.Equal(got, []string{call.want}) || after {
				t.Errorf("%q, want %q, went on %t, panic %v: %s", got, call.want, after, v, c.reason)
			}
		}
	}
}

// TestBatchResults: a batch whose results do not fit its writes has failed for the observer, as
// for the engine. The caller gets them as they are.
func TestBatchResults(t *testing.T) {
	for _, c := range []struct {
		results []error
		err     error
		want    string
		reason  string
	}{
		{[]error{nil, ownergraph.ErrConflict}, nil, `batch ok delete node/a@""=ok delete node/b@""=conflict`, "one result for each write"},
		{make([]error, 2), ownergraph.ErrRefused, `batch refused delete node/a@""=refused delete node/b@""=refused`, "with an error the results count for nothing"},
		{nil, nil, `batch error delete node/a@""=error delete node/b@""=error`, "no result is no success"},
		{[]error{nil}, nil, `batch error delete node/a@""=error delete node/b@""=error`, "one result is missing"},
		{make([]error, 3), nil, `batch error delete node/a@""=error delete node/b@""=error`, "one result too many"},
	} {
		j := &journal{}
		s := hook.Store(dying{newMemory(t, memory.Config{}), func() {}, c.results, c.err}, j)
		batches, _ := ownergraph.As[ownergraph.Batcher](s)
		results, err := batches.Batch(t.Context(), []ownergraph.Write{{Type: 2, Key: ownergraph.Key{Kind: "node", Name: "a"}}, {Type: 2, Key: ownergraph.Key{Kind: "node", Name: "b"}}})
		if got := j.take(); !slices.Equal(got, []string{c.want}) || !slices.Equal(results, c.results) || err != c.err {
			t.Errorf("%q, want %q; the caller has %v, %v: %s", got, c.want, results, err, c.reason)
		}
	}
}

// TestHandlers: the observer gets each run with its object and its result. A nil handler is
// refused, as without an observer.
func TestHandlers(t *testing.T) {
	j, key := &journal{}, ownergraph.Key{Kind: "node", Name: "a", UID: "u"}
	all := hook.Handlers(map[string]finalizer.Handler{
		"x/ok": func(ctx context.Context, _ ownergraph.Object) error {
			if ctx.Value(mark{}) == nil {
				t.Error("the handler has another context")
			}
			return nil
		},
		"x/bad": func(context.Context, ownergraph.Object) error { return errors.New("by the test") },
	}, j)
	_, _ = all["x/ok"](t.Context(), ownergraph.Object{Key: key}), all["x/bad"](t.Context(), ownergraph.Object{Key: key})
	if got := j.take(); !slices.Equal(got, []string{"handle x/ok ok node/a@u", "handle x/bad error node/a@u"}) {
		t.Errorf("%q", got)
	}
	_, err := ownergraph.New(newMemory(t, memory.Config{}), ownergraph.Config{Handlers: hook.Handlers(map[string]finalizer.Handler{"x/y": nil}, j)})
	if !errors.Is(err, ownergraph.ErrInvalid) {
		t.Errorf("a nil handler: %v, want ErrInvalid", err)
	}
}

type later struct{}

func (later) Error() string             { return "later" }
func (later) RetryAfter() time.Duration { return time.Second }

func TestResults(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range hook.Results() {
		if name := r.String(); seen[name] || strings.Contains(name, "(") {
			t.Errorf("result %d is %q", r, name)
		}
		seen[r.String()] = true
	}
	for _, c := range []struct {
		err    error
		want   hook.Result
		reason string
	}{
		{nil, hook.OK, "no error"},
		{ownergraph.ErrNotFound, hook.NotFound, "a sentinel"},
		{fmt.Errorf("x: %w", ownergraph.ErrConflict), hook.Conflict, "a wrapped sentinel"},
		{ownergraph.ErrRefused, hook.Refused, "a refusal"},
		{ownergraph.ErrInvalid, hook.Invalid, "a wrong argument"},
		{ownergraph.ErrKindUnknown, hook.KindUnknown, "no such kind"},
		{fmt.Errorf("x: %w", later{}), hook.Busy, "the store asks for time"},
		{fmt.Errorf("x: %w", context.Canceled), hook.Canceled, "a shutdown"},
		{context.DeadlineExceeded, hook.Timeout, "a late answer"},
		{hook.ErrNoAnswer, hook.Failed, "a panic"},
	} {
		if got := hook.ResultOf(c.err); got != c.want {
			t.Errorf("%v is %s, want %s: %s", c.err, got, c.want, c.reason)
		}
	}
	for _, typ := range hook.Types() {
		if name := typ.String(); seen[name] || strings.Contains(name, "(") {
			t.Errorf("type %d is %q", typ, name)
		}
		seen[typ.String()] = true
	}
}
