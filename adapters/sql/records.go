package sqlstore

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// The statements of records are the same in both dialects. They are not prepared, so that a
// program without records needs no Migrate of the tables of version 1.
const (
	readRecord   = `SELECT value, version FROM {records} WHERE name = $1`
	createRecord = `INSERT INTO {records} (name, version, value) SELECT $1, $2, {value} FROM {meta} m WHERE m.id = 1 AND {stamp} >= 0
		ON CONFLICT (name) DO NOTHING`
	changeRecord = `UPDATE {records} SET version = $2, value = $3 WHERE name = $1 AND version = $4
		AND EXISTS (SELECT 1 FROM {meta} m WHERE m.id = 1 AND {stamp} >= 0)`
)

// ReadRecord returns the record of the name (ownergraph.Records). A record is a row of
// og_records. Errors: ErrNotFound, ErrInvalid.
//
//test:by TestKit
func (s *Store) ReadRecord(ctx context.Context, name string) (graph.Record, error) {
	if err := graph.ValidateRecord(name, nil); err != nil {
		return graph.Record{}, fmt.Errorf("read %w", err)
	}
	if err := ctx.Err(); err != nil {
		return graph.Record{}, fmt.Errorf("read record %s: %w", name, err)
	}
	r, found := graph.Record{}, false
	err := s.retry(ctx, func() error {
		return s.onServer(ctx, func(c *conn) (err error) {
			found, err = c.one(ctx, s.recordText(readRecord), []any{name}, &r.Value, &r.Version)
			return err
		})
	})
	if err == nil && !found {
		err = fmt.Errorf("read record %s: %w", name, graph.ErrNotFound)
	}
	if err != nil {
		return graph.Record{}, readFailed("read record", name, err)
	}
	return r, nil
}

// onServer reads on one connection to the server of this store, on Postgres. A record that a standby or
// another server lacks would end a pause. SQLite has one file, whose other tables it does not need.
//
//test:by TestRecordOfOtherServer
func (s *Store) onServer(ctx context.Context, do func(*conn) error) error {
	if s.conf.Dialect != Postgres {
		return do(&conn{s: s})
	}
	return s.onOne(ctx, func(ses *session) error {
		if _, err := ses.c.checkTables(ctx); err != nil {
			return err
		}
		return do(&ses.c)
	})
}

// WriteRecord stores the value under the name, if the record has the version
// (ownergraph.Records). Versions are random. Errors: ErrConflict, ErrInvalid, and ErrRefused
// without the right to write.
//
//test:by TestKit
func (s *Store) WriteRecord(ctx context.Context, name string, value []byte, version graph.Version) (graph.Version, error) {
	if err := graph.ValidateRecord(name, value); err != nil {
		return "", fmt.Errorf("write %w", err)
	}
	conflict := fmt.Errorf("write record %s: it is not at version %.80q: %w", name, version, graph.ErrConflict)
	if !isPlainText(string(version)) { // no version of this store
		return "", conflict
	}
	next := rand.Text()
	text, args := createRecord, []any{name, next, append([]byte{}, value...)} // a nil value would be NULL
	if version != "" {
		text, args = changeRecord, append(args, string(version))
	}
	defer s.announce()
	err := s.transact(ctx, func(ses *session) error {
		if _, err := ses.c.checkTables(ctx); err != nil {
			return err
		}
		r, err := ses.c.exec(ctx, s.recordText(text), args...)
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); err != nil || n == 1 {
			return err
		}
		if _, err := ses.c.checkTables(ctx); err != nil { // an upgrade came between
			return err
		}
		return conflict
	})
	if err != nil {
		return "", s.failed("write record", name, err)
	}
	return graph.Version(next), nil
}

// recordText puts the names of the tables into a statement, in the dialect of the database.
func (s *Store) recordText(text string) string {
	text = strings.ReplaceAll(text, "{value}", map[Dialect]string{SQLite: "$3", Postgres: "$3::bytea"}[s.conf.Dialect])
	if s.conf.Dialect == SQLite {
		text = strings.ReplaceAll(text, "$", "?")
	}
	return s.conf.names().Replace(text)
}
