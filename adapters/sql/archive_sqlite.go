package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// archiveColumns are the columns of {archive} that the removal of an object writes.
const archiveColumns = `uid, at, until, kind, scope, name, pos, seq, body, finalizers, explicit, orphaning, cause, restored, restored_scope, restored_name, labels, shape, payload, sealed, size`

// sqliteSize is the size of the payload of "entry".
const sqliteSize = `CASE WHEN ?13 IS NULL THEN length(CAST(o.labels AS BLOB)) + ?12 ELSE length(?13) END`

// sqliteArchiveTexts are statements for tables with archiveSchema. The program reads the row of the user and gives
// it to "entry", because SQLite writes no real number exactly as text. Like those of policies, they are prepared
// only when the version of the tables is known.
func sqliteArchiveTexts(c Config) map[string]string {
	if c.Archive == nil {
		return nil
	}
	return map[string]string{
		"trail" + withPolicies: `INSERT INTO {trails} (uid, explicit, orphaning, cause, holder, finalizers) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
			ON CONFLICT (uid) DO UPDATE SET explicit = explicit OR excluded.explicit, orphaning = orphaning OR excluded.orphaning,
			holder = CASE WHEN excluded.cause = x'' THEN holder ELSE excluded.holder END, cause = CASE WHEN excluded.cause = x'' THEN cause ELSE excluded.cause END`,
		"entry" + withPolicies: `INSERT OR REPLACE INTO {archive} (` + archiveColumns + `)
			SELECT o.uid, ?2, CASE WHEN (?3 OR coalesce(t.explicit, o.deleting)) AND ?8 > 0 THEN ?2 + ?8 ELSE 0 END, o.kind, o.scope, o.name, o.pos, 0, ?9,
			coalesce(t.finalizers, ?7), ?3 OR coalesce(t.explicit, o.deleting), ?4 OR coalesce(t.orphaning, 0), CASE WHEN ?5 = x'' THEN coalesce(t.cause, x'') ELSE ?5 END,
			'', '', '', CASE WHEN ?13 IS NULL THEN o.labels ELSE '' END, ?10, ?11, ?13, ` + sqliteSize + `
			FROM {objects} o LEFT JOIN {trails} t ON t.uid = o.uid WHERE o.uid = ?1 AND ` + sqliteSize + ` <= ?14
			RETURNING CASE WHEN ?5 = x'' THEN coalesce((SELECT t.holder FROM {trails} t WHERE t.uid = ?1), '') ELSE ?6 END`,
		"labelsof" + withPolicies: `SELECT labels FROM {objects} WHERE uid = ?1`,
		"name" + withPolicies:     `INSERT INTO {archive_owners} (owner, uid, leads) VALUES (?1, ?2, ?3) ON CONFLICT (owner, uid) DO UPDATE SET leads = leads OR excluded.leads`,
		"taken" + withPolicies:    sqliteTaken,
		"endtrail" + withPolicies: `DELETE FROM {trails} WHERE uid = ?1`,
		// The next ones are for plain deletions, whose objects have no mark and no policies.
		"entries" + withPolicies: `INSERT OR REPLACE INTO {archive} (` + archiveColumns + `)
			SELECT o.uid, ?2, CASE WHEN ?3 AND ?5 > 0 THEN ?2 + ?5 ELSE 0 END, o.kind, o.scope, o.name, o.pos, 0, o.body, '', ?3, 0, ?4,
			'', '', '', o.labels, x.value ->> 1, x.value ->> 2, NULL, length(CAST(o.labels AS BLOB)) + coalesce(length(CAST(x.value ->> 2 AS BLOB)), 0)
			FROM json_each(?1) x CROSS JOIN {objects} o ON o.uid = x.value ->> 0`,
		"names" + withPolicies: `INSERT INTO {archive_owners} (owner, uid, leads) SELECT w.owner, w.uid, 1 FROM json_each(?1) x CROSS JOIN {owners} w ON w.uid = x.value ->> 0
			WHERE w.owner <> w.uid ON CONFLICT (owner, uid) DO UPDATE SET leads = 1`,
		"holder" + withPolicies: `INSERT INTO {archive_owners} (owner, uid, leads) SELECT ?2, x.value ->> 0, 1 FROM json_each(?1) x
			WHERE true ON CONFLICT (owner, uid) DO UPDATE SET leads = 1`,
		"large" + withPolicies: `SELECT a.scope, a.name, a.size FROM json_each(?1) x CROSS JOIN {archive} a ON a.uid = x.value ->> 0 WHERE a.size > ?2 LIMIT 1`,
	}
}

func (t *sqliteTables) noteTrail(ctx context.Context, c *conn, r *row) (bool, error) {
	w := r.words
	_, err := c.exec(ctx, t.text["trail"+withPolicies], string(r.object.UID), w.explicit, w.orphaning, bytesOf(w.cause), w.holder, w.finalizers)
	return true, err
}

// addEntry writes the entry of an object that is there, and goes next.
func (t *sqliteTables) addEntry(ctx context.Context, c *conn, r *row) error {
	uid, w := string(r.object.UID), r.words
	found, err := t.readPayloads(ctx, c, r.object.Kind, []string{uid})
	if err != nil {
		return err
	}
	row, sealed := found[r.object.UID], any(nil)
	if w.seals {
		if sealed, err = t.seal(ctx, c, &r.object, row); err != nil {
			return err
		}
		row.text = sql.NullString{}
	}
	var holder string
	written, err := c.one(ctx, t.text["entry"+withPolicies], []any{uid, time.Now().UnixMicro(), w.explicit, w.orphaning, bytesOf(w.cause), w.holder, w.finalizers, w.keep,
		encodeBody(&r.object), row.shape, row.text, len(row.text.String), sealed, c.s.conf.Archive.Bound()}, &holder)
	switch {
	case err != nil:
		return err
	case !written:
		return t.notEntered(ctx, c, &r.object, len(row.text.String))
	}
	names := namesOf(&r.object)
	if holder != "" {
		names = append(names, named{holder, true})
	}
	for _, n := range names {
		if _, err := c.exec(ctx, t.text["name"+withPolicies], n.owner, uid, n.leads); err != nil {
			return err
		}
	}
	_, err = c.exec(ctx, t.text["endtrail"+withPolicies], uid)
	return err
}

// notEntered returns why there is no entry. A payload above the bound has written nothing, because the transaction may go on with
// other writes.
func (t *sqliteTables) notEntered(ctx context.Context, c *conn, o *graph.Object, row int) error {
	var labels string
	found, err := c.one(ctx, t.text["labelsof"+withPolicies], []any{string(o.UID)}, &labels)
	if err == nil && !found {
		err = errRaced
	}
	if err != nil {
		return err
	}
	return c.s.tooLarge(o.Key, len(labels)+row)
}

// seal returns the sealed payload of an object that is there.
func (t *sqliteTables) seal(ctx context.Context, c *conn, o *graph.Object, row rowOf) ([]byte, error) {
	p := openPayload{shape: row.shape, row: row.text}
	found, err := c.one(ctx, t.text["labelsof"+withPolicies], []any{string(o.UID)}, &p.labels)
	if err == nil && !found {
		err = errRaced
	}
	if err != nil {
		return nil, err
	}
	return c.s.seal(ctx, o.Key, &p)
}

// plainGroup are objects whose entries have the same words.
type plainGroup struct {
	kind  graph.Kind
	words *words
	uids  []string
}

// addEntries writes the entries of the plain deletions that the log has from a position on. The objects of one
// kind that go for the same cause take the same statements.
func (t *sqliteTables) addEntries(ctx context.Context, c *conn, writes []graph.Write, plain []int, from int64) error {
	gone, err := t.logged(ctx, c, from)
	if err != nil {
		return err
	}
	var groups []*plainGroup
	known := map[string]*plainGroup{}
	for _, i := range plain {
		kind, uid := writes[i].Key.Kind, writes[i].Options.Precondition.UID
		w := c.s.wordsOfDeletion(kind, &writes[i].Options)
		if w == nil || !gone[uid] {
			continue
		}
		name := string(kind) + "/" + string(w.cause)
		g := known[name]
		if g == nil {
			g = &plainGroup{kind: kind, words: w}
			known[name], groups = g, append(groups, g)
		}
		g.uids = append(g.uids, string(uid))
	}
	for _, g := range groups {
		if err := t.addGroup(ctx, c, g); err != nil {
			return err
		}
	}
	return nil
}

func textOrNil(s sql.NullString) any {
	if !s.Valid {
		return nil
	}
	return s.String
}

func (t *sqliteTables) addGroup(ctx context.Context, c *conn, g *plainGroup) error {
	w := g.words
	rows, err := t.readPayloads(ctx, c, g.kind, g.uids)
	if err != nil {
		return err
	}
	entries := make([][3]any, len(g.uids)) // UIDs, shapes and payloads
	for i, uid := range g.uids {
		row := rows[graph.UID(uid)]
		entries[i] = [3]any{uid, textOrNil(row.shape), textOrNil(row.text)}
	}
	b, err := json.Marshal(entries)
	if err != nil {
		return err
	}
	list := string(b)
	r, err := c.exec(ctx, t.text["entries"+withPolicies], list, time.Now().UnixMicro(), w.explicit, bytesOf(w.cause), w.keep)
	if err := allRows(r, err, len(g.uids)); err != nil {
		return err
	}
	if _, err := c.exec(ctx, t.text["names"+withPolicies], list); err != nil {
		return err
	}
	if w.holder != "" {
		if _, err := c.exec(ctx, t.text["holder"+withPolicies], list, w.holder); err != nil {
			return err
		}
	}
	large, size := graph.Key{Kind: g.kind}, 0
	found, err := c.one(ctx, t.text["large"+withPolicies], []any{list, c.s.conf.Archive.Bound()}, &large.Scope, &large.Name, &size)
	if found {
		err = c.s.tooLarge(large, size)
	}
	return err
}
