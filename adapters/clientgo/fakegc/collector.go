package fakegc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// Collector is the garbage collector of one fake client. It works only during WaitIdle.
// Use New. It is safe for concurrent use.
type Collector struct {
	store *store
	t     testing.TB
}

// New returns the fake client with the additions of this package, and its collector.
// The collector logs its writes and their reasons to the test. New ends the test if the
// fake client has an object that contradicts its kind. A test of Ginkgo passes
// GinkgoTB().
//
//test:by TestNew TestLog
func New(t testing.TB, fake client.WithWatch) (client.WithWatch, *Collector) {
	t.Helper()
	s, err := newStore(fake)
	if err != nil {
		t.Fatalf("fakegc: %v", err)
		return nil, nil
	}
	return s.client, &Collector{s, t}
}

// Store returns the store of the collector, for a test that runs an
// ownergraph.Collector of its own. Such a collector may have handlers or run during the
// whole test. The store has level 2 and is a Fencer and a Lister.
func (c *Collector) Store() ownergraph.Store { return c.store }

// patience bounds a WaitIdle without a deadline, because a test that hangs shows no
// error.
const patience = time.Minute

// WaitIdle does the present work of a garbage collector, and returns when no work is
// left. It starts from the objects of the fake client, so it includes writes beside the
// client. When it returns, none of its goroutines run.
//
// Errors:
//
//   - A *HeldError if objects are held. It names each object, its reason and the
//     objects that it waits for. Reasons are a finalizer that the test's code has to
//     remove, or a bad owner reference.
//   - The context's error. A context without a deadline gets one of a minute.
//   - The last error of the fake client's lists, joined to the context's error.
//
//test:by TestPropagation TestHeld TestWaitIdleEnds
func (c *Collector) WaitIdle(ctx context.Context) error {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	watched := &watchedStore{store: c.store}
	engine, err := ownergraph.New(watched, ownergraph.Config{Policies: true, Logger: slog.New(slog.NewTextHandler(lines{c.t}, nil)), OnDecision: c.log})
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

// watchedStore keeps the last error of its watch.
type watchedStore struct {
	*store
	mu  sync.Mutex
	err error
}

// Watch is the store's Watch.
func (w *watchedStore) Watch(ctx context.Context, sink func(batch []graph.Event) error) error {
	err := w.store.Watch(ctx, sink)
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

// log logs a write.
func (c *Collector) log(d engine.DecisionEvent) {
	if !d.Action.Writes() || d.Call == 0 {
		return
	}
	what := ""
	switch {
	case d.Propagation != graph.Unset:
		what = fmt.Sprintf(" (%s)", d.Propagation)
	case d.Finalizer != "":
		what = fmt.Sprintf(" (%s)", d.Finalizer)
	}
	c.t.Logf("garbage collector: %s %s%s: %s", d.Action, d.Key, what, d.Reason)
}

// lines writes the records of a logger to the test's log.
type lines struct{ t testing.TB }

func (l lines) Write(line []byte) (int, error) {
	l.t.Logf("garbage collector: %s", strings.TrimSuffix(string(line), "\n"))
	return len(line), nil
}

// HeldError names the held and the blocked objects, whose owners or deletion marks demand their
// removal. It is immutable.
type HeldError struct {
	// Held has the objects by key, with reasons and waits.
	Held []engine.Held
}

const maxLines = 20

// Error has one line for each object, and at most 20.
func (e *HeldError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d held or blocked:", len(e.Held))
	for i, h := range e.Held {
		if i == maxLines {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Held)-i)
			break
		}
		fmt.Fprintf(&b, "\n  %s", h)
	}
	return b.String()
}
