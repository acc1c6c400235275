package envtestgc

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/engine"
)

// Collector collects the garbage of one API server until Stop. Use Start. It is safe
// for concurrent use.
type Collector struct {
	config  Config
	engine  *ownergraph.Collector
	journal *journal
	stop    context.CancelFunc
	ended   chan struct{}
	err     error // of the engine's run; valid after ended is closed
}

// Start runs a collector on the server. It returns after the collector has listed the
// server and has collected the present garbage. Stop ends the collector.
//
// Errors: ErrInvalid for a wrong Config. The error of the server or of the connection.
// A *HeldError if the listing takes longer than Config.Ready.
//
//test:by TestStart TestStartFails TestStartIsLate
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

// answers returns an error if the server does not answer at all. The state of the
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

// Stop ends the collector and all its goroutines. It returns an error if the collector
// had ended by itself. A second call returns the same error.
//
//test:by TestStop TestStopAfterEnd
func (c *Collector) Stop() error {
	c.stop()
	<-c.ended
	if c.err != nil {
		return fmt.Errorf("collect: %w", c.err)
	}
	return nil
}

// Held returns the held objects by key, with their reasons: at most 1,000. An object
// with a bad owner reference stays held until a client corrects the reference.
func (c *Collector) Held() []engine.Held { return c.engine.Held(maxHeld) }

// ReportTo logs a report at the end of the test, if the test has failed. The report has
// the collector's writes since the call, and the held objects. A test of Ginkgo passes
// GinkgoTB().
//
//test:by TestReportTo
func (c *Collector) ReportTo(t testing.TB) {
	from := c.journal.next()
	t.Cleanup(func() {
		t.Helper()
		if t.Failed() {
			lines := c.journal.since(from)
			lines = lines[max(0, len(lines)-maxReported):]
			t.Logf("garbage collection in this test:\n%s\nheld at its end:\n%s", indented(lines), listed(texts(c.Held())))
		}
	})
}
