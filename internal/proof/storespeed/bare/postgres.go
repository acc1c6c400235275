package bare

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// position is the number of a change in the log. The row of og_meta is m.
const position = `greatest(pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1) + m.base`

// gone ends a statement that deletes objects as o.
const gone = `, d AS (DELETE FROM og_owners w USING o WHERE w.uid = o.uid),
	l AS (INSERT INTO og_log (pos, seq, mark, at, type, kind, uid, scope, name)
		SELECT greatest(o.pos, ` + position + `), nextval('og_seq'), $1::bigint, $2::bigint, 2, o.kind, o.uid, o.scope, o.name FROM o, og_meta m)
	SELECT count(*) FROM o`

// The statements of sets take the conditions as arrays. So Postgres looks the rows up in the
// index of the ids, and never reads the whole table.
const (
	pgDeleteSet = `WITH o AS (DELETE FROM og_objects o WHERE o.id = ANY ($3::bigint[]) AND o.uid = ANY ($4::text[]) AND o.pos = ANY ($5::bigint[])
		AND o.seq = ANY ($6::bigint[]) RETURNING o.kind, o.uid, o.scope, o.name, o.pos)` + gone
	pgDeleteOne = `WITH o AS (DELETE FROM og_objects o WHERE o.id = $3 AND o.uid = $4 AND o.pos = $5 AND o.seq = $6
		RETURNING o.kind, o.uid, o.scope, o.name, o.pos)` + gone
	pgObjectsOnly = `WITH o AS (DELETE FROM og_objects o WHERE o.id = ANY ($1::bigint[]) AND o.uid = ANY ($2::text[]) AND o.pos = ANY ($3::bigint[])
		AND o.seq = ANY ($4::bigint[]) RETURNING 1) SELECT count(*) FROM o`
	pgCreate = `WITH p AS (SELECT nextval('og_seq') AS seq, ` + position + ` AS pos FROM og_meta m),
		o AS (INSERT INTO og_objects (id, kind, place, uid, scope, name, pos, seq, deleting, held, body, labels)
			SELECT p.seq, $1::integer, $2::bytea, $3::text, $4::text, $5::text, p.pos, p.seq, false, false, $6::bytea, '' FROM p RETURNING pos, seq),
		r AS (INSERT INTO og_owners (uid, owner) SELECT $3::text, $7::text WHERE $7::text <> '')
		INSERT INTO og_log (pos, seq, mark, at, type, kind, uid, scope, name, body)
			SELECT pos, seq, $8::bigint, $9::bigint, 1, $1::integer, $3::text, $4::text, $5::text, $6::bytea FROM o`
)

// Postgres is a loop in which each client has a connection with prepared statements.
type Postgres struct {
	conns []*sql.Conn
	all   []map[string]*sql.Stmt
}

// OnPostgres opens the connections of the clients, and prepares the statements.
func OnPostgres(ctx context.Context, db *sql.DB, clients int) (*Postgres, error) {
	p := &Postgres{}
	for range clients {
		conn, err := db.Conn(ctx)
		if err != nil {
			return nil, errors.Join(err, p.Close())
		}
		p.conns, p.all = append(p.conns, conn), append(p.all, map[string]*sql.Stmt{})
		for _, text := range []string{pgDeleteSet, pgDeleteOne, pgObjectsOnly, pgCreate} {
			if p.all[len(p.all)-1][text], err = conn.PrepareContext(ctx, text); err != nil {
				return nil, errors.Join(fmt.Errorf("prepare %s: %w", text, err), p.Close())
			}
		}
	}
	return p, nil
}

// Close gives the connections back.
func (p *Postgres) Close() error {
	var errs []error
	for i, conn := range p.conns {
		for _, st := range p.all[i] {
			errs = append(errs, st.Close())
		}
		errs = append(errs, conn.Close())
	}
	return errors.Join(errs...)
}

// Delete deletes the rows. Each batch is one statement, which is a transaction of its own.
// A batch of one is a statement without arrays.
func (p *Postgres) Delete(ctx context.Context, rows []Row, batch int, what What) error {
	return share(len(p.conns), len(rows), batch, func(client, from, to int) error {
		part := rows[from:to]
		switch {
		case what == ObjectsOnly:
			return p.count(ctx, client, len(part), pgObjectsOnly, columns(part)...)
		case len(part) == 1:
			r := &part[0]
			return p.count(ctx, client, 1, pgDeleteOne, rand.Int64(), time.Now().UnixMilli(), r.ID, r.UID, r.Pos, r.Seq)
		}
		return p.count(ctx, client, len(part), pgDeleteSet, append([]any{rand.Int64(), time.Now().UnixMilli()}, columns(part)...)...)
	})
}

// columns are the conditions of a batch.
func columns(rows []Row) []any {
	n := len(rows)
	ids, uids, pos, seq := make([]int64, n), make([]string, n), make([]int64, n), make([]int64, n)
	for i := range rows {
		r := &rows[i]
		ids[i], uids[i], pos[i], seq[i] = r.ID, r.UID, r.Pos, r.Seq
	}
	return []any{ids, uids, pos, seq}
}

// count runs a statement that deletes want objects.
func (p *Postgres) count(ctx context.Context, client, want int, text string, args ...any) error {
	var got int
	if err := p.all[client][text].QueryRowContext(ctx, args...).Scan(&got); err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("a statement deleted %d objects, want %d", got, want)
	}
	return nil
}

// Create inserts the rows one by one, in transactions of a batch each.
func (p *Postgres) Create(ctx context.Context, rows []Row, batch int) error {
	return share(len(p.conns), len(rows), batch, func(client, from, to int) error {
		tx, err := p.conns[client].BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		insert := tx.StmtContext(ctx, p.all[client][pgCreate])
		for i := from; i < to; i++ {
			r := &rows[i]
			changed, err := insert.ExecContext(ctx, r.Kind, r.Place, r.UID, r.Scope, r.Name, r.Body, r.Owner, rand.Int64(), time.Now().UnixMilli())
			if err := exactly(1, changed, err); err != nil {
				return errors.Join(err, tx.Rollback())
			}
		}
		return tx.Commit()
	})
}
