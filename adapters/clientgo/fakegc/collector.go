package fakegc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TB is what a Collector needs of a test: a *testing.T is one, and Ginkgo's
// GinkgoT().
type TB interface {
	Helper()
	Logf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Collector is the garbage collector of one fake client. Nothing happens by
// itself: it works while WaitIdle is called. Use New. It is safe for concurrent
// use.
type Collector struct {
	store *Store
	t     TB
}

// New returns the fake client with what it lacks for garbage collection, and its
// collector, which logs to the test what it does and why. A fake client that
// holds what no server would ends the test. Held by TestNew and TestLog.
func New(t TB, fake client.WithWatch) (client.WithWatch, *Collector) {
	t.Helper()
	s, err := NewStore(fake)
	if err != nil {
		t.Fatalf("fakegc: %v", err)
		return nil, nil
	}
	return s.Client(), &Collector{s, t}
}

// Store returns the store under the collector, for a test that runs an
// ownergraph.Collector of its own: with handlers, or all the time.
func (c *Collector) Store() *Store { return c.store }

// patience is how long a WaitIdle without a deadline may take: a test that hangs
// says nothing.
const patience = time.Minute

// WaitIdle does what a garbage collector would do now, and returns when nothing
// is left to do. It starts from what the client holds, so writes beside the
// client count too. When it returns, nothing of it runs any more.
//
// Errors: a *HeldError if objects are held, which names them, by whom they are
// held and why: a finalizer that the test's own code has to take off, a bad owner
// reference. The context's error, if it ends before; one without a deadline gets
// one of a minute. If the fake client failed to list, its last error is wrapped too.
// Held by TestPropagation, TestHeld and TestWaitIdleEnds.
func (c *Collector) WaitIdle(ctx context.Context) error {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	watched := &watchedStore{Store: c.store}
	engine, err := ownergraph.New(watched, ownergraph.Config{Logger: slog.New(slog.NewTextHandler(lines{c.t}, nil)), OnDecision: c.say})
	if err != nil {
		return fmt.Errorf("wait until idle: %w", err)
	}
	run, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- engine.Run(run) }()
	held, err := engine.WaitIdle(ctx)
	stop()
	if err := errors.Join(err, <-ended); err != nil {
		return errors.Join(err, watched.failure())
	}
	if len(held) > 0 {
		return &HeldError{held}
	}
	return nil
}

// watchedStore is a store that keeps the last error of its watch.
type watchedStore struct {
	*Store
	mu  sync.Mutex
	err error
}

// Watch is that of the Store.
func (w *watchedStore) Watch(ctx context.Context, sink func(graph.Event) error) error {
	err := w.Store.Watch(ctx, sink)
	if ctx.Err() == nil {
		w.mu.Lock()
		w.err = err
		w.mu.Unlock()
	}
	return err
}

func (w *watchedStore) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// say logs what is being done.
func (c *Collector) say(d ownergraph.Decided) {
	if !d.Action.Writes() || d.Call == 0 {
		return
	}
	what := ""
	switch {
	case d.Propagation != ownergraph.Unset:
		what = fmt.Sprintf(" (%s)", d.Propagation)
	case d.Finalizer != "":
		what = fmt.Sprintf(" (%s)", d.Finalizer)
	}
	c.t.Logf("garbage collector: %s %s%s: %s", d.Action, d.Key, what, d.Reason)
}

// lines has a test log what a logger writes.
type lines struct{ t TB }

func (l lines) Write(line []byte) (int, error) {
	l.t.Logf("garbage collector: %s", strings.TrimSuffix(string(line), "\n"))
	return len(line), nil
}

// HeldError says which objects are held, against what their owners or their
// deletion mark ask for. It is immutable.
type HeldError struct {
	// Held has them by key, each with the reason and with whom it waits for.
	Held []ownergraph.Held
}

const mostLines = 20

// Error has a line for each object, at most 20.
func (e *HeldError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d held:", len(e.Held))
	for i, h := range e.Held {
		if i == mostLines {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Held)-i)
			break
		}
		fmt.Fprintf(&b, "\n  %s", h)
	}
	return b.String()
}
