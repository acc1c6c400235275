package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// The statements of many plain deletions. A JSON array carries what each of them demands.
// The log then says which rows are as demanded.
func sqliteManyTexts() map[string]string {
	return map[string]string{
		"plainall": `INSERT INTO {log} (pos, mark, at, type, kind, uid, scope, name)
			SELECT ?2 + x.key, ?3, ?4, 2, o.kind, o.uid, o.scope, o.name FROM json_each(?1) x CROSS JOIN {objects} o ON o.uid = x.value ->> 0
			WHERE o.pos = x.value ->> 1 AND o.kind = x.value ->> 2 AND hex(o.place) = x.value ->> 3 AND NOT o.held`,
		"logged":    `SELECT uid FROM {log} WHERE pos >= ?1`,
		"disownall": `DELETE FROM {owners} WHERE uid IN (SELECT uid FROM {log} WHERE pos >= ?1)`,
		"deleteall": `DELETE FROM {objects} WHERE uid IN (SELECT uid FROM {log} WHERE pos >= ?1)`,
	}
}

// batchOnSQLite removes the objects of plain deletions together, and carries out the other
// writes one by one.
func (ses *session) batchOnSQLite(ctx context.Context, t *sqliteTables, writes []graph.Write, results []error) error {
	kinds, err := ses.s.readKinds(ctx, &ses.c)
	if err != nil {
		return err
	}
	plain, rest := ses.s.exactDeletions(kinds, writes)
	if len(plain) < 2 {
		return ses.batch(ctx, writes, allOf(writes), results)
	}
	done, err := t.removePlainAll(ctx, &ses.c, kinds, writes, plain)
	if err != nil {
		return err
	}
	for _, i := range plain {
		if done != nil && !done[writes[i].Options.Precondition.UID] {
			rest = append(rest, i)
		}
	}
	slices.Sort(rest)
	return ses.batch(ctx, writes, rest, results)
}

// removePlainAll removes the rows that are as the deletions demand. It returns their UIDs,
// or nil if these are all.
func (t *sqliteTables) removePlainAll(ctx context.Context, c *conn, kinds *kindSet, writes []graph.Write, plain []int) (map[graph.UID]bool, error) {
	list := make([][4]any, len(plain))
	for n, i := range plain {
		key, pre := writes[i].Key, writes[i].Options.Precondition
		place := placeOf(key)
		upper := hex.AppendEncode(make([]byte, 0, 2*len(place)), place)
		list[n] = [4]any{pre.UID, positionOf(pre.Version).pos, kinds.number(key.Kind), upperHex(upper)}
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	moment, _, err := t.moment(ctx, c)
	if err != nil {
		return nil, err
	}
	next := moment.pos
	r, err := c.exec(ctx, t.text[nameFor(c, "plainall")], string(text), next, newMark(), now())
	if err != nil {
		return nil, err
	}
	if c.s.conf.Archive != nil {
		if err := t.addEntries(ctx, c, writes, plain, next); err != nil {
			return nil, err
		}
	}
	if _, err := c.exec(ctx, t.text["disownall"], next); err != nil {
		return nil, err
	}
	gone, err := c.exec(ctx, t.text["deleteall"], next)
	if err != nil {
		return nil, err
	}
	n, err := r.RowsAffected()
	if err != nil {
		return nil, err
	}
	switch removed, err := gone.RowsAffected(); {
	case err != nil:
		return nil, err
	case removed != n:
		return nil, errIgnored
	case n == int64(len(plain)):
		return nil, nil
	}
	return t.logged(ctx, c, next)
}

// logged returns the UIDs of the changes from a position on.
func (t *sqliteTables) logged(ctx context.Context, c *conn, from int64) (map[graph.UID]bool, error) {
	done := map[graph.UID]bool{}
	err := c.each(ctx, t.text["logged"], []any{from}, func(rows *sql.Rows) error {
		var uid graph.UID
		if err := rows.Scan(&uid); err != nil {
			return err
		}
		done[uid] = true
		return nil
	})
	return done, err
}

// upperHex turns hexadecimal digits into those of SQLite.
func upperHex(b []byte) string {
	for i, c := range b {
		if c >= 'a' {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}
