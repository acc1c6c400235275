package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/storespeed/tree"
)

// sightings has the times when each object was written and seen.
type sightings struct {
	epoch         time.Time
	written, seen []atomic.Int64 // since epoch
	left          atomic.Int64   // that are not seen
	blocks        bool           // the sink blocks after the listing
	all           chan struct{}
	ended         chan error
}

func newSightings(n int) *sightings {
	s := &sightings{epoch: time.Now(), written: make([]atomic.Int64, n), seen: make([]atomic.Int64, n), all: make(chan struct{}), ended: make(chan error, 1)}
	s.left.Store(int64(n))
	return s
}

// watch starts a watch, and returns when it has listed all kinds.
func (s *sightings) watch(ctx context.Context, store *sqlstore.Store) (stop func() error, err error) {
	ctx, cancel := context.WithCancel(ctx)
	ready, ended := make(chan struct{}), 0
	go func() {
		s.ended <- store.Watch(ctx, func(batch []graph.Event) error {
			now := int64(time.Since(s.epoch))
			for i := range batch {
				switch e := &batch[i]; e.Type {
				case graph.ListEnded:
					if ended++; ended == len(tree.Kinds()) {
						close(ready)
					}
				case graph.Put:
					s.see(e.Object.Name, now)
				}
			}
			if s.blocks && ended >= len(tree.Kinds()) {
				<-ctx.Done()
			}
			return nil
		})
	}()
	stop = func() error {
		cancel()
		if err := <-s.ended; !errors.Is(err, context.Canceled) {
			return fmt.Errorf("the watch has ended: %w", err)
		}
		return nil
	}
	select {
	case <-ready:
		return stop, nil
	case <-ctx.Done():
		return nil, errors.Join(context.Cause(ctx), stop())
	case err := <-s.ended:
		cancel()
		return nil, err
	}
}

func (s *sightings) see(name string, now int64) {
	var i int
	if _, err := fmt.Sscanf(name, "backup-%d", &i); err == nil && s.seen[i].Swap(now) == 0 && s.left.Add(-1) == 0 {
		close(s.all)
	}
}

// write creates the objects. With a pace, an object is not written before its time.
func (s *sightings) write(ctx context.Context, store *sqlstore.Store, n int, at func(i int) time.Time) error {
	var next atomic.Int64
	errs := make([]error, writers)
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() {
			for errs[w] == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if at != nil {
					pause := time.NewTimer(time.Until(at(i)))
					<-pause.C
				}
				_, errs[w] = store.Create(ctx, graph.Object{Key: graph.Key{Kind: tree.Backup, Scope: tree.Scope, Name: objectName(i)}})
				s.written[i].Store(int64(time.Since(s.epoch)))
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// wait returns when all objects are seen.
func (s *sightings) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	select {
	case <-s.all:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the watch has not seen %d objects: %w", s.left.Load(), ctx.Err())
	}
}

// latencies returns the median and the 99th percentile in milliseconds. An event may come
// before its write returns. Its latency is 0.
func (s *sightings) latencies() (p50, p99 float64) {
	list := make([]float64, len(s.seen))
	for i := range list {
		list[i] = max(0, float64(s.seen[i].Load()-s.written[i].Load())/1e6)
	}
	slices.Sort(list)
	if len(list) == 0 {
		return math.NaN(), math.NaN()
	}
	return list[len(list)/2], list[len(list)*99/100]
}
