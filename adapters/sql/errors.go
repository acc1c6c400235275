package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// errRaced says that another write came between a read and the write that rests on it.
var errRaced = errors.New("another write came first")

// errIgnored says that a trigger of the user has ignored a write. The database reports no
// error then.
var errIgnored = errors.New("a trigger ignores the write")

// errReadOnly says that Postgres takes no writes in a transaction.
var errReadOnly = errors.New("the server is a standby, or default_transaction_read_only is on, or the transaction began as a read-only one")

// stateReadOnly is the SQLSTATE of a write in a read-only transaction.
const stateReadOnly = "25006"

// notDone is the error of a call that the database has aborted. The call has done nothing. Late
// says that it exceeded a limit of time. It is context.DeadlineExceeded then, so that the
// Collector makes smaller batches.
type notDone struct {
	cause error
	after time.Duration
	late  bool
}

func (e *notDone) Error() string             { return "nothing is done: " + e.cause.Error() }
func (e *notDone) Unwrap() error             { return e.cause }
func (e *notDone) RetryAfter() time.Duration { return e.after }
func (e *notDone) Is(target error) bool      { return e.late && target == context.DeadlineExceeded }

// answer is the meaning of an error for a write.
type answer uint8

const (
	answerUnset   answer = iota // no answer of the server: the outcome is unknown
	answerRetry                 // aborted for another transaction
	answerLater                 // not possible for now
	answerLate                  // broken off by a limit of time: a smaller call may pass
	answerRefused               // a constraint, a trigger or a right forbids it
)

// answerOf reads an error of a driver. It knows the SQLSTATE of Postgres and the result
// codes of SQLite. An error without them is no answer of the server.
//
//test:by TestAnswers TestLostCommit TestDriverErrors
func answerOf(err error) answer {
	var postgres interface{ SQLState() string }
	switch {
	case err == nil:
		return answerUnset
	case errors.Is(err, errRaced):
		return answerRetry
	case errors.Is(err, errIgnored):
		return answerRefused
	case errors.As(err, &postgres):
		return answerOfState(postgres.SQLState())
	}
	if code, ok := codeOf(err); ok {
		return answerOfCode(code)
	}
	return answerUnset
}

// answerOfState leaves out 40003 (completion unknown), the classes 08 and 58, and the
// shutdowns of class 57. They may come after a commit.
func answerOfState(state string) answer {
	if len(state) != 5 || state == "40003" {
		return answerUnset
	}
	switch state {
	case "40001", "40P01":
		return answerRetry
	case stateReadOnly:
		return answerLater
	case "25P03", "25P04", "55P03", "57014": // idle_in_transaction_session_timeout, transaction_timeout, lock_timeout, statement_timeout
		return answerLate
	}
	switch state[:2] {
	case "53":
		return answerLater
	case "21", "22", "23", "27", "38", "39", "42", "44", "54", "P0":
		return answerRefused
	}
	return answerUnset
}

// The primary result codes of SQLite.
const (
	codeError, codeBusy, codeLocked, codeReadOnly, codeFull, codeTooBig, codeConstraint = 1, 5, 6, 8, 13, 18, 19
)

func answerOfCode(code int) answer {
	switch code & 0xff {
	case codeBusy, codeLocked:
		return answerRetry
	case codeReadOnly, codeFull:
		return answerLater
	case codeConstraint, codeTooBig:
		return answerRefused
	}
	return answerUnset
}

// errCommit is an error of COMMIT.
type errCommit struct{ cause error }

func (e *errCommit) Error() string { return "commit: " + e.cause.Error() }
func (e *errCommit) Unwrap() error { return e.cause }

// isUnknown reports whether a commit with this error may have happened. SQLite may have
// written a part of the commit when the disk is full.
func (e *errCommit) isUnknown() bool {
	switch answerOf(e.cause) {
	case answerRetry, answerRefused, answerLate:
		return false
	case answerLater:
		_, sqlite := codeOf(e.cause)
		return sqlite
	}
	return true
}

// later is the pause after a call that the database could not carry out for now.
const later = time.Second

// failed gives an error its meaning for the engine, and names the verb and the object.
func (s *Store) failed(verb, object string, err error) error {
	if err == nil {
		return nil
	}
	var commit *errCommit
	var done *notDone
	switch {
	case errors.Is(err, graph.ErrNotFound), errors.Is(err, graph.ErrConflict), errors.Is(err, graph.ErrKindUnknown), errors.Is(err, graph.ErrRefused):
		return err // it has its meaning and its text
	case errors.As(err, &done):
	case errors.As(err, &commit) && commit.isUnknown():
	case isConstraint(err, sizeConstraint):
		return fmt.Errorf("%s %s: archive: payload: more than Archive.MaxBytes (%d): %w: %w", verb, object, s.conf.Archive.Bound(), graph.ErrRefused, err)
	case answerOf(err) == answerRefused:
		return fmt.Errorf("%s %s: %w: %w", verb, object, graph.ErrRefused, err)
	case answerOf(err) == answerLater:
		err = &notDone{cause: nameReadOnly(err), after: later}
	case answerOf(err) == answerLate:
		err = &notDone{cause: err, after: later, late: true}
	}
	return fmt.Errorf("%s %s: %w", verb, object, err)
}

// nameReadOnly says why Postgres may take no writes. A statement with such an error has no stamp
// that would tell.
//
//test:by TestStandbyIsRefused
func nameReadOnly(err error) error {
	var postgres interface{ SQLState() string }
	if errors.As(err, &postgres) && postgres.SQLState() == stateReadOnly {
		return fmt.Errorf("%w: %w", errReadOnly, err)
	}
	return err
}

// readFailed names the verb and the object of a failed read, which has no outcome. A caller
// chooses the time of the next try. Only a standby keeps the RetryAfter: each call there is put
// off, until the pool leads to the primary.
//
//test:by TestStandbyIsRefused
func readFailed(verb, object string, err error) error {
	var later *notDone
	if errors.As(err, &later) && !errors.Is(err, errStandby) {
		err = later.cause
	}
	if errors.Is(err, graph.ErrNotFound) || errors.Is(err, graph.ErrKindUnknown) {
		return err // it has its text
	}
	return fmt.Errorf("%s %s: %w", verb, object, err)
}

const (
	firstPause = time.Millisecond
	maxPause   = 64 * time.Millisecond
)

// retry repeats a call that the database has aborted for another transaction. It ends with
// a notDone after Config.RetryLimit repetitions.
//
//test:by TestRetriesAreBounded
func (s *Store) retry(ctx context.Context, do func() error) error {
	pause := firstPause
	for n := 0; ; n++ {
		err := do()
		var commit *errCommit
		if err == nil || answerOf(err) != answerRetry || errors.As(err, &commit) && commit.isUnknown() {
			return err
		}
		if n >= s.conf.RetryLimit {
			return &notDone{cause: err, after: maxPause}
		}
		if ended := sleep(ctx, pause); ended != nil { // the last repetition is aborted, too
			return &notDone{cause: fmt.Errorf("%w after %w", ended, err), after: maxPause}
		}
		pause = min(2*pause, maxPause)
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// isConstraint reports whether Postgres has refused a write because of a constraint of the store. Drivers have the name
// in the text of the error.
func isConstraint(err error, name string) bool {
	var postgres interface{ SQLState() string }
	return errors.As(err, &postgres) && postgres.SQLState() == "23514" && strings.Contains(err.Error(), `"`+name+`"`)
}
