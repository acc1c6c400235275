package fault

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph"
)

// Config holds the settings of a Store, and is read only at construction. A fault
// whose hook is nil does not happen, but for Compact. A hook is called from the
// goroutine of the call that the fault meets; several may be at once.
type Config struct {
	// Plan says what goes wrong. The zero Plan: nothing.
	Plan Plan
	// Lag is the longest that a fault lasts which ends by itself: delays, gaps,
	// kinds out of service, writes that come late. 0: 100 ms.
	Lag time.Duration
	// Crash ends whoever uses the store, and must not wait for it: its call is
	// under way.
	Crash func()
	// Rewind takes the store's history back.
	Rewind func(ctx context.Context) error
	// Compact makes the store forget its past.
	Compact func(ctx context.Context) error
	// Jump moves the clock.
	Jump func()
}

const (
	defaultLag = 100 * time.Millisecond
	// soon is how many calls later a fault ends that ends by itself.
	soon = 4
	// patience bounds a call of this package's own.
	patience = 30 * time.Second
	// mostNotes bounds the log.
	mostNotes = 1000
)

// Store is a Store with faults. It has all the optional powers of the one that it
// wraps, and is a Fencer and a Lister too: without the inner power, Fence
// answers an error, and List has the watches list everything anew; its Level is
// that of the inner store. Use New. It is safe for concurrent use.
type Store struct {
	inner  ownergraph.Store
	fencer ownergraph.Fencer // or nil
	lister ownergraph.Lister // or nil
	conf   Config

	mu      sync.Mutex // guards what follows, and every stream
	seen    [faults]int
	fired   [faults]int
	notes   []string
	calm    bool
	calmed  chan struct{} // closed by Calm
	down    map[ownergraph.Kind]Fault
	past    past
	errands []*errand // in the order in which they were put
	running int       // errands under way
	rested  *sync.Cond
	calls   int
	streams map[*stream]struct{}
}

// New returns a store that has the faults of the plan. An error wraps ErrInvalid
// and names the field of c.
func New(store ownergraph.Store, c Config) (*Store, error) {
	if store == nil {
		return nil, fmt.Errorf("new store with faults: store: nil: %w", ownergraph.ErrInvalid)
	}
	if err := c.Plan.check(); err != nil {
		return nil, fmt.Errorf("new store with faults: Plan: %w", err)
	}
	if c.Lag < 0 {
		return nil, fmt.Errorf("new store with faults: Lag: negative: %w", ownergraph.ErrInvalid)
	}
	c.Lag = cmp.Or(c.Lag, defaultLag)
	s := &Store{
		inner: store, conf: c, calmed: make(chan struct{}), down: map[ownergraph.Kind]Fault{},
		streams: map[*stream]struct{}{},
	}
	s.rested = sync.NewCond(&s.mu)
	s.fencer, _ = ownergraph.As[ownergraph.Fencer](store)
	s.lister, _ = ownergraph.As[ownergraph.Lister](store)
	return s, nil
}

// Unwrap returns the inner store, for ownergraph.As.
func (s *Store) Unwrap() ownergraph.Store { return s.inner }

// Level returns the inner store's level, lest Fence make more of it.
func (s *Store) Level() ownergraph.Level { return ownergraph.LevelOf(s.inner) }

// Get is the inner store's, with faults.
func (s *Store) Get(ctx context.Context, key ownergraph.Key) (o ownergraph.Object, err error) {
	c := call{site: atGet, verb: "get", key: key}
	f, err := s.do(ctx, c, func(ctx context.Context) (err error) {
		o, err = s.inner.Get(ctx, key)
		return err
	})
	if f == Stale || f == Absent {
		return s.lie(f, c, o, err)
	}
	if err != nil {
		return ownergraph.Object{}, err
	}
	s.remember(o)
	return o, nil
}

// Patch is the inner store's, with faults.
func (s *Store) Patch(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, change ownergraph.Change) error {
	change = cloned(change) // it may be made when the caller has gone on
	_, err := s.do(ctx, call{site: atWrite, verb: "patch", key: key}, func(ctx context.Context) error {
		return s.inner.Patch(ctx, key, pre, change)
	})
	return err
}

// Delete is the inner store's, with faults.
func (s *Store) Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	if opts.GraceSeconds != nil {
		grace := *opts.GraceSeconds
		opts.GraceSeconds = &grace
	}
	_, err := s.do(ctx, call{site: atWrite, verb: "delete", key: key}, func(ctx context.Context) error {
		return s.inner.Delete(ctx, key, opts)
	})
	return err
}

// Fence is the inner store's, with faults. An error that wraps ErrRefused says
// that it has none.
func (s *Store) Fence(ctx context.Context, id uint64) error {
	_, err := s.do(ctx, call{site: atControl, verb: "fence"}, func(ctx context.Context) error {
		if s.fencer == nil {
			return fmt.Errorf("fence: the inner store is no Fencer: %w", ownergraph.ErrRefused)
		}
		s.expect(id)
		return s.fencer.Fence(ctx, id)
	})
	return err
}

// List is the inner store's, with faults. Without one, the watches list
// everything anew.
func (s *Store) List(ctx context.Context, kind ownergraph.Kind) error {
	c := call{site: atControl, verb: "list", key: ownergraph.Key{Kind: kind}}
	_, err := s.do(ctx, c, func(ctx context.Context) error {
		if s.lister == nil {
			s.relistAll()
			return nil
		}
		return s.lister.List(ctx, kind)
	})
	return err
}

// Calm ends all faults, for good: what was held back comes, kinds are served
// and well, late writes are made, and from now on this is the inner store. It
// returns when that is done. It must not be called from a hook.
func (s *Store) Calm() {
	s.mu.Lock()
	if !s.calm {
		s.calm = true
		close(s.calmed)
	}
	for st := range s.streams {
		st.release()
	}
	due := s.collect(true)
	s.mu.Unlock()
	for _, e := range due {
		e.run()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.running > 0 || len(s.errands) > 0 {
		s.rested.Wait()
	}
}

// Fired returns how often the fault happened.
func (s *Store) Fired(f Fault) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f >= faults {
		return 0
	}
	return s.fired[f]
}

// Notes returns what happened, one line for each fault, in order; the first
// 1,000. The caller owns them.
func (s *Store) Notes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.notes...)
}

// note counts a fault that happens. The lock is held.
func (s *Store) note(f Fault, what string) {
	s.fired[f]++
	if len(s.notes) < mostNotes {
		s.notes = append(s.notes, f.String()+": "+what)
	}
}

// draw counts one occasion of every fault of the site, and returns the first
// that is hit and can happen. The lock is held.
func (s *Store) draw(at site) (hit Fault) {
	if s.calm {
		return Unset
	}
	for f := Unset + 1; f < faults; f++ {
		if f.sites()&at == 0 || !s.able(f) {
			continue
		}
		s.seen[f]++
		for _, r := range s.conf.Plan.Rules {
			if hit == Unset && r.Fault == f && r.hits(s.conf.Plan.Seed, s.seen[f]) {
				hit = f
			}
		}
	}
	return hit
}

// able reports whether the fault has the hook that it needs.
func (s *Store) able(f Fault) bool {
	switch f {
	case CrashBefore, CrashAmid, CrashAfter:
		return s.conf.Crash != nil
	case Rewind:
		return s.conf.Rewind != nil
	case Jump:
		return s.conf.Jump != nil
	}
	return true
}
