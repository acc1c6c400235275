package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// TestBoundIsComplete steps some transactions of each level, with writes to other tables,
// savepoints, prepared ones, and those of an older program. A look says that the log is complete
// below its moment. No later look finds one more change there.
func TestBoundIsComplete(t *testing.T) {
	h := newPostgresDatabase(t).mustHandle(t, nil)
	rapid.Check(t, func(r *rapid.T) {
		if err := h.compactTo(r.Context(), 0, everything); err != nil { // a short log is read fast
			r.Fatal(err)
		}
		m := &boundMachine{h: h, seen: map[position]bool{}}
		defer m.end()
		for range 40 {
			if err := m.step(r); err != nil {
				r.Fatal(err)
			}
			if err := m.look(r.Context()); err != nil {
				r.Fatal(err)
			}
		}
	})
}

// TestBoundBesideWriters: writers of one statement each, beside looks. Postgres takes the lock of a
// number a moment after the number. No look misses a change of a writer at that moment.
func TestBoundBesideWriters(t *testing.T) {
	h := newPostgresDatabase(t).mustHandle(t, nil)
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for range 100 {
				if _, err := h.Create(t.Context(), object("team", "", string(newUID()))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	var looks sync.WaitGroup
	for range 2 {
		looks.Go(func() {
			m := &boundMachine{h: h, seen: map[position]bool{}}
			for over := false; !over; {
				select {
				case <-done:
					over = true
				default:
				}
				if err := m.look(t.Context()); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	looks.Wait()
}

// TestBoundWhilePreparing: Postgres moves the locks of a transaction that is being prepared one
// after another. A look in between finds the transaction.
func TestBoundWhilePreparing(t *testing.T) {
	h := newPostgresDatabase(t).mustHandle(t, nil)
	var low atomic.Int64 // the pos of the prepared transaction, 0 without one
	done := make(chan struct{})
	var looks sync.WaitGroup
	for range 2 {
		looks.Go(func() {
			for c := (&conn{s: h.Store}); ; {
				select {
				case <-done:
					return
				default:
				}
				pos := low.Load()
				b, err := h.tables.(*postgresTables).bound(t.Context(), c)
				if err != nil {
					t.Error(err)
				} else if pos != 0 && low.Load() == pos && b.moment().pos > pos {
					t.Errorf("%+v passes by the transaction at %d", b, pos)
				}
			}
		})
	}
	for i := range 200 {
		tx := h.begin(t, sql.LevelReadCommitted)
		o, err := h.Tx(tx).Create(t.Context(), object("team", "", fmt.Sprint(i)))
		if err != nil {
			t.Fatal(err)
		}
		h.run(t, h.db, `SELECT pg_current_xact_id()`) // so that top is above
		low.Store(positionOf(o.Version).pos)
		h.prepare(t, tx, "preparing")
		low.Store(0)
		h.run(t, h.db, `COMMIT PREPARED 'preparing'`)
	}
	close(done)
	looks.Wait()
}

// boundMachine is a state of TestBoundIsComplete.
type boundMachine struct {
	h        *handle
	open     [3]*boundTx
	prepared []string
	moment   position
	seen     map[position]bool // all changes below moment
	objects  int
}

type boundTx struct {
	*sql.Tx
	in    *Tx
	level sql.IsolationLevel
	saved bool
}

func (m *boundMachine) end() {
	for _, tx := range m.open {
		if tx != nil {
			_ = tx.Rollback()
		}
	}
	for _, name := range m.prepared {
		_, _ = m.h.db.Exec(`ROLLBACK PREPARED '` + name + `'`)
	}
}

func (m *boundMachine) name() string { m.objects++; return string(newUID()) }

func (m *boundMachine) step(r *rapid.T) (err error) {
	i := rapid.IntRange(0, len(m.open)-1).Draw(r, "i")
	tx := m.open[i]
	do := rapid.SampledFrom([]string{"number", "read", "create", "older", "save", "back", "commit", "rollback", "prepare", "finish", "outside"}).Draw(r, "do")
	ctx := r.Context()
	switch {
	case do == "outside":
		_, err = m.h.Create(ctx, object("team", "", m.name()))
	case do == "finish":
		if len(m.prepared) > 0 {
			_, err = m.h.db.ExecContext(ctx, `COMMIT PREPARED '`+m.prepared[0]+`'`)
			m.prepared = m.prepared[1:]
		}
	case tx == nil:
		level := rapid.SampledFrom(levels).Draw(r, "level")
		begun, err := m.h.db.BeginTx(context.WithoutCancel(ctx), &sql.TxOptions{Isolation: level})
		if err != nil {
			return err
		}
		m.open[i] = &boundTx{Tx: begun, in: m.h.Tx(begun), level: level}
	case do == "commit", do == "rollback", do == "prepare":
		m.open[i] = nil
		return m.finish(ctx, tx, do)
	default:
		err = m.inside(ctx, tx, do)
	}
	return err
}

// finish ends a transaction. A serialization failure is an end, too.
func (m *boundMachine) finish(ctx context.Context, tx *boundTx, how string) error {
	switch how {
	case "commit":
		_ = tx.Commit()
	case "prepare":
		name := string(newUID())
		if _, err := tx.ExecContext(ctx, `PREPARE TRANSACTION '`+name+`'`); err == nil && len(m.prepared) < 10 {
			m.prepared = append(m.prepared, name)
		} else if err == nil {
			_, _ = m.h.db.ExecContext(ctx, `COMMIT PREPARED '`+name+`'`)
		}
	}
	return ignoreDone(tx.Rollback())
}

func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

// inside takes a step of an open transaction.
func (m *boundMachine) inside(ctx context.Context, tx *boundTx, do string) (err error) {
	switch do {
	case "number":
		_, err = tx.ExecContext(ctx, `SELECT pg_current_xact_id()`)
	case "read":
		_, err = tx.ExecContext(ctx, `SELECT 1`)
	case "create":
		_, err = tx.in.Create(ctx, object("team", "", m.name()))
	case "older": // such a program has to use READ COMMITTED
		if tx.level == sql.LevelReadCommitted {
			err = m.h.createAsOlder(ctx, tx.Tx, m.name())
		}
	case "save":
		_, err = tx.ExecContext(ctx, `SAVEPOINT s`)
		tx.saved = true
	case "back":
		if tx.saved {
			_, err = tx.ExecContext(ctx, `ROLLBACK TO SAVEPOINT s`)
		}
	}
	return err
}

// look looks at the whole log, as a watch does.
func (m *boundMachine) look(ctx context.Context) error {
	l, err := m.h.tables.look(ctx, &conn{s: m.h.Store}, position{}, anchor{}, 1<<30)
	if err != nil {
		return err
	}
	now := map[position]bool{}
	for _, c := range l.changes {
		if now[c.at] = true; c.at.compare(m.moment) < 0 && !m.seen[c.at] {
			return fmt.Errorf("change %v %s came below the moment %v of a former look", c.at, c.key.Name, m.moment)
		}
	}
	if l.moment.compare(m.moment) > 0 {
		m.moment, m.seen = l.moment, now
	}
	return nil
}
