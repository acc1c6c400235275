package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// tables has the statements of one dialect. A write that finds another state than the
// caller has read returns false and changes nothing.
type tables interface {
	// texts are the statements to prepare, and with policies those of tables with policySchema.
	texts(policies bool) []string
	// schema returns the version of the tables, 0 if they lack something.
	schema(ctx context.Context, c *conn) (int64, error)
	// lockSchema begins a transaction that changes the shape of tables, and migrate creates or
	// upgrades the tables in it.
	lockSchema(ctx context.Context, c *conn) error
	migrate(ctx context.Context, c *conn) error
	// lock begins the writes of a transaction. On SQLite it takes the lock of the writer.
	lock(ctx context.Context, c *conn) error
	// kinds reads the set of kinds, and its stamp.
	kinds(ctx context.Context, c *conn) (*kindSet, error)
	// find reads the row at a place, nil if there is none, and the stamp of the kinds. With
	// lock no other transaction changes the row before the end of this one.
	find(ctx context.Context, c *conn, kind int64, place []byte, lock bool) (*row, int64, error)
	// create, change and remove write a row, and log that. With an archive the words of the next row are
	// added to its trail, and remove writes an entry.
	create(ctx context.Context, c *conn, r *row, stamp int64) (bool, error)
	change(ctx context.Context, c *conn, old, next *row) (bool, error)
	remove(ctx context.Context, c *conn, old, next *row) (bool, error)
	// noteTrail adds the words of a row that stays as it is.
	noteTrail(ctx context.Context, c *conn, r *row) (bool, error)
	// removePlain removes the row at a place without reading it, if it satisfies pre, and
	// has no finalizer and no grace period. It may always return false. The words are those of its entry,
	// nil for none.
	removePlain(ctx context.Context, c *conn, kind int64, place []byte, pre graph.Precondition, stamp int64, w *words) (bool, error)
	// owners reads the rows with the UIDs, which are sorted. No other transaction changes
	// them before the end of this one. With first this one may set their column restricted.
	owners(ctx context.Context, c *conn, uids []string, first bool, add func(*row) error) error
	// unrestricted reports whether no reference has ever restricted one of the rows with the UIDs.
	// It may always return false, if owners ignores first.
	unrestricted(ctx context.Context, c *conn, uids []string) (bool, error)
	// restricting reads the next rows of objects that may restrict an object, in the order of their
	// UIDs. Current is false if a commit before the lock of that object may be missing.
	restricting(ctx context.Context, c *conn, owner, after string, limit int, add func(*row) error) (current bool, err error)
	// lockRow locks a row, and reports whether it is as it was read.
	lockRow(ctx context.Context, c *conn, r *row) (bool, error)
	// createAll adds rows in the transaction of the caller, and reports whether it added
	// all of them.
	createAll(ctx context.Context, c *conn, list []*row, stamp int64) (bool, error)
	// changeAll stores rows that are locked.
	changeAll(ctx context.Context, c *conn, old, next []*row) error
	// locate finds the table of a declaration, or returns an unsound.
	locate(ctx context.Context, c *conn, src *source) error
	// makeAdopted creates the table of the records of Adopt, unless it is there.
	makeAdopted(ctx context.Context, c *conn) error
	adoptTexts() map[adoptText]string
	taken(ctx context.Context, c *conn, kind int64, places [][]byte, add func(place []byte, uid string)) error
	// setKind stores a kind, and logs that.
	setKind(ctx context.Context, c *conn, info graph.KindInfo, served bool) error
	look(ctx context.Context, c *conn, from position, anchor anchor, limit int) (*look, error)
	// page reads rows of all kinds with a higher id, or of one kind with a higher place.
	page(ctx context.Context, c *conn, kind, after int64, place []byte, limit int, add func(*row) error) error
	// moment returns a position that is above each change that is committed, and the start of the
	// server.
	moment(ctx context.Context, c *conn) (at position, start int64, err error)
	// describe names a transaction for which a watch waits, and its program.
	describe(ctx context.Context, c *conn, of writer) (string, error)
	// freshen prepares the next write of a transaction whose level the user chose. It reports
	// whether each further write needs that.
	freshen(ctx context.Context, c *conn) (again bool, err error)
	// compact deletes the next part of the changes that a run of the compaction cuts, and
	// reports whether there are more.
	compact(ctx context.Context, c *conn, x *cut) (more bool, err error)
	// restored begins a new epoch. If expect is not nil, it does so only in that epoch.
	restored(ctx context.Context, c *conn, expect *string, epoch, reason string, base int64) error
	// foreignKeys reads the foreign keys of all tables, and the id of {objects} among them.
	foreignKeys(ctx context.Context, c *conn) (objects string, list []foreignKey, err error)
	// sampleKinds reads the kinds of the objects to which rows refer by a key.
	sampleKinds(ctx context.Context, c *conn, k foreignKey, add func(graph.Kind)) error
	// parts reads the columns and the constraints of a table of the store, with commas between them,
	// or "" if it is not there.
	parts(ctx context.Context, c *conn, table string) (string, error)
	// shapeOf reads the shape of a table of the user.
	shapeOf(ctx context.Context, c *conn, t Table) (shape, error)
	// columnsOf reads the columns of a table of the user, none if there is no such table.
	columnsOf(ctx context.Context, c *conn, t Table) ([]payloadColumn, error)
	// restoreRows inserts rows of one kind, which have the same columns.
	restoreRows(ctx context.Context, c *conn, t Table, columns []payloadColumn, rows []payload) error
	// lockTable keeps writers of a table of the user out until the end of the transaction.
	lockTable(ctx context.Context, c *conn, t Table) error
	// after returns the position behind a change.
	after(p position) position
	// known returns the version up to which a watch at this position knows every change,
	// as Progress and, if listing is true, as ListEnded. It is empty if there is none.
	known(next position, listing bool) graph.Version
}

// session carries out the calls of one caller.
type session struct {
	s      *Store
	c      conn
	locked bool // rows that are found stay as they are
}

// transact runs do in a transaction of its own. It repeats a transaction that the
// database has aborted for another one.
func (s *Store) transact(ctx context.Context, do func(*session) error) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	release, err := s.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer release()
	err = s.retry(ctx, func() error { return s.transactOnce(ctx, s.tables.lock, do) })
	if t, ok := s.tables.(*sqliteTables); ok && errors.Is(err, errLogEmpty) {
		refill := func(ses *session) error { return t.refill(ctx, &ses.c) }
		for _, do := range []func(*session) error{refill, do} {
			if err = s.retry(ctx, func() error { return s.transactOnce(ctx, t.lock, do) }); err != nil {
				break
			}
		}
	}
	return err
}

// endWithin is the time for which a transaction may outlive the context of its call.
const endWithin = 5 * time.Second

// transactOnce ends the transaction also if ctx has ended. So the transaction itself has
// a context that ends later, and the statements have ctx. A COMMIT that the later end breaks
// off has an unknown outcome.
//
//test:by TestOneConnectionTaken TestTurnBeginsTheTime
func (s *Store) transactOnce(ctx context.Context, lock func(context.Context, *conn) error, do func(*session) error) error {
	free, err := s.db.Conn(ctx) // the wait for a connection ends with the call
	if err != nil {
		return s.brokenOff(ctx, false, fmt.Errorf("connect: %w", err), nil)
	}
	defer free.Close()
	whole, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	outlive := func() func() bool { return context.AfterFunc(ctx, func() { time.AfterFunc(endWithin, end) }) }
	stop := outlive()
	defer func() { stop() }()
	tx, err := free.BeginTx(whole, s.txOptions())
	if err != nil {
		return s.brokenOff(ctx, false, fmt.Errorf("begin: %w", err), nil)
	}
	ses := s.sessionIn(tx)
	err = lock(ctx, &ses.c)
	began := err == nil
	if began {
		if ownergraph.BeginCall(ctx) { // the context has another end now
			stop()
			stop = outlive()
		}
		err = do(ses)
	}
	if err != nil {
		return s.brokenOff(ctx, began, err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return &errCommit{err}
	}
	return nil
}

// txOptions returns the level of a transaction. The positions on Postgres rest on it: each
// statement sees the commits before it.
func (s *Store) txOptions() *sql.TxOptions {
	if s.conf.Dialect == Postgres {
		return &sql.TxOptions{Isolation: sql.LevelReadCommitted}
	}
	return nil
}

// sessionIn returns a session in a transaction. A strict store locks a row only when it
// knows the owners that it locks before.
func (s *Store) sessionIn(tx *sql.Tx) *session {
	return &session{s: s, c: conn{s: s, tx: tx}, locked: !s.conf.Strict}
}

// find reads the live object at key's coordinates. Errors: ErrNotFound, ErrKindUnknown.
func (ses *session) find(ctx context.Context, verb string, key graph.Key) (*row, error) {
	r, _, err := ses.findIn(ctx, verb, key)
	return r, err
}

// findIn also returns the kinds of the same moment.
func (ses *session) findIn(ctx context.Context, verb string, key graph.Key) (*row, *kindSet, error) {
	kinds, r, err := ses.look(ctx, key)
	switch {
	case err != nil:
		return nil, nil, err
	case !kinds.serves(key.Kind):
		return nil, kinds, fmt.Errorf("%s %s: %w", verb, name(key), graph.ErrKindUnknown)
	case r == nil:
		return nil, kinds, fmt.Errorf("%s %s: %w", verb, name(key), graph.ErrNotFound)
	}
	r.object.Kind, r.object.Scope, r.object.Name = key.Kind, key.Scope, key.Name
	return r, kinds, nil
}

// verbDelete is the verb of a deletion, as graph.WriteDelete has it.
const verbDelete = "delete"

// findToWrite is findIn for a write. A deletion locks its object first, also in a strict
// store: it locks no owner. Otherwise the statement that sets a mark would take its position
// before it waits for the writers of references, and the watches would report the mark
// before these references.
//
//test:by internal/proof/storefaults.TestStrictUnderLoad
func (ses *session) findToWrite(ctx context.Context, verb string, key graph.Key) (*row, *kindSet, error) {
	if was := ses.locked; verb == verbDelete && ses.c.tx != nil {
		ses.locked = true
		defer func() { ses.locked = was }()
	}
	return ses.findIn(ctx, verb, key)
}

// maxStale bounds the readings of a set of kinds that changes all the time.
const maxStale = 16

// look reads the row at key's coordinates, nil if there is none, and the kinds of the same
// moment.
func (ses *session) look(ctx context.Context, key graph.Key) (*kindSet, *row, error) {
	kinds, err := ses.s.knownKinds(ctx, &ses.c)
	if err != nil {
		return nil, nil, err
	}
	place := placeOf(key)
	for range maxStale {
		r, stamp, err := ses.s.tables.find(ctx, &ses.c, kinds.number(key.Kind), place, ses.locked)
		if err != nil {
			return nil, nil, err
		}
		if err := checkStamp(stamp); err != nil {
			return nil, nil, err
		}
		if stamp == kinds.stamp {
			if r != nil {
				r.place, r.stamp = place, stamp
			}
			return kinds, r, nil
		}
		was := kinds.stamp
		if kinds, err = ses.s.readKinds(ctx, &ses.c); err == nil && kinds.stamp == was {
			err = ses.s.doubt(ctx) // the row is of another server than the kinds
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, errRaced
}
