package group_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
	"github.com/ownergraph/ownergraph/share"
)

// leases is a coordinator in memory of which a test can bend each call.
type leases struct {
	mu sync.Mutex
	// renew and leave, if set, come before a call. An error is the result.
	renew, leave func(ctx context.Context) error

	held  map[string]heldLease
	calls []string
	lost  string // the member whose renewals take effect and have no answer
}

// lose makes the answers to the renewals of one member get lost, and of no other one.
func (l *leases) lose(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost = name
}

type heldLease struct {
	instance       string
	renewed, until time.Time
}

func (l *leases) begin(ctx context.Context, name string, of *func(context.Context) error) error {
	l.mu.Lock()
	l.calls = append(l.calls, name)
	before := *of
	l.mu.Unlock()
	if before != nil {
		return before(ctx)
	}
	return nil
}

func (l *leases) Renew(ctx context.Context, self group.Member, lease time.Duration) ([]group.Member, error) {
	if err := l.begin(ctx, "renew "+self.Name, &l.renew); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if x, ok := l.held[self.Name]; ok && x.instance != self.Instance && now.Before(x.until) {
		return nil, fmt.Errorf("renew the lease of %q: %w", self.Name, group.ErrTaken)
	}
	if l.held == nil {
		l.held = map[string]heldLease{}
	}
	l.held[self.Name] = heldLease{self.Instance, now, now.Add(lease)}
	if l.lost == self.Name {
		return nil, errTest
	}
	var out []group.Member
	for name, x := range l.held {
		if now.Before(x.until) {
			out = append(out, group.Member{Name: name, Instance: x.instance, Age: now.Sub(x.renewed)})
		}
	}
	slices.SortFunc(out, func(a, b group.Member) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

func (l *leases) Leave(ctx context.Context, self group.Member) error {
	if err := l.begin(ctx, "leave "+self.Name, &l.leave); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[self.Name].instance == self.Instance {
		delete(l.held, self.Name)
	}
	return nil
}

// count returns the number of calls so far with the text.
func (l *leases) count(text string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, call := range l.calls {
		if strings.HasPrefix(call, text) {
			n++
		}
	}
	return n
}

// hold sets the calls that come before those of Renew and Leave.
func (l *leases) hold(renew, leave func(ctx context.Context) error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renew, l.leave = renew, leave
}

var errTest = errors.New("made by the test")

// failing is a call of the coordinator that fails.
func failing(context.Context) error { return errTest }

// hanging is a call of the coordinator that hangs until its context ends.
func hanging(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// tap is a memory store of which a test can bend the watch.
type tap struct {
	*memory.Store

	mu    sync.Mutex
	watch func(ctx context.Context) error // before each watch
	cut   func()                          // ends the watch under way
}

// setWatch sets the call that comes before each watch.
func (s *tap) setWatch(before func(ctx context.Context) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watch = before
}

func (s *tap) Watch(ctx context.Context, sink func([]graph.Event) error) error {
	ctx, cut := context.WithCancel(ctx)
	defer cut()
	s.mu.Lock()
	before := s.watch
	s.cut = cut
	s.mu.Unlock()
	if before != nil {
		if err := before(ctx); err != nil {
			return err
		}
	}
	if err := s.Store.Watch(ctx, sink); err != nil {
		return err
	}
	return errTest
}

func newStore(t *testing.T) *tap {
	t.Helper()
	list, err := graph.Parse("a; b; c -> b")
	if err != nil {
		t.Fatal(err)
	}
	store, err := memory.New(memory.Config{Objects: list})
	if err != nil {
		t.Fatal(err)
	}
	return &tap{Store: store}
}

// rig is a member with its collector.
type rig struct {
	*group.Membership
	t     *testing.T
	store *tap
	c     *ownergraph.Collector
	co    *leases
	stop  func() error // ends Run of the membership, and returns its error
	kill  func() error // ends Run of the collector

	mu    sync.Mutex
	set   share.Set // as the collector has it, to write to until a time
	until time.Time
}

// newRig returns a member that does not run.
func newRig(t *testing.T, store *tap, co *leases, cfg group.Config) *rig {
	t.Helper()
	return newRigOf(t, store, co, cfg, ownergraph.Config{})
}

func newRigOf(t *testing.T, store *tap, co *leases, cfg group.Config, engine ownergraph.Config) *rig {
	t.Helper()
	c, err := ownergraph.New(store, engine)
	if err != nil {
		t.Fatal(err)
	}
	m, err := group.New(c, co, cfg)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{Membership: m, t: t, store: store, c: c, co: co, set: share.None()}
	m.SetSetter(func(set share.Set, until time.Time) error {
		r.mu.Lock()
		r.set, r.until = set, until
		r.mu.Unlock()
		return c.SetShare(set, until)
	})
	return r
}

// runs runs something until the test ends, and returns the function that ends it.
func runs(t *testing.T, run func(context.Context) error) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	result := make(chan error, 1)
	go func() { result <- run(ctx) }()
	stop = sync.OnceValue(func() error { cancel(); return <-result })
	t.Cleanup(func() { _ = stop() })
	return stop
}

// start runs the collector until it rests, and then the membership, too.
func (r *rig) start() *rig {
	r.kill = runs(r.t, r.c.Run)
	synctest.Wait()
	r.stop = runs(r.t, r.Run)
	return r
}

// writes returns the set that the collector writes to now.
func (r *rig) writes() share.Set {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.until.IsZero() && !time.Now().Before(r.until) {
		return share.None()
	}
	return r.set
}

// expect waits for a time of the bubble, and checks the state and the set then.
func (r *rig) expect(after time.Duration, state group.State, set share.Set, reason string) {
	r.t.Helper()
	<-time.After(after)
	synctest.Wait()
	if s, w := r.Status(), r.writes(); s.State != state || s.Share != set || w != set {
		r.t.Errorf("%s: %v; it writes to %v, want state %v and %v", reason, s, w, state, set)
	}
}
