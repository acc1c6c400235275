package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph"
)

// maxCalls is the bound of the calls under way on SQLite. One write is carried out, and the
// next one is ready.
const maxCalls = 2

const (
	// maxTurns is the time for which the writers of this process have the lock of a SQLite
	// database one after another.
	maxTurns = time.Second
	// breath is the time for which they leave the database free then. SQLite has no queue of the
	// writers: a waiting process looks at the lock again after at most 100 ms (busy_timeout). In
	// the moment between two transactions it hardly ever does.
	breath = 120 * time.Millisecond
)

// turns is the time of the writers of this process since the last breath. The writer that has
// the turn owns it.
type turns struct {
	used  time.Duration
	ended time.Time
}

// MaxCalls returns 2 on SQLite, which has one writer, and no bound on Postgres
// (ownergraph.Limiter).
//
//test:by TestOneWriter
func (s *Store) MaxCalls() int {
	if s.conf.Dialect == SQLite {
		return maxCalls
	}
	return 0
}

var errNoTurn = errors.New("other writers had the database for the whole time of the call")

// takeTurn makes the writers of this process wait for each other on SQLite, without polling. A
// write without a turn has done nothing.
//
//test:by TestNoTurn
func (s *Store) takeTurn(ctx context.Context) (release func(), err error) {
	if s.conf.Dialect != SQLite {
		return func() {}, nil
	}
	select {
	case s.writing <- struct{}{}:
		return s.beginTurn(ctx)
	case <-ctx.Done():
		return nil, noTurn(ctx)
	}
}

// beginTurn begins the turn of a writer that has waited for it, after a breath if one is due.
//
//test:by TestBreath
func (s *Store) beginTurn(ctx context.Context) (release func(), err error) {
	t := &s.turns
	free := time.Since(t.ended)
	if t.used >= maxTurns && free < breath {
		if sleep(ctx, breath-free) != nil {
			<-s.writing
			return nil, noTurn(ctx)
		}
		free = breath
	}
	if free >= breath {
		t.used = 0
	}
	began := time.Now()
	return func() {
		t.ended = time.Now()
		t.used += t.ended.Sub(began)
		<-s.writing
	}, nil
}

// noTurn returns the error of a write that has not begun. For the call of a Collector it is no
// context.DeadlineExceeded: a smaller batch gets its turn no sooner.
func noTurn(ctx context.Context) error {
	cause := ctx.Err()
	if errors.Is(cause, context.DeadlineExceeded) {
		if cause = errNoTurn; !ownergraph.BeginCall(ctx) { // which has no effect after the end
			cause = fmt.Errorf("%w: %w", errNoTurn, ctx.Err())
		}
	}
	return &notDone{cause: cause, after: maxPause}
}

// brokenOff returns the error of a transaction before its COMMIT. The error of the rollback says
// nothing about the write. On SQLite the process itself is the server: if the end of the call has
// broken the transaction off and no transaction is left, nothing is done. The server of Postgres
// may still be at work then, and the error may be the first sign of a server that was restored.
// So it stays unknown there.
//
//test:by TestBrokenOff TestInterrupted TestInterruptedStatement
func (s *Store) brokenOff(ctx context.Context, began bool, err, rollback error) error {
	switch {
	case s.conf.Dialect != SQLite || ctx.Err() == nil || isResult(err) || answerOf(err) != answerUnset || !isOver(rollback):
		return err
	case began:
		return &notDone{cause: fmt.Errorf("%w: %w", context.Cause(ctx), err), after: maxPause}
	}
	return noTurn(ctx)
}

// isOver reports whether no transaction is left after a ROLLBACK with this error. An interrupted
// statement rolls its transaction back by itself. Then ROLLBACK finds none, and says so.
func isOver(rollback error) bool {
	code, ok := codeOf(rollback)
	return rollback == nil || ok && code&0xff == codeError
}
