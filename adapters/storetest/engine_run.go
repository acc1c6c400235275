package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/fault"
)

// runner runs one collector after another on one store with faults. A crash ends a
// collector, and the next one begins with an empty graph.
type runner struct {
	store *fault.Store
	conf  ownergraph.Config
	ended chan struct{}

	mu        sync.Mutex
	collector *ownergraph.Collector
	stop      context.CancelFunc
	err       error         // of a collector that ended by itself
	wake      chan struct{} // closed when collector or err changes
}

func newRunner(store ownergraph.Store, faults fault.Config, conf ownergraph.Config) (*runner, error) {
	r := &runner{conf: conf, ended: make(chan struct{}), wake: make(chan struct{})}
	faults.Crash = r.crash
	var err error
	if r.store, err = fault.New(store, faults); err != nil {
		return nil, err
	}
	_, err = ownergraph.New(r.store, conf)
	return r, err
}

// run runs collectors until ctx ends.
func (r *runner) run(ctx context.Context) {
	defer close(r.ended)
	for ctx.Err() == nil {
		life, stop := context.WithCancel(ctx)
		c, err := ownergraph.New(r.store, r.conf)
		r.set(c, stop, err)
		if err == nil {
			err = c.Run(life)
		}
		stop()
		if err != nil {
			r.set(c, stop, err)
			return
		}
	}
}

func (r *runner) set(c *ownergraph.Collector, stop context.CancelFunc, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.collector, r.stop, r.err = c, stop, err
	close(r.wake)
	r.wake = make(chan struct{})
}

// crash ends the running collector, and does not wait for it.
func (r *runner) crash() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stop != nil {
		r.stop()
	}
}

func (r *runner) current() (*ownergraph.Collector, <-chan struct{}, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.collector, r.wake, r.err
}

// idle waits until the collector, or its successor after a crash, is idle.
func (r *runner) idle(ctx context.Context) ([]engine.Held, error) {
	for {
		c, more, err := r.current()
		if err != nil {
			return nil, fmt.Errorf("the collector has ended: %w", err)
		}
		if c != nil {
			held, err := c.WaitIdle(ctx)
			if !errors.Is(err, ownergraph.ErrClosed) {
				return held, err
			}
		}
		select {
		case <-more:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
