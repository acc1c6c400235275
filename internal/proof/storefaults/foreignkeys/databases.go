package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"
)

// dialect has the differences between the databases.
type dialect struct {
	name string
	// check judges the deferred keys.
	check func(tx *sql.Tx) error
	// isRefusal reports whether a foreign key refuses the statement.
	isRefusal func(error) bool
}

func postgresDialect() dialect {
	return dialect{name: "postgres", check: func(tx *sql.Tx) error { _, err := tx.Exec(`SET CONSTRAINTS ALL IMMEDIATE`); return err },
		isRefusal: func(err error) bool {
			var state interface{ SQLState() string }
			return errors.As(err, &state) && (state.SQLState() == "23503" || state.SQLState() == "23001")
		}}
}

func sqliteDialect() dialect {
	return dialect{name: "sqlite", check: func(tx *sql.Tx) error { return tx.Commit() },
		isRefusal: func(err error) bool { return strings.Contains(err.Error(), "FOREIGN KEY constraint failed") }}
}

// statements make the tables and the rows of a schema, without the keys in a CREATE TABLE of Postgres: a
// key of a ring refers to a table that comes later.
func (d dialect) statements(s schema) (list []string) {
	var keys []string
	for from := range s.tables {
		text := fmt.Sprintf(`CREATE TABLE t%d (id integer PRIMARY KEY`, from)
		for to, a := range s.keys[from] {
			if a == actionUnset {
				continue
			}
			clause := fmt.Sprintf(`REFERENCES t%d (id) ON DELETE %s DEFERRABLE INITIALLY DEFERRED`, to, a)
			text += fmt.Sprintf(`, k%d integer`, to)
			if d.name == "sqlite" {
				text += ` ` + clause
			} else {
				keys = append(keys, fmt.Sprintf(`ALTER TABLE t%d ADD FOREIGN KEY (k%d) %s`, from, to, clause))
			}
		}
		list = append(list, text+`)`)
	}
	list = append(list, keys...)
	for i := range s.tables {
		list = append(list, fmt.Sprintf(`INSERT INTO t%d (id) VALUES (1)`, i))
	}
	for from := range s.tables {
		for to, a := range s.keys[from] {
			if a != actionUnset {
				list = append(list, fmt.Sprintf(`UPDATE t%d SET k%d = 1`, from, to))
			}
		}
	}
	return list
}

// delete deletes the root, counts the rows, and takes everything back.
func (d dialect) delete(ctx context.Context, db *sql.DB, space string, s schema) (e end, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return e, err
	}
	defer func() { err = errors.Join(err, ignoreDone(tx.Rollback())) }()
	list := d.statements(s)
	if d.name == "postgres" {
		list = append([]string{`CREATE SCHEMA ` + space, `SET LOCAL search_path TO ` + space}, list...)
		list = append(list, `SET CONSTRAINTS ALL IMMEDIATE`, `SET CONSTRAINTS ALL DEFERRED`, `SAVEPOINT world`)
	}
	for _, text := range list {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return e, fmt.Errorf("%s: %w", text, err)
		}
	}
	e, err = d.deleteRoot(ctx, tx, s)
	if err != nil && d.isRefusal(err) {
		e, err = s.whole(), nil
	}
	if err == nil && d.name == "postgres" {
		err = isBack(ctx, tx, s)
	}
	return e, err
}

// deleteRoot deletes the root, and judges the deferred keys.
func (d dialect) deleteRoot(ctx context.Context, tx *sql.Tx, s schema) (e end, err error) {
	_, err = tx.ExecContext(ctx, `DELETE FROM t0`)
	if err == nil && d.name == "postgres" {
		err = d.check(tx)
	}
	if err == nil {
		e, err = rows(ctx, tx, s)
	}
	if err == nil && d.name == "sqlite" {
		err = d.check(tx)
	}
	return e, err
}

// isBack takes the deletion back alone. Each row is there again, as after the plan of a deletion.
func isBack(ctx context.Context, tx *sql.Tx, s schema) error {
	if _, err := tx.ExecContext(ctx, `ROLLBACK TO world`); err != nil {
		return err
	}
	e, err := rows(ctx, tx, s)
	if e.refused = true; err == nil && e != s.whole() {
		err = fmt.Errorf("the deletion is taken back, and the world has changed: %s", e)
	}
	return err
}

func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

// rows reads the rows that are left.
func rows(ctx context.Context, tx *sql.Tx, s schema) (e end, err error) {
	for from := range s.tables {
		var count int
		if err := tx.QueryRowContext(ctx, fmt.Sprintf(`SELECT count(*) FROM t%d`, from)).Scan(&count); err != nil {
			return e, err
		}
		e.left[from] = count > 0
		for to, a := range s.keys[from] {
			if count == 0 || a == actionUnset {
				continue
			}
			var k sql.NullInt64
			if err := tx.QueryRowContext(ctx, fmt.Sprintf(`SELECT k%d FROM t%d`, to, from)).Scan(&k); err != nil {
				return e, err
			}
			e.refs[from][to] = k.Valid
		}
	}
	return e, nil
}

// deleteInSQLite runs in a database in memory of its own.
func deleteInSQLite(ctx context.Context, s schema) (e end, err error) {
	db, err := sql.Open("sqlite", "file::memory:?_pragma=foreign_keys(1)")
	if err != nil {
		return e, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	return sqliteDialect().delete(ctx, db, "", s)
}
