package group

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/logline"
	"github.com/ownergraph/ownergraph/share"
)

// endTime bounds the time that Run takes after the end of its context.
const endTime = 2 * leaveTime

// Membership makes a collector a member of a group while it can work. Use New. It is safe for
// concurrent use.
type Membership struct {
	collector   *ownergraph.Collector
	coordinator Coordinator
	self        Member
	lease       time.Duration
	// setShare is that of the collector. Tests record it.
	setShare func(share.Set, time.Time) error

	log   *slog.Logger
	waits *logline.Log // bounds the lines about waits, because causes may take turns

	// The goroutine of Run has these.
	logged note
	cancel context.CancelFunc // of the call under way

	result       chan result // of the call under way
	mu           sync.Mutex  // guards the fields below
	machine      machine
	begun, ended bool
}

// New returns the membership of a collector, which makes no call of the coordinator before Run.
// From now on the group decides the set of the collector, and Config.Share no longer counts. New
// sets the set to None. Without a Run the collector therefore writes nothing. A collector has one
// Membership at a time.
//
// An error wraps graph.ErrInvalid, and names the argument or the field. It wraps ErrRefused of
// package graph for a collector that only observes, ownergraph.ErrClosed for one that has ended, and
// ownergraph.ErrBroken for a broken one.
//
//test:by TestNewErrors TestNewSetsNone TestDefaultName
func New(c *ownergraph.Collector, coordinator Coordinator, cfg Config) (*Membership, error) {
	if c == nil {
		return nil, fmt.Errorf("configure membership: collector: nil: %w", graph.ErrInvalid)
	}
	if v := reflect.ValueOf(coordinator); coordinator == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, fmt.Errorf("configure membership: coordinator: nil: %w", graph.ErrInvalid)
	}
	cfg, err := cfg.filled()
	if err != nil {
		return nil, err
	}
	if err := c.SetShare(share.None(), time.Time{}); err != nil {
		return nil, fmt.Errorf("configure membership: collector: %w", err)
	}
	self := Member{Name: cfg.Name, Instance: randomHex(16)}
	return &Membership{
		collector: c, coordinator: coordinator, self: self, lease: cfg.Lease, setShare: c.SetShare,
		log: cfg.Logger.With("member", self.Name), waits: logline.New(cfg.Logger.With("member", self.Name)),
		logged: note{set: share.None()}, result: make(chan result, 1), cancel: func() {}, machine: newMachine(self, cfg.Lease, cfg.Renew),
	}, nil
}

// Run keeps the lease and sets the share of the collector, until ctx or the collector ends. It
// may begin before or after the Run of the collector, on a goroutine of its own. It runs once:
// ownergraph.ErrRunning while it runs already, ownergraph.ErrClosed after it has ended. A nil
// context is graph.ErrInvalid.
//
// At the end Run sets the share to None, ends the lease, and returns nil. It takes at most 6 s for
// that. If the coordinator does not return within that time, Run leaves its call behind. The
// error then wraps ownergraph.ErrStuck. The lease ends by itself if the call to end it fails.
//
// A panic of the coordinator is an error of that call.
//
//test:by TestRunJoinsWhenSynced TestTwoMembers TestCoordinatorFails TestLostRenewalCostsNothing
//test:by TestPauseGivesUp TestWatchDown TestSickKinds TestUnknownRecord TestTaken TestRunLeaves
//test:by TestCollectorEndsFirst TestBrokenCollector TestRunsOnce TestStuckCoordinator TestCoordinatorPanics
//test:by TestMachine TestMachineRandom
func (m *Membership) Run(ctx context.Context) error {
	if ctx == nil {
		return fmt.Errorf("run member %q: context: nil: %w", m.self.Name, graph.ErrInvalid)
	}
	if err := m.begin(); err != nil {
		return fmt.Errorf("run member %q: %w", m.self.Name, err)
	}
	defer m.setEnded()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		o := m.step(m.look())
		err := m.setShare(o.set, o.until)
		m.report()
		m.carryOut(ctx, o)
		if err != nil { // the collector has ended
			break
		}
		timer.Reset(time.Until(o.at))
		select {
		case <-ctx.Done():
		case r := <-m.result:
			m.take(r)
		case <-timer.C:
		}
	}
	return m.end(ctx)
}

func (m *Membership) begin() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.ended:
		return ownergraph.ErrClosed
	case m.begun:
		return ownergraph.ErrRunning
	}
	m.begun = true
	return nil
}

// step takes a look at the collector, and returns the next request of the machine.
func (m *Membership) step(s sighting) order {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	m.machine.see(now, s)
	return m.machine.next(now)
}

// end gives the share up and ends the lease.
func (m *Membership) end(ctx context.Context) error {
	m.mu.Lock()
	m.machine.stop(time.Now())
	m.mu.Unlock()
	_ = m.setShare(share.None(), time.Time{}) // a collector that has ended writes nothing anyway
	m.report()
	limit := time.NewTimer(endTime)
	defer limit.Stop()
	for {
		o := m.step(sighting{})
		if m.isOver() {
			return nil
		}
		m.carryOut(ctx, o)
		select {
		case r := <-m.result:
			m.take(r)
		case <-limit.C:
			m.cancel()
			return fmt.Errorf("run member %q: coordinator: %w", m.self.Name, ownergraph.ErrStuck)
		}
	}
}

// isOver reports whether nothing is left to do.
func (m *Membership) isOver() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.machine.isOver()
}

func (m *Membership) setEnded() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = true
}

// Status describes the member and its group. It makes no request.
//
//test:by TestStatus TestRunJoinsWhenSynced
func (m *Membership) Status() Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.machine.status(time.Now())
}
