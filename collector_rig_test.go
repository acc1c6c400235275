package ownergraph_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// A test bends a watch event by event.
type (
	sinkFunc  = func(ownergraph.Event) error
	watchFunc = func(context.Context, sinkFunc) error
)

// tap is a memory store of which a test can bend every call. It counts them.
type tap struct {
	*memory.Store
	// call, if set, stands in for a call. do makes it.
	call func(ctx context.Context, verb string, key ownergraph.Key, do func() error) error
	// watch, if set, stands in for Watch. do is the store's.
	watch func(ctx context.Context, sink sinkFunc, do watchFunc) error

	mu    sync.Mutex
	calls map[string]int
}

func (s *tap) make(ctx context.Context, verb string, key ownergraph.Key, do func() error) error {
	s.mu.Lock()
	if s.calls == nil {
		s.calls = map[string]int{}
	}
	s.calls[verb]++
	s.mu.Unlock()
	if s.call != nil {
		return s.call(ctx, verb, key, do)
	}
	return do()
}

// count returns how many calls of the verb were made, or of all of them.
func (s *tap) count(verb string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for v, k := range s.calls {
		if v == verb || verb == "" {
			n += k
		}
	}
	return n
}

func (s *tap) Get(ctx context.Context, key ownergraph.Key) (o ownergraph.Object, err error) {
	err = s.make(ctx, "get", key, func() (err error) { o, err = s.Store.Get(ctx, key); return })
	return o, err
}

func (s *tap) Patch(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, change ownergraph.Change) error {
	return s.make(ctx, "patch", key, func() error { return s.Store.Patch(ctx, key, pre, change) })
}

func (s *tap) Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	return s.make(ctx, "delete", key, func() error { return s.Store.Delete(ctx, key, opts) })
}

func (s *tap) Fence(ctx context.Context) (token uint64, err error) {
	err = s.make(ctx, "fence", ownergraph.Key{}, func() (err error) { token, err = s.Store.Fence(ctx); return })
	return token, err
}

func (s *tap) List(ctx context.Context, kind ownergraph.Kind) error {
	return s.make(ctx, "list", ownergraph.Key{Kind: kind}, func() error { return s.Store.List(ctx, kind) })
}

func (s *tap) Select(ctx context.Context, q ownergraph.SelectRequest) (page ownergraph.SelectPage, err error) {
	err = s.make(ctx, "select", ownergraph.Key{Kind: q.Kind}, func() (err error) { page, err = s.Store.Select(ctx, q); return })
	return page, err
}

func (s *tap) Watch(ctx context.Context, sink func([]ownergraph.Event) error) error {
	return s.make(ctx, "watch", ownergraph.Key{}, func() error {
		if s.watch == nil {
			return s.Store.Watch(ctx, sink)
		}
		one := func(ev ownergraph.Event) error { return sink([]ownergraph.Event{ev}) }
		return s.watch(ctx, one, func(ctx context.Context, each sinkFunc) error { return s.Store.Watch(ctx, oneByOne(each)) })
	})
}

// oneByOne is a sink that gives on one event at a time.
func oneByOne(each sinkFunc) func([]ownergraph.Event) error {
	return func(batch []ownergraph.Event) error {
		for _, ev := range batch {
			if err := each(ev); err != nil {
				return err
			}
		}
		return nil
	}
}

// plain is a store without optional powers.
type plain struct{ ownergraph.Store }

// rig is a collector that runs on a tapped store.
type rig struct {
	*ownergraph.Collector
	*tap
	t    *testing.T
	stop func() error // ends Run and returns its error
}

// newTap returns a store that has the objects, in notation.
func newTap(t *testing.T, objects string) *tap {
	t.Helper()
	list, err := graph.Parse(objects)
	if err != nil {
		t.Fatal(err)
	}
	s, err := memory.New(memory.Config{Objects: list, UIDPrefix: "new-"})
	if err != nil {
		t.Fatal(err)
	}
	return &tap{Store: s}
}

// collect runs a collector on the store until the test ends.
func collect(t *testing.T, s *tap, cfg ownergraph.Config) *rig {
	t.Helper()
	return collectOn(t, s, s, cfg)
}

// collectOn is collect for a store that hides a tap.
func collectOn(t *testing.T, store ownergraph.Store, s *tap, cfg ownergraph.Config) *rig {
	t.Helper()
	c, err := ownergraph.New(store, cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	result := make(chan error, 1)
	go func() { result <- c.Run(ctx) }()
	r := &rig{c, s, t, sync.OnceValue(func() error { cancel(); return <-result })}
	t.Cleanup(func() { _ = r.stop() })
	return r
}

// idle waits until the collector is idle, for at most an hour of the test's
// time, and returns the held objects.
func (r *rig) idle() []engine.Held {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	held, err := r.WaitIdle(ctx)
	if err != nil {
		r.t.Fatalf("%v; stats %+v", err, r.Stats())
	}
	return held
}

// delete deletes the object that is a line of the notation, as a user.
func (s *tap) delete(t *testing.T, key string, p graph.Propagation) {
	t.Helper()
	if err := s.Store.Delete(t.Context(), keyOf(t, key), ownergraph.DeleteOptions{Propagation: p}); err != nil {
		t.Fatal(err)
	}
}

// finish removes a finalizer of the object as a user.
func (s *tap) finish(t *testing.T, key, finalizer string) {
	t.Helper()
	if err := s.Store.Patch(t.Context(), keyOf(t, key), ownergraph.Precondition{}, ownergraph.Change{DropFinalizer: finalizer}); err != nil {
		t.Fatal(err)
	}
}

// create creates an object as a user. The store makes its UID.
func (s *tap) create(t *testing.T, line string) ownergraph.Object {
	t.Helper()
	list, err := graph.Parse(line)
	if err != nil {
		t.Fatal(err)
	}
	list[0].UID = ""
	o, err := s.Create(t.Context(), list[0])
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func keyOf(t *testing.T, line string) ownergraph.Key {
	t.Helper()
	list, err := graph.Parse(line)
	if err != nil {
		t.Fatal(err)
	}
	return list[0].Key
}

// contains checks the objects of the store, without versions and generations.
func (s *tap) contains(t *testing.T, want string) {
	t.Helper()
	if got := s.shape(); got != want {
		t.Errorf("the store has %q, want %q", got, want)
	}
}

// shape returns the objects of the store without versions and generations.
func (s *tap) shape() string {
	list := s.Objects()
	for i := range list {
		list[i].Version, list[i].Generation = "", 0
	}
	return graph.Format(list)
}

// lines returns held objects as text, each with its key in the notation of package graph, which is
// shorter for the objects of tests.
func lines(held []engine.Held) string {
	var out []string
	for _, h := range held {
		out = append(out, h.Key.String()+strings.TrimPrefix(h.String(), h.Key.Text()))
	}
	return strings.Join(out, "\n")
}

// compareVersions orders the memory store's versions.
func compareVersions(_ ownergraph.Kind, a, b ownergraph.Version) int {
	m, _ := strconv.ParseUint(string(a), 10, 64)
	n, _ := strconv.ParseUint(string(b), 10, 64)
	return cmp.Compare(m, n)
}

// pass lets time pass in a bubble.
func pass(d time.Duration) { <-time.After(d) }

var errTest = errors.New("made by the test")

// journal collects the lines of a logger.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(line)
}

// lines returns the lines so far that have the text.
func (j *journal) lines(text string) (out []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for line := range strings.Lines(j.buf.String()) {
		if strings.Contains(line, text) {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

func (j *journal) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(j, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// health describes kinds without the numbers of their objects.
func health(kinds []engine.KindStatus) string {
	out := []string{}
	for _, k := range kinds {
		out = append(out, fmt.Sprintf("{%s %t %s}", k.Kind, k.Listed, k.Sick))
	}
	return fmt.Sprint(out)
}
