package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
)

// workers is the most store calls at once. The store takes no time, so more would wait.
const workers = 20

// site is a store of trees in memory.
type site struct {
	objects []graph.Object
	store   *memory.Store
}

func newSite(size int) (site, error) {
	objects := trees(size)
	s, err := memory.New(memory.Config{Kinds: kinds(), Objects: objects})
	return site{objects, s}, err
}

// collect runs a Collector on the store. It is idle before do and after it.
func (s site) collect(do func(context.Context, *ownergraph.Collector) error) error {
	c, err := ownergraph.New(s.store, ownergraph.Config{Workers: workers})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	if err = idle(ctx, c); err == nil {
		err = do(ctx, c)
	}
	if err == nil {
		err = idle(ctx, c)
	}
	stop()
	return errors.Join(err, <-ended)
}

func idle(ctx context.Context, c *ownergraph.Collector) error {
	held, err := c.WaitIdle(ctx)
	if err == nil && len(held) > 0 {
		err = fmt.Errorf("collector: holds %s: %s", held[0].Key, held[0].Reason)
	}
	return err
}

// has checks the number of objects in the store.
func (s site) has(n int) error {
	if got := len(s.store.Objects()); got != n {
		return fmt.Errorf("end state: %d objects, want %d", got, n)
	}
	return nil
}

// collectorListing runs as many Collectors as there is work, one after another. Each lists
// all objects.
func collectorListing(size, work int) error {
	s, err := newSite(size)
	if err != nil {
		return err
	}
	for range work {
		err := s.collect(func(_ context.Context, c *ownergraph.Collector) error {
			if n := c.Stats().Objects; n != len(s.objects) {
				return fmt.Errorf("end state: %d objects, want %d", n, len(s.objects))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return s.has(len(s.objects))
}

// collectorUpdate writes the objects of as many trees as there is work to the store.
func collectorUpdate(size, work int) error {
	s, err := newSite(size)
	if err != nil {
		return err
	}
	err = s.collect(func(ctx context.Context, _ *ownergraph.Collector) error {
		for i := range work * treeSize {
			o := s.objects[mixed(i, len(s.objects))]
			o.Finalizers = []string{"example.com/x"}
			if _, err := s.store.Update(ctx, o); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.has(len(s.objects))
}

func collectorBackground(size, work int) error {
	return deleteRoots(size, work, graph.Background, treeSize)
}

func collectorForeground(size, work int) error {
	return deleteRoots(size, work, graph.Foreground, treeSize)
}

func collectorOrphan(size, work int) error { return deleteRoots(size, work, graph.Orphan, 1) }

// deleteRoots deletes as many roots as there is work, as the user. Each takes so many objects of
// its tree with it.
func deleteRoots(size, work int, by graph.Propagation, removed int) error {
	s, err := newSite(size)
	if err != nil {
		return err
	}
	err = s.collect(func(ctx context.Context, _ *ownergraph.Collector) error {
		for i := range work {
			if err := s.store.Delete(ctx, s.objects[i*treeSize].Key, graph.DeleteOptions{Propagation: by}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.has(len(s.objects) - work*removed)
}

// planRow plans as many deletions of a root as there is work.
func planRow(size, work int) error {
	s, err := newSite(size)
	if err != nil {
		return err
	}
	return s.collect(func(ctx context.Context, c *ownergraph.Collector) error {
		for i := range work {
			root := s.objects[i*treeSize].Key
			p, err := c.Plan(ctx, plan.Request{Delete: []plan.Target{{Key: root, Propagation: graph.Background}}})
			if err != nil {
				return err
			}
			if len(p.Objects) != treeSize {
				return fmt.Errorf("plan %s: %d objects, want %d", root, len(p.Objects), treeSize)
			}
		}
		return nil
	})
}

// explainRow explains as many objects as there is work.
func explainRow(size, work int) error {
	s, err := newSite(size)
	if err != nil {
		return err
	}
	return s.collect(func(ctx context.Context, c *ownergraph.Collector) error {
		for i := range work {
			if _, err := c.Explain(ctx, s.objects[mixed(i, len(s.objects))].Key); err != nil {
				return err
			}
		}
		return nil
	})
}
