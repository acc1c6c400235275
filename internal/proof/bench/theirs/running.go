package theirs

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph/internal/proof/bench/measure"
	"github.com/ownergraph/ownergraph/internal/proof/bench/server"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// running is a garbage collector at work.
type running struct {
	inside  Inside
	stop    context.CancelFunc
	workers sync.WaitGroup
	watch   chan error
}

// Start runs the garbage collector as its Run does. One goroutine works on the graph,
// and how.Workers on each of its two queues. A watch of the server stands for the
// informers.
func (s Side) Start(ctx context.Context, on *server.Server, how measure.How) (measure.Collector, error) {
	if how.Scope != nil {
		return nil, errors.New("garbage collector: collects in all scopes")
	}
	ctx, stop := context.WithCancel(ctx)
	in, err := s.Make(ctx, client{on}, mapper())
	if err != nil {
		stop()
		return nil, err
	}
	r := &running{inside: in, stop: stop, watch: make(chan error, 1)}
	listed := make(chan struct{})
	go func() {
		r.watch <- on.Watch(ctx, func(list []*server.Record) error {
			for _, now := range list {
				r.tell(server.Change{New: now})
			}
			close(listed)
			return nil
		}, func(c server.Change) error { r.tell(c); return nil })
	}()
	r.workers.Go(func() {
		for in.Step() {
		}
	})
	<-listed
	for range how.Workers {
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

// Settled looks every millisecond, since the collector gives no notice.
func (r *running) Settled(ctx context.Context, objects int) error {
	for {
		in := r.inside
		if in.Changes()+in.Deletes()+in.Orphans() == 0 && (objects < 0 || in.Nodes() == objects) {
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
