package clientgo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/ownergraph/ownergraph/graph"
)

// A server that goes down in the middle of a cascade may come back restored from a
// backup. Then the owners are alive again, and so are the UIDs and versions on which
// the deletes rest that had no answer. The sign of it is the silence: writes without
// an answer, and watches that end. After such a sign no write is sent before the
// server has shown, by a consistent list, that its history has not gone backwards.

// rewindPause is how long no write is sent after the watches were told of a rewind:
// calls that were handed out before have come by then, and are refused.
const rewindPause = time.Second

// errUnsent says that a write was not sent, because what it rests on may be of a
// former history.
var errUnsent = errors.New("not sent")

// losses keeps writes back that may rest on a former history (rule R5 of package
// policy). It is safe for concurrent use.
type losses struct {
	mu      sync.Mutex
	signs   uint64                // that the server was lost, counted
	cleared map[graph.Kind]uint64 // up to which sign a kind was compared
	all     uint64                // up to which sign the newest kind was
	probing chan struct{}         // closed when the comparison under way has ended; nil without one
}

func newLosses() *losses { return &losses{cleared: map[graph.Kind]uint64{}} }

// lose notes a sign that the server was lost.
func (l *losses) lose() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.signs++
}

// lost reports whether an error is a sign that the server was lost: no answer, or one
// that does not say whether the write was done.
func lost(err error) bool {
	if err == nil || errors.Is(err, errUnsent) {
		return false
	}
	var status apierrors.APIStatus
	return !errors.As(err, &status) || status.Status().Code >= http.StatusInternalServerError
}

// write sends a write by send, if what it rests on cannot be of a former history. A
// write that is not sent returns a transient error.
func (s *Store) write(ctx context.Context, r resource, send func() error) error {
	epoch, _ := s.history.epoch()
	return s.client.writes.do(ctx, func() error {
		if err := s.allow(ctx, r, epoch); err != nil {
			return err
		}
		err := send()
		if lost(err) {
			s.losses.lose()
		}
		return err
	})
}

// allow returns nil if a write that came in an epoch may be sent.
func (s *Store) allow(ctx context.Context, r resource, epoch uint64) error {
	if err := s.compareHistory(ctx, r); err != nil {
		if cause := ctx.Err(); cause != nil {
			return fmt.Errorf("%w: %w", errUnsent, cause)
		}
		return unsent(err)
	}
	now, why := s.history.epoch()
	told := true
	s.each(func(r *run) { told = told && r.rewindTold(now) })
	if now != epoch || !told {
		return &later{fmt.Errorf("%w: %w: %s", errUnsent, errRewound, why), rewindPause}
	}
	return nil
}

// unsent returns the error of a write that was not sent because of another request's
// error. That one's status is none of the write.
func unsent(cause error) error {
	err := fmt.Errorf("%w: the server was lost, and has not shown its history: %v", errUnsent, cause)
	var l *later
	if errors.Is(cause, errRewound) {
		return &later{err, rewindPause}
	}
	if errors.As(delayed(cause), &l) {
		return &later{err, l.after}
	}
	return err
}

// compareHistory compares the server's history with what was seen of it, once for
// all writes that wait for it, and not at all without a sign since the last time.
func (s *Store) compareHistory(ctx context.Context, r resource) error {
	for {
		clear, wait, p := s.losses.turn(r.kind)
		switch {
		case clear:
			return nil
		case wait == nil:
			err := s.probe(ctx, r, p.all)
			s.losses.compared(r.kind, p, err == nil)
			if err != nil {
				return err
			}
		default:
			select {
			case <-wait:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// comparison is one that is under way.
type comparison struct {
	signs uint64 // that it covers
	all   bool   // the newest kind is compared too
	ended chan struct{}
}

// turn reports whether there is nothing to compare before a write of the kind. If
// there is, it returns what ends the comparison under way, or begins one.
func (l *losses) turn(kind graph.Kind) (clear bool, wait <-chan struct{}, mine comparison) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.all >= l.signs && l.cleared[kind] >= l.signs:
		return true, nil, mine
	case l.probing != nil:
		return false, l.probing, mine
	}
	l.probing = make(chan struct{})
	return false, nil, comparison{l.signs, l.all < l.signs, l.probing}
}

// compared ends a comparison.
func (l *losses) compared(kind graph.Kind, c comparison, sound bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.probing = nil
	close(c.ended)
	if sound {
		l.all, l.cleared[kind] = c.signs, c.signs
	}
}
