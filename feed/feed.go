package feed

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// Config has the settings of a Feed. The zero value works.
type Config struct {
	// Poll is the longest time between two looks of an idle watch at the log. It bounds the
	// delay of writes by other processes, because Changed shows the others. 0 is 100 ms.
	Poll time.Duration
	// PageSize is the largest number of entries, and of objects, of one read. It bounds the
	// memory of a watch and the events of a batch. 0 is 512.
	PageSize int
}

const (
	defaultPoll     = 100 * time.Millisecond
	defaultPageSize = 512
	maxFences       = 64 // pending in one watch; the newest stay
)

// Feed makes the watches, the fences and the listings of a store from its Log. A store that
// embeds a *Feed has three methods of ownergraph.Store, Fencer and Lister: Watch, Fence and
// List. Use New. A Feed is safe for concurrent use by any number of goroutines and watches.
// It starts no goroutine, and has no lock while a sink or a method of the Log runs.
//
//test:by TestKit TestSinkMayCall
type Feed struct {
	log  Log
	conf Config

	mu      sync.Mutex
	watches map[*watch]struct{}
}

// New returns a Feed of the log. The error names the wrong argument, and wraps ErrInvalid.
//
//test:by TestNewRefuses
func New(log Log, c Config) (*Feed, error) {
	switch {
	case log == nil:
		return nil, fmt.Errorf("make feed: log: nil: %w", graph.ErrInvalid)
	case c.Poll < 0:
		return nil, fmt.Errorf("make feed: config: poll: %s is negative: %w", c.Poll, graph.ErrInvalid)
	case c.PageSize < 0:
		return nil, fmt.Errorf("make feed: config: page size: %d is negative: %w", c.PageSize, graph.ErrInvalid)
	}
	if c.Poll == 0 {
		c.Poll = defaultPoll
	}
	if c.PageSize == 0 {
		c.PageSize = defaultPageSize
	}
	return &Feed{log: log, conf: c, watches: map[*watch]struct{}{}}, nil
}

// Changed wakes the idle watches of this Feed. Call it after each commit. It only saves time:
// a watch without it looks at the log after Config.Poll. Changed never blocks.
//
//test:by TestChangedWakes TestPoll
func (f *Feed) Changed() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wakeAll()
}

// wakeAll wakes the idle watches. The caller has the lock.
func (f *Feed) wakeAll() {
	for w := range f.watches {
		select {
		case w.wake <- struct{}{}:
		default: // it is awake already
		}
	}
}

// List makes every running watch of this Feed list kind anew (ownergraph.Lister). It returns
// without waiting for them. It returns ErrKindUnknown for a kind that is not served, or that
// is not watched. Other errors are the Log's.
//
//test:by TestKit TestListRefuses
func (f *Feed) List(ctx context.Context, kind graph.Kind) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	page, err := f.log.ReadLog(ctx, 0, 1)
	if err != nil {
		return fmt.Errorf("list kind %s: read the log: %w", kind, err)
	}
	if !slices.ContainsFunc(page.Kinds, func(k graph.KindInfo) bool { return k.Kind == kind && !k.Unwatched }) {
		return fmt.Errorf("list kind %s: %w", kind, graph.ErrKindUnknown)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for w := range f.watches {
		if w.relist == nil {
			w.relist = map[graph.Kind]bool{}
		}
		w.relist[kind] = true
	}
	f.wakeAll()
	return nil
}

func (f *Feed) enter(w *watch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watches[w] = struct{}{}
}

func (f *Feed) leave(w *watch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.watches, w)
}
