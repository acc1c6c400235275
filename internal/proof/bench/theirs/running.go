package theirs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ownergraph/ownergraph/internal/proof/bench/measure"
	"github.com/ownergraph/ownergraph/internal/proof/bench/server"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// running is a garbage collector at work.
type running struct {
	inside  Inside
	stop    context.CancelFunc
	server  *server.Server
	workers sync.WaitGroup
	steps   atomic.Uint64 // events that the graph has taken
	watch   chan error
}

// defaultWorkers is that of kube-controller-manager.
const defaultWorkers = 20

// Start runs the garbage collector as its Run does. One goroutine works on the graph.
// How.Workers, by default 20, work on each of its two queues as soon as the listings
// have been handed over. A watch of the server stands for the informers.
func (s Side) Start(ctx context.Context, on *server.Server, how measure.How) (measure.Collector, error) {
	if how.Scope != nil {
		return nil, errors.New("garbage collector: collects in all scopes")
	}
	ctx, stop := context.WithCancel(ctx)
	in, err := s.make(ctx, client{on})
	if err != nil {
		stop()
		return nil, err
	}
	r := &running{inside: in, stop: stop, server: on, watch: make(chan error, 1)}
	listed := make(chan struct{})
	go func() {
		r.watch <- on.Watch(ctx, func(pages []server.Page) error {
			for _, p := range pages {
				for _, now := range p.Records {
					r.tell(server.Change{New: now})
				}
			}
			close(listed)
			return nil
		}, func(changes []server.Change) error {
			for _, c := range changes {
				r.tell(c)
			}
			return nil
		})
	}()
	r.workers.Go(func() {
		for in.Step() {
			r.steps.Add(1)
		}
	})
	<-listed
	for range cmp.Or(how.Workers, defaultWorkers) {
		r.workers.Go(func() { in.Delete(ctx) })
		r.workers.Go(func() { in.Orphan(ctx) })
	}
	return r, nil
}

func (r *running) tell(c server.Change) {
	switch {
	case c.New == nil:
		r.inside.Deleted(kindOf(c.Old.Object.Kind), c.Old.View.(*metav1.PartialObjectMetadata))
	case c.Old == nil:
		r.inside.Added(kindOf(c.New.Object.Kind), c.New.View.(*metav1.PartialObjectMetadata))
	default:
		before, now := c.Old.View.(*metav1.PartialObjectMetadata), c.New.View.(*metav1.PartialObjectMetadata)
		r.inside.Updated(kindOf(c.New.Object.Kind), before, now)
	}
}

// Events returns the number of events that the graph has taken.
func (r *running) Events() uint64 { return r.steps.Load() }

// Settled looks every millisecond, since the collector gives no notice. An
// object that waits in a queue's rate limiter does not count, to the advantage of this
// side.
func (r *running) Settled(ctx context.Context, objects int) error {
	for {
		in := r.inside
		if r.server.Delivered() && in.Changes()+in.Deletes()+in.Orphans() == 0 && (objects < 0 || in.Nodes() == objects) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("garbage collector: %d nodes, want %d, %d changes, %d deletes, %d orphans: %w",
				in.Nodes(), objects, in.Changes(), in.Deletes(), in.Orphans(), ctx.Err())
		case <-time.After(time.Millisecond):
		}
	}
}

func (r *running) Stop() error {
	r.inside.ShutDown()
	r.stop()
	r.workers.Wait()
	<-r.watch
	return nil
}
