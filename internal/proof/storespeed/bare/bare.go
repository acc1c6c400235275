// Package bare has the loops and the statements that the stores are compared with. They
// write the tables and the keys of the stores, decide nothing, and call no store.
package bare

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Row is one object as the tables store it.
type Row struct {
	ID, Kind, Pos, Seq int64
	Place, Body        []byte
	UID, Scope, Name   string
	Owner              string // the UID of its owner, or ""
}

// What says which tables a loop of deletes writes.
type What uint8

const (
	// All writes the objects, the references and the log with its numbers.
	All What = iota + 1
	// RowByRow is All without a statement for several rows.
	RowByRow
	// ObjectsOnly deletes the rows of the objects.
	ObjectsOnly
)

// Load reads all rows, owners first.
func Load(ctx context.Context, db *sql.DB, dialect string) (rows []Row, err error) {
	seq := "o.seq"
	if dialect == "sqlite" {
		seq = "0"
	}
	text := `SELECT o.id, o.kind, o.pos, ` + seq + `, o.place, o.body, o.uid, o.scope, o.name, coalesce(w.owner, '')
		FROM og_objects o LEFT JOIN og_owners w ON w.uid = o.uid ORDER BY o.id`
	list, err := db.QueryContext(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("load the rows: %w", err)
	}
	defer list.Close()
	for list.Next() {
		var r Row
		if err := list.Scan(&r.ID, &r.Kind, &r.Pos, &r.Seq, &r.Place, &r.Body, &r.UID, &r.Scope, &r.Name, &r.Owner); err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, list.Err()
}

// share gives the clients parts of n items, one part after another. It returns the first
// errors of the clients.
func share(clients, n, part int, work func(client, from, to int) error) error {
	var next atomic.Int64
	errs := make([]error, clients)
	var wait sync.WaitGroup
	for c := range clients {
		wait.Go(func() {
			for errs[c] == nil {
				from := int(next.Add(int64(part))) - part
				if from >= n {
					return
				}
				errs[c] = work(c, from, min(from+part, n))
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// exactly returns an error unless a write has changed so many rows.
func exactly(want int, r sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := r.RowsAffected()
	if err == nil && n != int64(want) {
		err = fmt.Errorf("a write changed %d rows, want %d", n, want)
	}
	return err
}
