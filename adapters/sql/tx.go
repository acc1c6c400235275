package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"strconv"

	"github.com/ownergraph/ownergraph/graph"
)

// Tx writes objects inside of a transaction of the user, so that rows of the user's tables
// and their ownership commit together or not at all. It is as safe for concurrent use as
// the *sql.Tx, so use it from one goroutine at a time. Use Store.Tx.
//
// The user commits the transaction. After an error of the database the user has to roll it
// back, and may repeat it as a whole. After the commit, Store.Wake lets the watches of this
// process look at once.
//
//test:by TestTxTogether TestTxRollsBack TestUserRows
type Tx struct {
	ses   *session
	took  bool // the lock of SQLite's writer
	ready bool // no further write needs to be prepared
	// broken is the error of a preparation. The user has to roll the transaction back.
	broken error
}

// Tx returns the writes inside of a transaction. On SQLite begin the transaction as an
// immediate one (the DSN of modernc.org/sqlite has _txlock=immediate). On Postgres each
// level of isolation works. READ COMMITTED, which is the default, takes fewer statements. At another
// level a strict store refuses to delete an object that an object restricts or has restricted.
//
//test:by TestBoundOfEarlyNumber TestBoundOfSnapshot TestRestrictLevels
func (s *Store) Tx(tx *sql.Tx) *Tx {
	ses := s.sessionIn(tx)
	ses.c.users = true
	return &Tx{ses: ses}
}

// Wake makes the watches of this store look at the log at once.
func (s *Store) Wake() { s.announce() }

// Create adds an object, as Store.Create does.
func (t *Tx) Create(ctx context.Context, o graph.Object) (made graph.Object, err error) {
	err = t.do(ctx, func() (err error) {
		made, err = t.ses.create(ctx, o)
		return err
	})
	return made, t.ses.s.failed("create", name(o.Key), err)
}

// CreateAll adds objects, as Create does, in few statements. The objects have different
// places. The results have the order of the list: made[i] is list[i] as the store has it, with
// its UID and version. The caller owns them. After an error the user has to roll the transaction back, because some of the
// objects may be there.
//
//test:by TestCreateAll
func (t *Tx) CreateAll(ctx context.Context, list []graph.Object) (made []graph.Object, err error) {
	err = t.do(ctx, func() (err error) {
		made, err = t.ses.createAll(ctx, list)
		return err
	})
	return made, t.ses.s.failed("create", strconv.Itoa(len(list))+" objects", err)
}

// Update replaces an object, as Store.Update does.
func (t *Tx) Update(ctx context.Context, o graph.Object) (after graph.Object, err error) {
	return t.apply(ctx, "update", o.Key, t.ses.s.updateRule(o))
}

// Delete deletes an object, as Store.Delete does.
func (t *Tx) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	_, err := t.apply(ctx, verbDelete, key, t.ses.s.deleteRule(key.Kind, opts))
	return err
}

// Get reads an object, as Store.Get does. It sees the writes of the transaction.
func (t *Tx) Get(ctx context.Context, key graph.Key) (o graph.Object, err error) {
	err = t.read(ctx, func() error {
		r, err := t.ses.find(ctx, "get", key)
		if err == nil {
			o = r.object
		}
		return err
	})
	if err != nil {
		err = readFailed("get", name(key), err)
	}
	return o, err
}

func (t *Tx) apply(ctx context.Context, verb string, key graph.Key, r rule) (after graph.Object, err error) {
	err = t.do(ctx, func() (err error) {
		after, err = t.ses.apply(ctx, verb, key, r)
		return err
	})
	if err != nil {
		return graph.Object{}, t.ses.s.failed(verb, name(key), err)
	}
	return after, nil
}

// do runs a write.
func (t *Tx) do(ctx context.Context, run func() error) (err error) {
	return t.read(ctx, func() error {
		if !t.ready && t.broken == nil {
			var again bool
			again, t.broken = t.ses.s.tables.freshen(ctx, &t.ses.c)
			t.ready = !again
		}
		if t.broken != nil {
			return t.broken
		}
		return run()
	})
}

// read runs a call. It repeats only one that found a newer state of its object, which the
// database has not aborted. On SQLite a read takes the writer's lock, too: a transaction that
// reads first may fail when it writes.
func (t *Tx) read(ctx context.Context, run func() error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !t.took {
		if err := t.ses.s.tables.lock(ctx, &t.ses.c); err != nil {
			return err
		}
		t.took = true
	}
	for range maxStale {
		if err = run(); !errors.Is(err, errRaced) {
			return err
		}
	}
	return err
}
