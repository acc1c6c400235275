package fault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
)

var (
	// ErrNoAnswer is what a call answers whose outcome nobody can tell.
	ErrNoAnswer = errors.New("no answer in time")
	// ErrBusy is what a call answers that failed for now; nothing was done.
	ErrBusy = errors.New("store is busy")
	// ErrSick is what a call answers of a kind that is out of reach for now.
	ErrSick = errors.New("kind out of reach")
	// ErrBroken ends a watch.
	ErrBroken = errors.New("connection lost")
)

// busy is ErrBusy with a time to come back.
type busy struct{ after time.Duration }

func (b busy) Error() string             { return ErrBusy.Error() }
func (b busy) Is(target error) bool      { return target == ErrBusy }
func (b busy) RetryAfter() time.Duration { return b.after }

// call is one call of the store.
type call struct {
	site site
	verb string
	key  ownergraph.Key
}

// String returns the call as notes and errors name it: "patch pod/s/a".
func (c call) String() string {
	if c.key == (ownergraph.Key{}) {
		return c.verb
	}
	if c.key.Name == "" {
		return c.verb + " " + string(c.key.Kind)
	}
	return c.verb + " " + strings.TrimSuffix(c.key.Place().String(), `@""`)
}

// do makes a call, or has it go wrong. Faults that only change what a read
// answers are returned.
func (s *Store) do(ctx context.Context, c call, carry func(context.Context) error) (Fault, error) {
	f := s.meet(c)
	if err := s.reach(c); err != nil {
		return f, err
	}
	switch f {
	case Conflict:
		return f, fmt.Errorf("%s: another writer was faster: %w", c, ownergraph.ErrConflict)
	case Refuse:
		return f, fmt.Errorf("%s: not now: %w", c, ownergraph.ErrRefused)
	case Transient:
		return f, fmt.Errorf("%s: %w", c, s.transient())
	case LostCall:
		return f, fmt.Errorf("%s: %w", c, ErrNoAnswer)
	case LostReply:
		_ = carry(ctx)
		return f, fmt.Errorf("%s: %w", c, ErrNoAnswer)
	case Late:
		s.later(c, carry)
		return f, fmt.Errorf("%s: %w", c, ErrNoAnswer)
	case Hang:
		return f, s.hang(ctx, c)
	case CrashBefore, CrashAmid, CrashAfter:
		return f, s.crash(ctx, f, c, carry)
	case Rewind:
		if err := s.conf.Rewind(ctx); err != nil {
			return f, fmt.Errorf("%s: rewind before it: %w", c, err)
		}
	case Jump:
		s.conf.Jump()
	}
	return f, carry(ctx)
}

// meet has the call meet its fault, and whatever is due with it.
func (s *Store) meet(c call) Fault {
	s.mu.Lock()
	if c.site != atWatch {
		s.calls++
	}
	due := s.collect(false)
	f := s.draw(c.site)
	if f != Unset && f != Stale && f != Absent {
		s.note(f, c.String())
	}
	if f == Sick || f == Vanish {
		s.takeDown(c.key.Kind, f)
	}
	s.mu.Unlock()
	for _, e := range due {
		e.run()
	}
	return f
}

// reach returns why the call's kind cannot be reached.
func (s *Store) reach(c call) error {
	s.mu.Lock()
	f := s.down[c.key.Kind]
	s.mu.Unlock()
	switch {
	case f == Vanish:
		return fmt.Errorf("%s: %w", c, ownergraph.ErrKindUnknown)
	case f == Sick && c.site != atControl:
		return fmt.Errorf("%s: %w", c, ErrSick)
	}
	return nil
}

func (s *Store) transient() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fired[Transient]%2 == 0 {
		return busy{s.conf.Lag}
	}
	return ErrBusy
}

func (s *Store) hang(ctx context.Context, c call) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.calmed:
		return fmt.Errorf("%s: %w", c, ErrNoAnswer)
	}
}

// crash ends the caller around a call.
func (s *Store) crash(ctx context.Context, f Fault, c call, carry func(context.Context) error) error {
	switch {
	case f == CrashAmid && c.site == atWrite:
		s.later(c, carry)
	case f != CrashBefore:
		_ = carry(ctx)
	}
	s.conf.Crash()
	return fmt.Errorf("%s: %w", c, ErrNoAnswer)
}

// later makes a write when its caller has given up.
func (s *Store) later(c call, carry func(context.Context) error) {
	s.after(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if s.reach(c) == nil { // nobody waits for an error
			_ = carry(ctx)
		}
	})
}

func cloned(c ownergraph.Change) ownergraph.Change {
	c.DropOwners, c.Unblock = slices.Clone(c.DropOwners), slices.Clone(c.Unblock)
	if c.AddOwner != nil {
		owner := *c.AddOwner
		c.AddOwner = &owner
	}
	return c
}

// errand is something that happens a little later: after some calls, or when
// its time is over.
type errand struct {
	s     *Store
	due   int // calls
	timer *time.Timer
	do    func()
}

// after has something happen a little later, or at once if all is calm.
func (s *Store) after(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(do)
}

// put is after with the lock held. do runs without it.
func (s *Store) put(do func()) {
	e := &errand{s: s, due: s.calls + soon, do: do}
	s.errands = append(s.errands, e)
	wait := s.conf.Lag
	if s.calm {
		wait = 0
	}
	e.timer = time.AfterFunc(wait, e.expire)
}

// expire runs the errand, if nobody has.
func (e *errand) expire() {
	s := e.s
	s.mu.Lock()
	i := slices.Index(s.errands, e)
	if i >= 0 {
		s.errands = slices.Delete(s.errands, i, i+1)
		s.running++
	}
	s.mu.Unlock()
	if i >= 0 {
		e.run()
	}
}

// run carries out an errand that was taken out.
func (e *errand) run() {
	e.timer.Stop()
	e.do()
	e.s.mu.Lock()
	defer e.s.mu.Unlock()
	e.s.running--
	e.s.rested.Broadcast()
}

// collect takes out the errands that are due, or all. The lock is held.
func (s *Store) collect(all bool) (due []*errand) {
	s.errands = slices.DeleteFunc(s.errands, func(e *errand) bool {
		ready := all || e.due <= s.calls
		if ready {
			due = append(due, e)
			s.running++
		}
		return ready
	})
	return due
}
