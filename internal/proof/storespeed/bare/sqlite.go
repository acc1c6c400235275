package bare

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"
)

// SQLite is a loop on one connection. SQLite has one writer at a time. So several clients
// share the connection, and its cache of pages stays valid.
type SQLite struct {
	mu   sync.Mutex
	conn *sql.Conn
	last int64 // number of the log, in the running transaction
	all  map[string]*sql.Stmt
}

var sqliteTexts = map[string]string{
	"begin":  `BEGIN IMMEDIATE`,
	"commit": `COMMIT`,
	"last":   `SELECT pos FROM og_log ORDER BY pos DESC LIMIT 1`,
	"log": `INSERT INTO og_log (pos, mark, at, type, kind, uid, scope, name, body)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
	"logset": `INSERT INTO og_log (pos, mark, at, type, kind, uid, scope, name)
		SELECT ?2 + x.key, ?3, ?4, 2, o.kind, o.uid, o.scope, o.name FROM json_each(?1) x CROSS JOIN og_objects o
		ON o.id = x.value ->> 0 AND o.uid = x.value ->> 1 AND o.pos = x.value ->> 2`,
	"disownset": `DELETE FROM og_owners WHERE uid IN (SELECT value ->> 1 FROM json_each(?1))`,
	"deleteset": `DELETE FROM og_objects WHERE id IN (SELECT value ->> 0 FROM json_each(?1))`,
	"disown":    `DELETE FROM og_owners WHERE uid = ?1`,
	"delete":    `DELETE FROM og_objects WHERE id = ?1 AND uid = ?2 AND pos = ?3`,
	"insert": `INSERT INTO og_objects (id, kind, place, uid, scope, name, pos, deleting, {held}body, labels)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?1, false, {false}?7, '')`,
	"own": `INSERT INTO og_owners (uid, owner) VALUES (?1, ?2)`,
}

// OnSQLite prepares the statements.
func OnSQLite(ctx context.Context, db *sql.DB) (*SQLite, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	var held bool
	if err := conn.QueryRowContext(ctx, `SELECT count(*) FROM pragma_table_info('og_objects') WHERE name = 'held'`).Scan(&held); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	names := strings.NewReplacer("{held}", "", "{false}", "")
	if held {
		names = strings.NewReplacer("{held}", "held, ", "{false}", "false, ")
	}
	s := &SQLite{conn: conn, all: map[string]*sql.Stmt{}}
	for name, text := range sqliteTexts {
		if s.all[name], err = conn.PrepareContext(ctx, names.Replace(text)); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	return s, nil
}

// Close gives the connection back.
func (s *SQLite) Close() error {
	var errs []error
	for _, st := range s.all {
		errs = append(errs, st.Close())
	}
	return errors.Join(append(errs, s.conn.Close())...)
}

// transact runs the work on rows in one transaction.
func (s *SQLite) transact(ctx context.Context, work func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.all["begin"].ExecContext(ctx); err != nil {
		return err
	}
	if err := s.all["last"].QueryRowContext(ctx).Scan(&s.last); err != nil {
		return err
	}
	if err := work(); err != nil {
		return err
	}
	_, err := s.all["commit"].ExecContext(ctx)
	return err
}

// DeleteSets deletes the rows, in transactions of a batch each, with one statement for each
// table. A JSON array has the conditions. The statement of the log checks them.
func (s *SQLite) DeleteSets(ctx context.Context, rows []Row, batch int) error {
	return share(1, len(rows), batch, func(_, from, to int) error {
		return s.transact(ctx, func() error { return s.deleteSet(ctx, rows[from:to]) })
	})
}

func (s *SQLite) deleteSet(ctx context.Context, rows []Row) error {
	list := []byte{'['}
	for i := range rows {
		r := &rows[i]
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendInt(append(list, '['), r.ID, 10)
		list = append(append(append(list, `,"`...), r.UID...), `",`...) // a UID has only letters and digits
		list = append(strconv.AppendInt(list, r.Pos, 10), ']')
	}
	set := string(append(list, ']'))
	changed, err := s.all["logset"].ExecContext(ctx, set, s.last+1, rand.Int64(), time.Now().UnixMilli())
	if err := exactly(len(rows), changed, err); err != nil {
		return err
	}
	if _, err := s.all["disownset"].ExecContext(ctx, set); err != nil {
		return err
	}
	changed, err = s.all["deleteset"].ExecContext(ctx, set)
	return exactly(len(rows), changed, err)
}

// Delete deletes the rows one by one, in transactions of a batch each. Every delete is
// conditional.
func (s *SQLite) Delete(ctx context.Context, rows []Row, clients, batch int, what What) error {
	return share(clients, len(rows), batch, func(_, from, to int) error {
		return s.transact(ctx, func() error {
			for i := from; i < to; i++ {
				if err := s.deleteOne(ctx, &rows[i], what); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func (s *SQLite) deleteOne(ctx context.Context, r *Row, what What) error {
	if what != ObjectsOnly {
		if err := s.log(ctx, r, 2, nil); err != nil {
			return err
		}
		if r.Owner != "" {
			if _, err := s.all["disown"].ExecContext(ctx, r.UID); err != nil {
				return err
			}
		}
	}
	changed, err := s.all["delete"].ExecContext(ctx, r.ID, r.UID, r.Pos)
	return exactly(1, changed, err)
}

func (s *SQLite) log(ctx context.Context, r *Row, what int, body []byte) error {
	s.last++
	_, err := s.all["log"].ExecContext(ctx, s.last, rand.Int64(), time.Now().UnixMilli(), what, r.Kind, r.UID, r.Scope, r.Name, body)
	return err
}

// Create inserts the rows into empty tables, in transactions of a batch each. Their numbers
// are those of the log.
func (s *SQLite) Create(ctx context.Context, rows []Row, batch int) error {
	return share(1, len(rows), batch, func(_, from, to int) error {
		return s.transact(ctx, func() error {
			for i := from; i < to; i++ {
				if err := s.createOne(ctx, &rows[i]); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func (s *SQLite) createOne(ctx context.Context, r *Row) error {
	if err := s.log(ctx, r, 1, r.Body); err != nil {
		return err
	}
	if _, err := s.all["insert"].ExecContext(ctx, r.ID, r.Kind, r.Place, r.UID, r.Scope, r.Name, r.Body); err != nil {
		return err
	}
	if r.Owner == "" {
		return nil
	}
	_, err := s.all["own"].ExecContext(ctx, r.UID, r.Owner)
	return err
}
