//go:build unix

package ownergraph_test

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/share"
)

// slow is a store whose calls take some time. It counts the writes.
type slow struct {
	*memory.Store
	takes  time.Duration
	mu     sync.Mutex
	writes int
	fences int
	lost   int // writes that another collector was faster with
}

func (s *slow) wait(writes, fences int) {
	s.mu.Lock()
	s.writes += writes
	s.fences += fences
	s.mu.Unlock()
	<-time.After(s.takes)
}

func (s *slow) Patch(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, change ownergraph.Change) error {
	s.wait(1, 0)
	return s.count(s.Store.Patch(ctx, key, pre, change))
}

func (s *slow) Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	s.wait(1, 0)
	return s.count(s.Store.Delete(ctx, key, opts))
}

func (s *slow) count(err error) error {
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.lost++
	}
	return err
}

func (s *slow) Fence(ctx context.Context) (uint64, error) {
	s.wait(0, 1)
	return s.Store.Fence(ctx)
}

// benchTree has an owner, 100 dependents, and 100 dependents of each.
func benchTree(block bool) (objects []graph.Object) {
	add := func(kind graph.Kind, n int, owner *graph.Object) graph.Object {
		o := graph.Object{Key: graph.Key{Kind: kind, Name: fmt.Sprint(n), UID: graph.UID(fmt.Sprintf("%08x-0000-4000-8000-%012x", uint32(n)*2654435761, n))}}
		if owner != nil {
			o.Owners = []graph.Owner{{Key: owner.Key, Block: block}}
		}
		objects = append(objects, o)
		return o
	}
	root := add("a", 0, nil)
	for i := range 100 {
		b := add("b", 1+i, &root)
		for j := range 100 {
			add("c", 1000+i*100+j, &b)
		}
	}
	return objects
}

// BenchmarkShares deletes 10,101 objects in two levels with several collectors, with shares and
// without, on a store that takes some time for each call.
func BenchmarkShares(b *testing.B) {
	for _, p := range []graph.Propagation{graph.Background, graph.Foreground, graph.Orphan} {
		for _, takes := range []time.Duration{time.Millisecond, 5 * time.Millisecond} {
			for _, divides := range []bool{false, true} {
				for _, n := range []int{1, 2, 4, 8} {
					if n == 1 && divides {
						continue
					}
					name := fmt.Sprintf("%v/%v/shares=%t/collectors=%d", p, takes, divides, n)
					b.Run(name, func(b *testing.B) { benchShares(b, p, takes, divides, n) })
				}
			}
		}
	}
}

func benchShares(b *testing.B, p graph.Propagation, takes time.Duration, divides bool, n int) {
	for range b.N {
		b.StopTimer()
		objects := benchTree(p == graph.Foreground)
		m, err := memory.New(memory.Config{Objects: objects})
		if err != nil {
			b.Fatal(err)
		}
		s := &slow{Store: m, takes: takes}
		ctx, stop := context.WithCancel(context.Background())
		var work sync.WaitGroup
		var all []*ownergraph.Collector
		names := make([]string, n)
		for i := range names {
			names[i] = fmt.Sprint("member-", i)
		}
		sets, err := share.Divide(names)
		if err != nil {
			b.Fatal(err)
		}
		for i := range n {
			cfg := ownergraph.Config{Workers: 4}
			if divides {
				cfg.Share = sets[i]
			}
			c, err := ownergraph.New(s, cfg)
			if err != nil {
				b.Fatal(err)
			}
			work.Go(func() {
				if err := c.Run(ctx); err != nil {
					b.Error(err)
				}
			})
			if err := c.Synced(ctx); err != nil {
				b.Fatal(err)
			}
			all = append(all, c)
		}
		before := cpu()
		b.StartTimer()
		began := time.Now()
		if err := m.Delete(ctx, objects[0].Key, ownergraph.DeleteOptions{Propagation: p}); err != nil {
			b.Fatal(err)
		}
		for done := false; !done; {
			for _, c := range all {
				if _, err := c.WaitIdle(ctx); err != nil {
					b.Fatal(err)
				}
			}
			done = p == graph.Orphan && len(m.Objects()) == len(objects)-1 || len(m.Objects()) == 0
		}
		took := time.Since(began)
		b.StopTimer()
		used := cpu() - before
		stop()
		work.Wait()
		written := float64(len(objects))
		if p == graph.Orphan {
			written = 101
		}
		b.ReportMetric(float64(s.writes)/written, "writes/object")
		b.ReportMetric(float64(s.lost), "refused")
		b.ReportMetric(float64(s.fences), "fences")
		b.ReportMetric(written/took.Seconds(), "objects/s")
		b.ReportMetric(100*used.Seconds()/took.Seconds(), "%cpu")
	}
}

// cpu returns the processor time of this process.
func cpu() time.Duration {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
