package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// sqliteTables has the statements of SQLite. SQLite has one writer at a time, so the
// numbers of the log have the order of the commits.
type sqliteTables struct {
	conf Config
	text map[string]string
}

// The types of a change in the log.
const (
	logUnset  = iota // a row that only keeps the last number
	logPut           // body is the state of the object
	logGone          // the object is removed
	logKinds         // the set of kinds has changed
	logEpochs        // a restored database has begun a new epoch
)

func sqliteTexts() map[string]string {
	return map[string]string{
		// It changes no row. It takes the lock of the writer before the first read, so that a
		// read is never older than the writes that rest on it.
		"lock":  `DELETE FROM {meta} WHERE id < 0`,
		"kinds": `SELECT {stamp}, m.version, {start}, 0, k.id, k.kind, k.scoped, k.no_owner, k.served FROM {meta} m LEFT JOIN {kinds} k ON 1 WHERE m.id = 1`,
		"find": `SELECT {stamp}, o.id, o.uid, o.pos, o.body, o.labels, 0 FROM {meta} m
		LEFT JOIN {objects} o ON o.kind = ?1 AND o.place = ?2 WHERE m.id = 1`,
		"log": `INSERT INTO {log} (pos, mark, at, type, kind, uid, scope, name, body)
		SELECT pos + 1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 FROM {log} ORDER BY pos DESC LIMIT 1 RETURNING pos`,
		"insert": `INSERT INTO {objects} (id, kind, place, uid, scope, name, pos, deleting, held, body, labels)
		SELECT p.pos, ?1, ?2, ?3, ?4, ?5, p.pos, ?6, ?7, ?8, '' FROM (SELECT l.pos + 1 AS pos FROM {log} l ORDER BY l.pos DESC LIMIT 1) p WHERE true
		ON CONFLICT (kind, place) DO NOTHING RETURNING pos`,
		"logat":   `INSERT INTO {log} (pos, mark, at, type, kind, uid, scope, name, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
		"update":  `UPDATE {objects} SET pos = ?1, deleting = ?2, held = ?3, body = ?4, labels = ?5 WHERE id = ?6`,
		"delete":  `DELETE FROM {objects} WHERE id = ?1`,
		"own":     `INSERT INTO {owners} (uid, owner) VALUES (?1, ?2)`,
		"disown":  `DELETE FROM {owners} WHERE uid = ?1 AND owner = ?2`,
		"kindrow": `INSERT INTO {kinds} (kind, scoped, no_owner, served) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (kind) DO UPDATE SET no_owner = ?3, served = ?4`,
		"stamp":   `UPDATE {meta} SET kinds = ?1 WHERE id = 1`,
		"moment":  `SELECT l.pos + 1 FROM {meta} m, {log} l WHERE m.id = 1 AND {stamp} >= 0 ORDER BY l.pos DESC LIMIT 1`,
		"all":     `SELECT id, kind, uid, scope, name, pos, 0, body FROM {objects} WHERE id > ?1 ORDER BY id LIMIT ?2`,
		"kind":    `SELECT id, kind, uid, scope, name, pos, 0, body, place, labels FROM {objects} WHERE kind = ?1 AND place > ?2 ORDER BY place LIMIT ?3`,
		"look":    sqliteLook,
		"bounds": `SELECT b.low, b.high, (SELECT pos FROM {log} WHERE pos < b.low + ?2 AND at >= ?1 ORDER BY pos LIMIT 1)
		FROM (SELECT (SELECT pos FROM {log} ORDER BY pos LIMIT 1) AS low, (SELECT pos FROM {log} ORDER BY pos DESC LIMIT 1) AS high) b, {meta} m
		WHERE b.low IS NOT NULL AND m.id = 1 AND {stamp} >= 0`,
		"cut":   `DELETE FROM {log} WHERE pos < ?1`,
		"floor": `UPDATE {meta} SET floor = ?1 WHERE id = 1`,
		"owner": `SELECT id, kind, uid, scope, name, pos, 0, body, place, labels FROM {objects} WHERE uid = ?1`,
	}
}

const sqliteLook = `SELECT {stamp}, m.epoch, m.reason, m.floor, (SELECT pos + 1 FROM {log} ORDER BY pos DESC LIMIT 1),
		(SELECT mark FROM {log} WHERE pos = ?1), (SELECT mark FROM {log} ORDER BY pos DESC LIMIT 1), l.pos, l.mark, l.type, l.kind, l.uid, l.scope, l.name, l.body
	FROM {meta} m LEFT JOIN (SELECT * FROM {log} WHERE pos >= ?2 ORDER BY pos LIMIT ?3) l ON 1
	WHERE m.id = 1 ORDER BY l.pos`

func newSQLite(c Config) tables {
	t := &sqliteTables{conf: c, text: map[string]string{}}
	names := c.names()
	for _, texts := range []map[string]string{sqliteTexts(), sqliteManyTexts(), sqlitePolicyTexts(c.Strict), sqliteArchiveTexts(c)} {
		for key, text := range texts {
			t.text[key] = names.Replace(text)
		}
	}
	return t
}

func (t *sqliteTables) texts(policies bool) (list []string) {
	for key, text := range t.text {
		if policies || !strings.HasSuffix(key, withPolicies) {
			list = append(list, text)
		}
	}
	return list
}

func (t *sqliteTables) lock(ctx context.Context, c *conn) error {
	_, err := c.exec(ctx, t.text["lock"])
	return err
}

func (t *sqliteTables) kinds(ctx context.Context, c *conn) (*kindSet, error) {
	return scanKinds(ctx, c, t.text["kinds"])
}

// scanKinds reads the stamp, the server and the kinds of a query.
func scanKinds(ctx context.Context, c *conn, text string) (*kindSet, error) {
	set := &kindSet{stamp: stampNone, byName: map[graph.Kind]kindRow{}, byID: map[int64]kindRow{}}
	err := c.each(ctx, text, nil, func(rows *sql.Rows) error {
		var id sql.NullInt64
		var kind sql.NullString
		var scoped, noOwner, served sql.NullBool
		if err := rows.Scan(&set.stamp, &set.version, &set.start, &set.system, &id, &kind, &scoped, &noOwner, &served); err != nil {
			return err
		}
		if id.Valid {
			set.add(kindRow{id.Int64, graph.KindInfo{Kind: graph.Kind(kind.String), Scoped: scoped.Bool, NoOwner: noOwner.Bool}, served.Bool})
		}
		return nil
	})
	if err == nil {
		err = checkStamp(set.stamp)
	}
	return set, err
}

func (t *sqliteTables) find(ctx context.Context, c *conn, kind int64, place []byte, _ bool) (*row, int64, error) {
	var stamp int64
	var id, pos sql.NullInt64
	var uid, labels sql.NullString
	var body []byte
	var restricted bool
	if _, err := c.one(ctx, t.text[nameFor(c, "find")], []any{kind, place}, &stamp, &id, &uid, &pos, &body, &labels, &restricted); err != nil || !id.Valid {
		return nil, stamp, err
	}
	r := &row{id: id.Int64, kind: kind, labels: labels.String, restricted: restricted}
	r.object.UID = graph.UID(uid.String)
	r.setAt(position{pos: pos.Int64})
	return r, stamp, decodeBody(body, &r.object)
}

// log appends a change, and returns its number.
func (t *sqliteTables) log(ctx context.Context, c *conn, what int, kind int64, key graph.Key, body []byte) (pos int64, err error) {
	found, err := c.one(ctx, t.text["log"], []any{newMark(), now(), what, kind, string(key.UID), key.Scope, key.Name, body}, &pos)
	if err == nil && !found {
		err = errLogEmpty
	}
	return pos, err
}

func (t *sqliteTables) create(ctx context.Context, c *conn, r *row, _ int64) (bool, error) {
	o := &r.object
	body := encodeBody(o)
	var pos int64
	made, err := c.one(ctx, t.text["insert"], []any{r.kind, r.place, string(o.UID), o.Scope, o.Name, o.Deleting, r.held(), body}, &pos)
	if !made || err != nil {
		if err == nil {
			_, _, err = t.moment(ctx, c)
		}
		return false, err
	}
	r.id = pos
	r.setAt(position{pos: pos})
	if _, err := c.exec(ctx, t.text["logat"], pos, newMark(), now(), logPut, r.kind, string(o.UID), o.Scope, o.Name, body); err != nil {
		return false, err
	}
	return true, t.setOwners(ctx, c, nil, o)
}

// setOwners writes the rows of owners and, after the step of policies, those of restricted owners.
// Old is nil for a new object, and next for a removed one.
func (t *sqliteTables) setOwners(ctx context.Context, c *conn, old, next *graph.Object) error {
	uid := cmp.Or(old, next).UID
	removed, added := difference(cmp.Or(old, &graph.Object{}), cmp.Or(next, &graph.Object{}))
	lists := map[string][]string{"disown": removed, "own": added}
	if c.policies {
		lists["unrestrict"+withPolicies], lists["restrict"+withPolicies] = restrictsFor(old, next)
	}
	for _, text := range []string{"disown", "own", "unrestrict" + withPolicies, "restrict" + withPolicies} {
		for _, owner := range lists[text] {
			if _, err := c.exec(ctx, t.text[text], string(uid), owner); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *sqliteTables) change(ctx context.Context, c *conn, old, next *row) (bool, error) {
	o := &next.object
	body := encodeBody(o)
	pos, err := t.log(ctx, c, logPut, next.kind, o.Key, body)
	if err != nil {
		return false, err
	}
	next.setAt(position{pos: pos})
	if err := c.execOne(ctx, t.text["update"], pos, o.Deleting, next.held(), body, next.labels, next.id); err != nil {
		return false, err
	}
	if next.words != nil {
		if _, err := t.noteTrail(ctx, c, next); err != nil {
			return false, err
		}
	}
	return true, t.setOwners(ctx, c, &old.object, o)
}

func (t *sqliteTables) remove(ctx context.Context, c *conn, old, next *row) (bool, error) {
	key := &old.object.Key
	if next.words != nil {
		if err := t.addEntry(ctx, c, next); err != nil {
			return false, err
		}
	}
	if _, err := t.log(ctx, c, logGone, old.kind, *key, nil); err != nil {
		return false, err
	}
	if err := t.setOwners(ctx, c, &old.object, nil); err != nil {
		return false, err
	}
	return true, c.execOne(ctx, t.text["delete"], old.id)
}

func (t *sqliteTables) removePlain(context.Context, *conn, int64, []byte, graph.Precondition, int64, *words) (bool, error) {
	return false, nil // a read costs no round trip
}

func (t *sqliteTables) setKind(ctx context.Context, c *conn, info graph.KindInfo, served bool) error {
	if _, err := c.exec(ctx, t.text["kindrow"], string(info.Kind), info.Scoped, info.NoOwner, served); err != nil {
		return err
	}
	_, err := t.log(ctx, c, logKinds, 0, graph.Key{}, nil)
	if errors.Is(err, errLogEmpty) { // as in Migrate; after a new epoch every watch reads the kinds
		err = t.refill(ctx, c)
	}
	if err != nil {
		return err
	}
	_, err = c.exec(ctx, t.text["stamp"], rand.Int64())
	return err
}

func (t *sqliteTables) moment(ctx context.Context, c *conn) (p position, start int64, err error) {
	err = c.there(ctx, t.text["moment"], nil, &p.pos)
	return p, 0, err
}

func (t *sqliteTables) page(ctx context.Context, c *conn, kind, after int64, place []byte, limit int, add func(*row) error) error {
	if kind == 0 {
		return c.each(ctx, t.text["all"], []any{after, limit}, func(rows *sql.Rows) error { return scanRow(rows, false, add) })
	}
	return c.each(ctx, t.text["kind"], []any{kind, place, limit}, func(rows *sql.Rows) error { return scanRow(rows, true, add) })
}

func (t *sqliteTables) owners(ctx context.Context, c *conn, uids []string, _ bool, add func(*row) error) error {
	for _, uid := range uids {
		if err := c.each(ctx, t.text["owner"], []any{uid}, func(rows *sql.Rows) error { return scanRow(rows, true, add) }); err != nil {
			return err
		}
	}
	return nil
}

func (t *sqliteTables) after(p position) position { return position{pos: p.pos + 1} }

func (t *sqliteTables) known(next position, _ bool) graph.Version {
	return position{pos: next.pos - 1}.version()
}

// compact keeps the newest change, because the next number follows it.
func (t *sqliteTables) compact(ctx context.Context, c *conn, x *cut) (more bool, err error) {
	var low, high int64
	var young sql.NullInt64
	if err := c.there(ctx, t.text["bounds"], []any{x.before, maxCut}, &low, &high, &young); err != nil {
		return false, err
	}
	floor := low + maxCut
	if young.Valid {
		floor = min(max(young.Int64, high-int64(x.keep)), floor)
	}
	floor = min(floor, high)
	if floor <= low {
		return false, nil
	}
	if _, err := c.exec(ctx, t.text["cut"], floor); err != nil {
		return false, err
	}
	_, err = c.exec(ctx, t.text["floor"], floor)
	return floor == low+maxCut && floor < high, err
}

func (t *sqliteTables) restored(ctx context.Context, c *conn, expect *string, epoch, reason string, base int64) error {
	var now string
	var high int64
	names := t.conf.names()
	const heights = `SELECT m.epoch, max(m.floor, coalesce((SELECT max(pos) FROM {log}), 0), coalesce((SELECT max(pos) FROM {objects}), 0)) FROM {meta} m
		WHERE m.id = 1 AND {stamp} >= 0`
	if err := c.there(ctx, names.Replace(heights), nil, &now, &high); err != nil {
		return err
	}
	if expect != nil && now != *expect {
		return nil // another process was first
	}
	base = max(base, high+minJump)
	for _, x := range []struct {
		text string
		args []any
	}{
		{`UPDATE {objects} SET pos = ?1`, []any{base}},
		{`DELETE FROM {log}`, nil},
		{`INSERT INTO {log} (pos, mark, at, type, kind, uid, scope, name) VALUES (?1, ?2, ?3, ?4, 0, '', '', '')`,
			[]any{base, newMark(), time.Now().UnixMilli(), logEpochs}},
		{`UPDATE {meta} SET epoch = ?1, reason = ?2, floor = ?3 WHERE id = 1`, []any{epoch, reason, base}},
	} {
		if _, err := c.exec(ctx, names.Replace(x.text), x.args...); err != nil {
			return err
		}
	}
	return nil
}

// describe and freshen have nothing to do, because SQLite has one writer.
func (t *sqliteTables) describe(context.Context, *conn, writer) (string, error) { return "", nil }
func (t *sqliteTables) freshen(context.Context, *conn) (bool, error)            { return false, nil }

// lockRow has nothing to do, because SQLite has one writer.
func (t *sqliteTables) lockRow(context.Context, *conn, *row) (bool, error) { return true, nil }

func (t *sqliteTables) createAll(ctx context.Context, c *conn, list []*row, stamp int64) (bool, error) {
	for _, r := range list {
		if done, err := t.create(ctx, c, r, stamp); !done || err != nil {
			return false, err
		}
	}
	return true, nil
}
