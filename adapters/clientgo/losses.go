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

// A server that fails during a cascade may come back restored from a backup. Then the
// owners live again, and the UIDs and versions of unanswered deletes are valid again.
// The signs are writes without an answer and watches that end. After a sign the store
// sends no write until a consistent list shows that the history has not gone backwards.

// rewindPause is the time without writes after the watches reported a rewind. Calls
// that the engine issued before arrive within that time and are refused.
const rewindPause = time.Second

// errUnsent says that a write was not sent, because it may be of a former history.
var errUnsent = errors.New("not sent")

// losses delays writes that may be of a former history (RULES, R5).
// It is safe for concurrent use.
//
//test:by TestLossIsCompared TestLossAndRestore TestLossWithoutComparison
//test:by internal/proof/e2e.TestRestoredMidCascade
type losses struct {
	mu       sync.Mutex
	signs    uint64                // counts signs
	compared map[graph.Kind]uint64 // the sign up to which a kind was compared
	all      uint64                // the sign up to which the newest kind was compared
	probing  chan struct{}         // closed at the end of the running comparison; nil without one
}

func newLosses() *losses { return &losses{compared: map[graph.Kind]uint64{}} }

// addSign records a sign that the server was lost.
func (l *losses) addSign() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.signs++
}

// isLossSign reports whether an error is a sign that the server was lost. Such an error
// does not say whether the write was done.
func isLossSign(err error) bool {
	if err == nil || errors.Is(err, errUnsent) {
		return false
	}
	var status apierrors.APIStatus
	return !errors.As(err, &status) || status.Status().Code >= http.StatusInternalServerError
}

// write sends a write by send, unless the write may be of a former history. For a write
// that is not sent it returns a transient error.
func (s *Store) write(ctx context.Context, r resource, send func() error) error {
	epoch, _ := s.history.epoch()
	return s.writeSince(ctx, r, epoch, send)
}

// writeSince sends a write that began in the epoch.
func (s *Store) writeSince(ctx context.Context, r resource, epoch uint64, send func() error) error {
	return s.client.writes.do(ctx, func() error {
		if err := s.allow(ctx, r, epoch); err != nil {
			return err
		}
		err := send()
		if isLossSign(err) {
			s.losses.addSign()
		}
		return err
	})
}

// allow returns nil if the store may send a write that began in the epoch.
func (s *Store) allow(ctx context.Context, r resource, epoch uint64) error {
	if err := s.compareHistory(ctx, r); err != nil {
		if cause := ctx.Err(); cause != nil {
			return fmt.Errorf("%w: %w", errUnsent, cause)
		}
		return unsent(err)
	}
	now, why := s.history.epoch()
	reported := true
	s.each(func(r *run) { reported = reported && r.rewindReported(now) })
	if now != epoch || !reported {
		return &retryLater{fmt.Errorf("%w: %w: %s", errUnsent, errRewound, why), rewindPause}
	}
	return nil
}

// unsent returns the error of a write that was not sent because of another request's
// error. The status of that error is not a status of the write.
func unsent(cause error) error {
	err := fmt.Errorf("%w: the server was lost, and its history is not compared yet: %v", errUnsent, cause)
	var l *retryLater
	if errors.Is(cause, errRewound) {
		return &retryLater{err, rewindPause}
	}
	if errors.As(withDelay(cause), &l) {
		return &retryLater{err, l.after}
	}
	return err
}

// compareHistory compares the server's versions with the observed versions. One
// comparison serves all waiting writes. Without a new sign it does nothing.
func (s *Store) compareHistory(ctx context.Context, r resource) error {
	for {
		clear, wait, p := s.losses.claim(r.kind)
		switch {
		case clear:
			return nil
		case wait == nil:
			err := s.probe(ctx, r, p.all)
			s.losses.finish(r.kind, p, err == nil)
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

// comparison is a running comparison.
type comparison struct {
	signs uint64 // the signs that it covers
	all   bool   // it compares the newest kind too
	ended chan struct{}
}

// claim reports whether a write of the kind needs no comparison. Otherwise it returns
// the end of the running comparison, or begins one.
func (l *losses) claim(kind graph.Kind) (clear bool, wait <-chan struct{}, mine comparison) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.all >= l.signs && l.compared[kind] >= l.signs:
		return true, nil, mine
	case l.probing != nil:
		return false, l.probing, mine
	}
	l.probing = make(chan struct{})
	return false, nil, comparison{l.signs, l.all < l.signs, l.probing}
}

// finish ends a comparison.
func (l *losses) finish(kind graph.Kind, c comparison, sound bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.probing = nil
	close(c.ended)
	if sound {
		l.all, l.compared[kind] = c.signs, c.signs
	}
}
