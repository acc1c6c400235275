package sqlstore

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// withSealed ends the name of a statement as withArchive does, for rows of which some are sealed.
const withSealed = "@sealed"

// maxSealed bounds the rows of a statement that has sealed payloads, so that the program holds at most that number of
// payloads.
const maxSealed = 64

// pgUnsealed returns the statement that reads the payloads of sealed kinds. It locks the objects, and then their rows. So both
// stay as they are until the next statement of the transaction removes them.
//
//test:by TestSealedRowChanges
func pgUnsealed(c Config) string {
	return `WITH o AS (SELECT o.uid, o.kind, o.labels FROM {objects} o JOIN unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS u(id, pos, seq)
			ON o.id = u.id AND o.pos = u.pos AND o.seq = u.seq ORDER BY o.uid FOR UPDATE OF o),` + pgRows(c, true) + `
		z AS (SELECT 1)
		SELECT o.uid, o.labels, v.shape, v.payload FROM o CROSS JOIN z LEFT JOIN (` + pgAllRows(c, true) + `) v ON v.uid = o.uid`
}

// isSealed reports whether the removal of the row needs a sealed payload.
func (r *row) isSealed() bool { return r.words != nil && r.words.seals }

// sealAll seals the payloads of those rows that need that, and reports whether these are as they were read. Only the sealed
// payloads reach the archive: its pages, its log and its dead rows have no others.
func (t *postgresTables) sealAll(ctx context.Context, c *conn, list []*row) (same bool, err error) {
	var x columns
	rows := map[graph.UID]*row{}
	for _, r := range list {
		if r.isSealed() {
			x.add(r)
			rows[r.object.UID] = r
		}
	}
	if len(rows) == 0 {
		return true, nil
	}
	if c.tx == nil {
		return false, fmt.Errorf("archive: a sealed payload needs a transaction: %w", graph.ErrRefused)
	}
	err = c.each(ctx, t.text["unsealed"], []any{x.ids, x.pos, x.seq}, func(found *sql.Rows) error {
		var uid graph.UID
		var p openPayload
		if err := found.Scan(&uid, &p.labels, &p.shape, &p.row); err != nil {
			return err
		}
		r := rows[uid]
		delete(rows, uid)
		r.words.shape = p.shape.String
		r.words.sealed, err = c.s.seal(ctx, r.object.Key, &p)
		return err
	})
	return len(rows) == 0, err
}

// withEntries returns a statement of a removal with its words and entries, and the arguments of that.
func (c *columns) withEntries(text string, args []any) (string, []any) {
	args = append(append(args, c.endings()...), c.namings()...)
	if !c.archived.seals {
		return text + withArchive, args
	}
	return text + withSealed, append(args, c.archived.sealed, c.archived.shapes)
}
