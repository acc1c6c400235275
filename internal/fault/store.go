package fault

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph"
)

// Config has the settings of a Store. The Store reads them only at construction.
// A fault whose hook is nil does not happen. Compact is the exception: the watch lists
// every kind again also without a hook. A hook runs on the goroutine of the call that
// has the fault. Several hooks may run at once.
type Config struct {
	// Plan lists the faults. The zero Plan has none.
	Plan Plan
	// Lag is the longest time until a temporary fault ends: a delay, a gap, a kind
	// out of service, a late write. 0: 100 ms.
	Lag time.Duration
	// Crash ends the user of the store. It must not wait for the user, whose call
	// is in progress.
	Crash func()
	// Rewind takes the store's history back.
	Rewind func(ctx context.Context) error
	// Compact makes the store forget its log.
	Compact func(ctx context.Context) error
	// Jump moves the clock.
	Jump func()
}

const (
	defaultLag = 100 * time.Millisecond
	// callsUntilDue is the number of calls after which a temporary fault ends.
	callsUntilDue = 4
	// callTimeout bounds a call that this package makes by itself.
	callTimeout = 30 * time.Second
	// maxNotes bounds the log.
	maxNotes = 1000
)

// Store is a Store with faults. It has all optional powers of the inner store, and
// it is a Fencer and a Lister. If the inner store has no fence, Fence returns an
// error. If the inner store has no Lister, List makes the watches list every kind
// again. If the inner store is no Batcher, MaxBatch is 0, so the store takes no batches.
// Its Level and its KeepsGrace are those of the inner store. Use New. It is safe for concurrent use.
type Store struct {
	inner  ownergraph.Store
	shown  ownergraph.Store  // inner, or its records with faults around it
	fencer ownergraph.Fencer // or nil
	lister ownergraph.Lister // or nil
	// batcher is the inner store itself, or nil: see ownergraph.As.
	batcher ownergraph.Batcher
	conf    Config

	mu        sync.Mutex // guards the following fields, and every stream
	occasions [faults]int
	fired     [faults]int
	notes     []string
	calm      bool
	calmed    chan struct{} // closed by Calm
	down      map[ownergraph.Kind]Fault
	past      past
	tasks     []*task // in the order of schedule
	running   int     // tasks in progress
	idle      *sync.Cond
	calls     int
	streams   map[*stream]struct{}
	batches   uint64 // that the sinks of all watches took
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
		inner: store, shown: store, conf: c, calmed: make(chan struct{}), down: map[ownergraph.Kind]Fault{},
		streams: map[*stream]struct{}{},
	}
	s.idle = sync.NewCond(&s.mu)
	s.fencer, _ = ownergraph.As[ownergraph.Fencer](store)
	s.lister, _ = ownergraph.As[ownergraph.Lister](store)
	s.batcher, _ = ownergraph.As[ownergraph.Batcher](store)
	if of, ok := ownergraph.As[ownergraph.Records](store); ok {
		s.shown = &records{store, s, of}
	}
	return s, nil
}

// Unwrap returns the inner store, for ownergraph.As. The records of that store have faults.
func (s *Store) Unwrap() ownergraph.Store { return s.shown }

// Level returns the inner store's level. The method Fence alone would raise it.
func (s *Store) Level() ownergraph.Level { return ownergraph.LevelOf(s.inner) }

// KeepsGrace is the inner store's. It is false for a store that is no ownergraph.Gracer.
//
//test:by TestKeepsGrace
func (s *Store) KeepsGrace() bool {
	g, ok := ownergraph.As[ownergraph.Gracer](s.inner)
	return ok && g.KeepsGrace()
}

// Get is the inner store's, with faults.
func (s *Store) Get(ctx context.Context, key ownergraph.Key) (o ownergraph.Object, err error) {
	c := call{site: atGet, verb: "get", key: key}
	f, err := s.do(ctx, c, func(ctx context.Context) (err error) {
		o, err = s.inner.Get(ctx, key)
		return err
	})
	if f == Stale || f == Absent {
		return s.answerWrongly(f, c, o, err)
	}
	if err != nil {
		return ownergraph.Object{}, err
	}
	s.remember(o)
	return o, nil
}

// Patch is the inner store's, with faults.
func (s *Store) Patch(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, change ownergraph.Change) error {
	change = cloned(change) // the call may run after the caller has gone on
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

// Fence is the inner store's, with faults. If the inner store is no Fencer, the
// error wraps ErrRefused.
func (s *Store) Fence(ctx context.Context) (token uint64, err error) {
	var got uint64 // a call that runs after the caller has gone on writes it, too
	_, err = s.do(ctx, call{site: atControl, verb: "fence"}, func(ctx context.Context) (err error) {
		if s.fencer == nil {
			return fmt.Errorf("fence: the inner store is no Fencer: %w", ownergraph.ErrRefused)
		}
		begun := s.noteFence()
		got, err = s.fencer.Fence(ctx)
		s.nameFence(begun, got, err)
		return err
	})
	if err != nil {
		return 0, err
	}
	return got, nil
}

// List is the inner store's, with faults. If the inner store is no Lister, the
// watches list every kind again.
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

// Calm ends all faults for good. The watches report the delayed events, all kinds
// are served and well, and the late writes are made. From then on the store behaves
// as the inner store. Calm returns when that is done. A hook must not call it.
func (s *Store) Calm() {
	s.mu.Lock()
	if !s.calm {
		s.calm = true
		close(s.calmed)
	}
	for st := range s.streams {
		st.release()
	}
	due := s.takeDue(true)
	s.mu.Unlock()
	for _, t := range due {
		t.run()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.running > 0 || len(s.tasks) > 0 {
		s.idle.Wait()
	}
}

// Fired returns the number of times that the fault happened.
func (s *Store) Fired(f Fault) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f >= faults {
		return 0
	}
	return s.fired[f]
}

// Notes returns one line for each fault that happened, in order. It returns at most
// 1,000 lines. The caller owns them.
func (s *Store) Notes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.notes...)
}

// note counts a fault that happens. The caller has the lock.
func (s *Store) note(f Fault, what string) {
	s.fired[f]++
	if len(s.notes) < maxNotes {
		s.notes = append(s.notes, f.String()+": "+what)
	}
}

// draw counts one occasion of every fault of the site. It returns the first fault
// that is hit and can happen. The caller has the lock.
func (s *Store) draw(at site) (hit Fault) {
	if s.calm {
		return Unset
	}
	for f := Unset + 1; f < faults; f++ {
		if f.sites()&at == 0 || !s.able(f) {
			continue
		}
		s.occasions[f]++
		for _, r := range s.conf.Plan.Rules {
			if hit == Unset && r.Fault == f && r.hits(s.conf.Plan.Seed, s.occasions[f]) {
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
