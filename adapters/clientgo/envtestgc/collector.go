package envtestgc

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
)

// Collector collects the garbage of one API server until it is stopped. Use
// Start. It is safe for concurrent use.
type Collector struct {
	config  Config
	engine  *ownergraph.Collector
	journal *journal
	stop    context.CancelFunc
	ended   chan struct{}
	err     error // of the run, once ended is closed
}

// Start runs a collector on the server, and returns when it has seen everything
// that the server holds: what is deleted from then on, and what was garbage
// before, is collected. Stop ends it.
//
// Errors: ErrInvalid for a wrong Config; what the server, or the way to it,
// answers; a *HeldError when not all is listed within Config.Ready. Held by
// TestStart, TestStartFails and TestStartIsLate.
func Start(server *rest.Config, config Config) (*Collector, error) {
	c, err := newCollector(server, config)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.config.Ready)
	defer cancel()
	if _, err := c.engine.WaitIdle(ctx); err != nil {
		err = c.unfinished(err, c.Held)
		return nil, errors.Join(fmt.Errorf("start collector: %w", err), c.Stop())
	}
	return c, nil
}

func newCollector(server *rest.Config, config Config) (*Collector, error) {
	config, err := config.filled()
	if err != nil {
		return nil, err
	}
	j := newJournal(config.Keep, config.Logger)
	config.Store.Logger, config.Engine.Logger = j.logger(config.Store.Logger), j.logger(config.Engine.Logger)
	config.Engine.OnDecision = j.decisions(config.Engine.OnDecision)
	store, err := clientgo.New(server, config.Store)
	if err != nil {
		return nil, fmt.Errorf("start collector: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), config.Ready)
	defer cancel()
	if err := answers(ctx, store); err != nil {
		return nil, fmt.Errorf("start collector: %w", err)
	}
	engine, err := ownergraph.New(store, config.Engine)
	if err != nil {
		return nil, fmt.Errorf("start collector: %w", err)
	}
	c := &Collector{config: config, engine: engine, journal: j, ended: make(chan struct{})}
	run, stop := context.WithCancel(context.Background())
	c.stop = stop
	go func() {
		defer close(c.ended)
		c.err = engine.Run(run)
	}()
	return c, nil
}

// answers reports why the server cannot be talked to at all. What it says of the
// object does not matter.
func answers(ctx context.Context, store *clientgo.Store) error {
	_, err := store.Get(ctx, ownergraph.Key{Kind: "Namespace", Name: "default"})
	for _, fine := range []error{ownergraph.ErrNotFound, ownergraph.ErrKindUnknown, ownergraph.ErrRefused} {
		if errors.Is(err, fine) {
			return nil
		}
	}
	return err
}

// Stop ends the collector, and waits for that: no goroutine of it is left. It
// returns an error if the collector had ended by itself, and the same one when
// it is called again. Held by TestStop and TestStopAfterEnd.
func (c *Collector) Stop() error {
	c.stop()
	<-c.ended
	if c.err != nil {
		return fmt.Errorf("collect: %w", c.err)
	}
	return nil
}

// Held returns what is held now, by key, and why: at most 1,000 objects. An
// object that is held for a bad owner reference stays in it until somebody mends
// it.
func (c *Collector) Held() []ownergraph.Held { return c.engine.Held(mostHeld) }

// Stats returns what was done since Start.
func (c *Collector) Stats() ownergraph.Stats { return c.engine.Stats() }

// Lines returns what was done and why, and what somebody should know, the oldest
// first: at most Config.Keep lines.
func (c *Collector) Lines() []string { return c.journal.since(0) }

// TB is what ReportTo needs of a test: a *testing.T is one, and Ginkgo's
// GinkgoT().
type TB interface {
	Helper()
	Cleanup(func())
	Failed() bool
	Logf(format string, args ...any)
}

// ReportTo has the test log at its end, if it has failed, what was done from now
// on, and what is held then. Held by TestReportTo.
func (c *Collector) ReportTo(t TB) {
	from := c.journal.next()
	t.Cleanup(func() {
		t.Helper()
		if t.Failed() {
			lines := c.journal.since(from)
			lines = lines[max(0, len(lines)-mostReported):]
			t.Logf("garbage collection in this test:\n%s\nheld at its end:\n%s", indented(lines), listed(texts(c.Held())))
		}
	})
}
