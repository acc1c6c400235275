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
	// ErrNoAnswer is the error of a call whose outcome is unknown.
	ErrNoAnswer = errors.New("no answer in time")
	// ErrBusy is the error of a call that fails for now. The store has done
	// nothing.
	ErrBusy = errors.New("store is busy")
	// ErrSick is the error of a call for a kind that is out of reach for now.
	ErrSick = errors.New("kind out of reach")
	// ErrBroken is the error that ends a watch.
	ErrBroken = errors.New("connection lost")
)

// busy is ErrBusy with a time after which to try again.
type busy struct{ after time.Duration }

func (b busy) Error() string             { return ErrBusy.Error() }
func (b busy) Is(target error) bool      { return target == ErrBusy }
func (b busy) RetryAfter() time.Duration { return b.after }

// call is one call of the store.
type call struct {
	site site
	verb string
	key  ownergraph.Key
	// amid makes a part of a batch now, and the rest later.
	amid func(context.Context)
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

// do makes a call, or lets it fail. It returns the faults that change only the
// result of a read.
func (s *Store) do(ctx context.Context, c call, perform func(context.Context) error) (Fault, error) {
	f := s.startCall(c)
	if err := s.checkReach(c); err != nil {
		return f, err
	}
	switch f {
	case Conflict:
		return f, conflict(c)
	case Refuse:
		return f, refusal(c)
	case Transient:
		return f, fmt.Errorf("%s: %w", c, s.transient())
	case LostCall:
		return f, noAnswer(c)
	case LostReply:
		_ = perform(ctx)
		return f, noAnswer(c)
	case Late:
		s.later(c, perform)
		return f, noAnswer(c)
	case Hang:
		return f, s.hang(ctx, c)
	case CrashBefore, CrashAmid, CrashAfter:
		return f, s.crash(ctx, f, c, perform)
	case Rewind:
		if err := s.conf.Rewind(ctx); err != nil {
			return f, fmt.Errorf("%s: rewind before it: %w", c, err)
		}
	case Jump:
		s.conf.Jump()
	}
	return f, perform(ctx)
}

func conflict(c call) error {
	return fmt.Errorf("%s: another writer was faster: %w", c, ownergraph.ErrConflict)
}

func refusal(c call) error  { return fmt.Errorf("%s: not now: %w", c, ownergraph.ErrRefused) }
func noAnswer(c call) error { return fmt.Errorf("%s: %w", c, ErrNoAnswer) }

// startCall counts the call, draws its fault and runs the tasks that are due.
func (s *Store) startCall(c call) Fault {
	s.mu.Lock()
	if c.site != atWatch {
		s.calls++
	}
	due := s.takeDue(false)
	f := s.drawFor(c)
	s.mu.Unlock()
	for _, t := range due {
		t.run()
	}
	return f
}

// startItem draws the fault of one write of a batch. The batch as a whole is the call.
func (s *Store) startItem(c call) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.drawFor(c)
}

// drawFor draws the fault of a call, and takes its kind out of service. The caller has the lock.
func (s *Store) drawFor(c call) Fault {
	f := s.draw(c.site)
	if f != Unset && f != Stale && f != Absent {
		s.note(f, c.String())
	}
	if f == Sick || f == Vanish {
		s.takeDown(c.key.Kind, f)
	}
	return f
}

// checkReach returns the reason why the call's kind is out of reach.
func (s *Store) checkReach(c call) error {
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
		return noAnswer(c)
	}
}

// crash ends the caller before, during or after a call.
func (s *Store) crash(ctx context.Context, f Fault, c call, perform func(context.Context) error) error {
	switch {
	case f == CrashAmid && (c.site == atWrite || c.site == atRecordWrite):
		s.later(c, perform)
	case f == CrashAmid && c.site == atBatch:
		c.amid(ctx)
	case f != CrashBefore:
		_ = perform(ctx)
	}
	s.conf.Crash()
	return noAnswer(c)
}

// later makes a write after its caller has given up.
func (s *Store) later(c call, perform func(context.Context) error) {
	s.after(func() {
		ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
		defer cancel()
		if s.checkReach(c) == nil { // the caller has an error already
			_ = perform(ctx)
		}
	})
}

func cloned(c ownergraph.Change) ownergraph.Change {
	c.DropOwners, c.Relink, c.Unblock = slices.Clone(c.DropOwners), slices.Clone(c.Relink), slices.Clone(c.Unblock)
	if c.AddOwner != nil {
		owner := *c.AddOwner
		c.AddOwner = &owner
	}
	return c
}
