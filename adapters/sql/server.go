package sqlstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// errNoAnswer says that a server accepts a connection or a question, and is silent then.
var errNoAnswer = errors.New("the server gives no answer")

// askWithin bounds the time for which a call asks the server. A watch has no deadline, and delays
// the others meanwhile. A server that wakes up needs some seconds.
const askWithin = 30 * time.Second

// errOtherServer says that two connections lead to two servers.
var errOtherServer = errors.New("a pool of two servers, or a restored dump: nothing is written before all connections agree, or before Store.Restored")

// primary is the server that the connections of a store have led to. On SQLite it is the file.
type primary struct {
	fit    atomic.Bool  // it was asked, and accepted
	system atomic.Int64 // its system identifier, 0 if it is unknown
	other  atomic.Int64 // that of another one, which a connection has led to

	asking chan struct{} // taken by the call that asks; the others wait until their own deadlines
}

// check refuses an answer of another server.
func (v *primary) check(system int64) error {
	if system == 0 || v.system.CompareAndSwap(0, system) {
		return nil
	}
	was := v.system.Load()
	if was == system {
		return nil
	}
	v.other.Store(system)
	return fmt.Errorf("system identifier %d, and %d before: %w: %w", system, was, graph.ErrRefused, errOtherServer)
}

// take sets the server. With 0 the next connection names it.
func (v *primary) take(system int64) {
	v.system.Store(system)
	v.other.Store(0)
}

// doubt asks all connections at once, because two of them have not agreed.
func (s *Store) doubt(ctx context.Context) error {
	s.primary.other.Store(-1)
	return s.checkServer(ctx)
}

// ready prepares the store for a call outside of a transaction. It asks the server before the
// first use, and again when a connection has led to another one.
func (s *Store) ready(ctx context.Context) error {
	var done *notDone
	if err := s.checkServer(ctx); errors.Is(err, graph.ErrRefused) || errors.As(err, &done) {
		return err
	} else if err != nil {
		return &notDone{cause: err, after: later}
	}
	return s.prepare(ctx)
}

// prepare prepares the statements for the version of the tables that was read last.
func (s *Store) prepare(ctx context.Context) error {
	kinds := s.kinds.Load()
	return s.stmts.prepare(ctx, s.db, s.tables, kinds != nil && kinds.policies())
}

// checkServer asks the server unless it was asked before. One call asks at a time.
//
//test:by TestDeadlineBehindAsking
func (s *Store) checkServer(ctx context.Context) error {
	if s.primary.fit.Load() && s.primary.other.Load() == 0 {
		return nil
	}
	t, ok := s.tables.(*postgresTables)
	if !ok {
		return s.checkFile(ctx)
	}
	select {
	case s.primary.asking <- struct{}{}:
		defer func() { <-s.primary.asking }()
	case <-ctx.Done():
		return fmt.Errorf("check the server: another call asks it: %w: %v", errNoAnswer, ctx.Err()) // no smaller batch helps
	}
	var err error
	if !s.primary.fit.Load() {
		err = nameShared(within(ctx, func(ctx context.Context) error { return s.askServer(ctx, t) }))
		s.primary.fit.Store(err == nil)
	}
	if err == nil && s.primary.other.Load() != 0 {
		err = s.takeOther(ctx, t)
	}
	if err != nil {
		return fmt.Errorf("check the server: %w", err)
	}
	return nil
}

// within bounds the time of questions to the server. The error of a silent one is not late: a
// smaller call has no answer either.
func within(ctx context.Context, ask func(context.Context) error) error {
	bounded, end := context.WithTimeout(ctx, askWithin)
	defer end()
	err := ask(bounded)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return fmt.Errorf("%w: %v", errNoAnswer, err)
	}
	return err
}

// askServer judges the server behind one connection. A server that lacks a function of the
// questions is unfit.
//
//test:by TestUnfitServers TestUnfitServerIsRefused
func (s *Store) askServer(ctx context.Context, t *postgresTables) error {
	free, err := s.db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer free.Close()
	var a answers
	if err := free.QueryRowContext(ctx, `SELECT version()`).Scan(&a.version); err != nil {
		return err
	}
	if unfitVersion(a.version) != "" {
		return a.judge()
	}
	err = t.ask(ctx, free, s.txOptions(), &a)
	var state interface{ SQLState() string }
	if errors.As(err, &state) && (state.SQLState() == "42883" || state.SQLState() == "0A000") { // no such function
		return fmt.Errorf("%.120q: %s: %w: %w: %w", a.version, lacksNumbers, graph.ErrRefused, errUnfit, err)
	}
	if err != nil {
		return err
	}
	return a.judge()
}

// ask asks everything but the version.
func (t *postgresTables) ask(ctx context.Context, c *sql.Conn, opts *sql.TxOptions, a *answers) error {
	var recovery, citus, control bool
	var level string
	if err := c.QueryRowContext(ctx, `SELECT pg_is_in_recovery(), current_setting('server_encoding'), to_regclass('pg_catalog.pg_dist_local_group') IS NOT NULL,
		has_function_privilege('pg_control_system()', 'EXECUTE'), current_setting('default_transaction_isolation')`).Scan(&recovery, &a.encoding, &citus, &control, &level); err != nil {
		return err
	}
	if recovery {
		return &notDone{cause: errStandby, after: later}
	}
	if citus {
		if err := c.QueryRowContext(ctx, `SELECT coalesce((SELECT max(groupid) FROM pg_catalog.pg_dist_local_group), 0) > 0,
			EXISTS (SELECT 1 FROM pg_catalog.pg_dist_partition WHERE logicalrelid = to_regclass($1))`, t.names.Replace(`{objects}`)).Scan(&a.worker, &a.spread); err != nil {
			return err
		}
	}
	t.control.Store(control)
	t.snapshots.Store(level != "read committed" && level != "read uncommitted")
	n := &a.numbers
	if err := oneTransaction(ctx, c, opts, &n.high, &n.first, &n.low); err != nil {
		return err
	}
	return oneTransaction(ctx, c, opts, &n.nextHigh, &n.second, &n.secondLow)
}

// oneTransaction reads the numbers of a transaction, and of a snapshot before and after it has
// one.
func oneTransaction(ctx context.Context, c *sql.Conn, opts *sql.TxOptions, high, own, low *int64) error {
	tx, err := c.BeginTx(ctx, opts)
	if err != nil {
		return err
	}
	for _, q := range []struct {
		text string
		into *int64
	}{
		{`SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint`, high},
		{`SELECT pg_current_xact_id()::text::bigint`, own},
		{`SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint`, low},
	} {
		if err := tx.QueryRowContext(ctx, q.text).Scan(q.into); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

const (
	systemText = `(SELECT system_identifier FROM pg_control_system())`
	// agreeWithin bounds the time for which a store takes the connections of its pool.
	agreeWithin = 2 * time.Second
	leastAsked  = 4 // connections, so that a small pool shows where its next ones lead
)

// agree asks all idle connections of the pool at once, and a new one, and returns an error if
// they do not lead to one primary. Connections in use cannot be asked, and a pool that is used
// up has no new one in time. A later answer of another server then stops the store again.
func (s *Store) agree(ctx context.Context, t *postgresTables) (system int64, err error) {
	err = within(ctx, func(ctx context.Context) error {
		system, err = s.askAll(ctx, t)
		return err
	})
	return system, err
}

func (s *Store) askAll(ctx context.Context, t *postgresTables) (system int64, err error) {
	taking, end := context.WithTimeout(ctx, agreeWithin)
	defer end()
	stats := s.db.Stats()
	n := max(stats.Idle+1, leastAsked)
	if stats.MaxOpenConnections > 0 {
		n = min(n, max(1, stats.MaxOpenConnections-stats.InUse))
	}
	for i := range n {
		c, err := s.db.Conn(taking)
		if err != nil && i > 0 && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			break
		}
		if err != nil {
			return 0, fmt.Errorf("ask the connections of the pool: %w", err)
		}
		defer c.Close()
		of, err := t.primaryOf(ctx, c)
		switch {
		case err != nil:
			return 0, fmt.Errorf("ask the connections of the pool: %w", err)
		case i > 0 && of != system:
			return 0, fmt.Errorf("system identifiers %d and %d: %w: %w", system, of, graph.ErrRefused, errOtherServer)
		}
		system = of
	}
	return system, nil
}

// querier is a connection or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row
}

// primaryOf returns the system identifier of the server, which is no standby.
func (t *postgresTables) primaryOf(ctx context.Context, q querier) (system int64, err error) {
	var recovery bool
	err = q.QueryRowContext(ctx, t.textOf("server")).Scan(&recovery, &system)
	if err == nil && recovery {
		err = &notDone{cause: errStandby, after: later}
	}
	return system, err
}

// takeOther takes the other server as the server of this store, if all connections lead to it. Its
// data are a restored dump then, and its epoch shows that. One of all processes begins the
// epoch.
//
//test:by TestTwoServers TestDumpOnAnotherServer
func (s *Store) takeOther(ctx context.Context, t *postgresTables) error {
	system, err := s.agree(ctx, t)
	if err != nil {
		return err
	}
	if system != s.primary.system.Load() {
		reason := fmt.Sprintf("restored on the server with the system identifier %d", system)
		err := s.retry(ctx, func() error {
			return s.transactOnce(ctx, t.lock, func(ses *session) error {
				if err := t.sameServer(ctx, ses.c.tx, system); err != nil {
					return err
				}
				var epoch, is string
				if _, err := ses.c.one(ctx, t.names.Replace(`SELECT epoch, reason FROM {meta} m WHERE m.id = 1`), nil, &epoch, &is); err != nil || is == reason {
					return err
				}
				return t.restored(ctx, &ses.c, &epoch, rand.Text(), reason, time.Now().UnixNano())
			})
		})
		if err != nil {
			return fmt.Errorf("begin an epoch: %w", err)
		}
		defer s.announce()
	}
	s.primary.take(system)
	return nil
}

// sameServer is for a transaction that writes because of a judgement about a server.
func (t *postgresTables) sameServer(ctx context.Context, q querier, system int64) error {
	is, err := t.primaryOf(ctx, q)
	if err == nil && is != system {
		err = fmt.Errorf("system identifiers %d and %d: %w: %w", system, is, graph.ErrRefused, errOtherServer)
	}
	return err
}
