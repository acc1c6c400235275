package sqlstore

import (
	"errors"
	"fmt"
)

// errShared says that a prepared statement of the driver is not the one of this connection.
var errShared = errors.New("a pooler shares the sessions, as pgbouncer does with pool_mode=transaction, and the driver keeps prepared statements: set default_query_exec_mode=exec in the DSN of pgx")

// nameShared names the cause of an error about a prepared statement. The statement was not run.
//
//test:by TestBouncer
func nameShared(err error) error {
	if err == nil {
		return nil
	}
	var postgres interface{ SQLState() string }
	if !errors.As(err, &postgres) || errors.Is(err, errShared) {
		return err
	}
	switch postgres.SQLState() {
	case "42P05", "26000": // it is there already, and it is not there
		return &notDone{cause: fmt.Errorf("%w: %w", errShared, err), after: later}
	}
	return err
}
