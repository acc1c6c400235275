package sqlstore

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// postgresTables has the statements of Postgres. Writers commit at the same time. So a
// change has no number in the order of the commits. Its position is
//
//	pos = the largest of: the number of its transaction, the last transaction that had ended
//	      when the statement began, the pos of the object before, the setting of freshen
//	seq = a number of the sequence, drawn by the statement
//
// Both rise along the changes of an object, because the next change waits for the lock of
// the row. If a statement begins after the commit of another change, it also has a higher
// position. No position is below the number of its transaction. See postgres_bound.go for the
// changes that are there to read.
type postgresTables struct {
	conf  Config
	names *strings.Replacer
	text  map[string]string

	control   atomic.Bool // the role may call pg_control_system
	snapshots atomic.Bool // by default, a transaction has one snapshot
}

const (
	// pgPos is the least position of a new change. The row of {meta} is m.
	pgPos = `greatest(pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1, ` + pgLeast + `) + m.base`
	// pgUnchanged finds the row o in the snapshot of the statement. A statement that has waited for
	// the lock of a row tests its condition on the newest state. Then the other parts of the
	// statement would not see what the other transaction has written.
	pgUnchanged = `SELECT 1 FROM {objects} s WHERE s.id = o.id AND s.pos = o.pos AND s.seq = o.seq`
	// pgTop is above the pos of each change that is committed.
	pgTop = `pg_snapshot_xmax(pg_current_snapshot())::text::bigint + m.base`
)

func postgresTexts() map[string]string {
	return map[string]string{
		"kinds": `SELECT {stamp}, m.version, {start}, {system}, k.id, k.kind, k.scoped, k.no_owner, k.served FROM {meta} m LEFT JOIN {kinds} k ON true WHERE m.id = 1`,
		"find": `SELECT {stamp}, o.id, o.uid, o.pos, o.seq, o.body, o.labels{restricted} FROM {meta} m
		LEFT JOIN {objects} o ON o.kind = $1 AND o.place = $2 WHERE m.id = 1`,
		"findlocked": `SELECT (SELECT {stamp} FROM {meta} m WHERE m.id = 1), o.id, o.uid, o.pos, o.seq, o.body, o.labels{restricted} FROM {objects} o
		WHERE o.kind = $1 AND o.place = $2 FOR UPDATE`,
		"create": `WITH p AS (SELECT nextval('{seq}') AS seq, ` + pgPos + ` AS pos FROM {meta} m WHERE m.id = 1 AND {stamp} = $1),
		o AS (INSERT INTO {objects} (id, kind, place, uid, scope, name, pos, seq, deleting, held, body, labels)
			SELECT p.seq, $2::integer, $3::bytea, $4::text, $5::text, $6::text, p.pos, p.seq, $7::boolean, $8::boolean, $9::bytea, '' FROM p
			ON CONFLICT (kind, place) DO NOTHING RETURNING pos, seq),
		r AS (INSERT INTO {owners} (uid, owner) SELECT $4::text, x FROM o, unnest($10::text[]) x),{+restricts}
		l AS (INSERT INTO {log} (pos, seq, mark, at, type, kind, uid, scope, name, body)
			SELECT pos, seq, $11::bigint, $12::bigint, 1, $2::integer, $4::text, $5::text, $6::text, $9::bytea FROM o)
		SELECT pos, seq, seq{notify} FROM o`,
		"change": `WITH p AS (SELECT nextval('{seq}') AS seq, ` + pgPos + ` AS pos FROM {meta} m WHERE m.id = 1 AND {stamp} = $12),
		o AS (UPDATE {objects} o SET pos = greatest(o.pos, p.pos), seq = p.seq, deleting = $4, held = $5, body = $6, labels = $7
			FROM p WHERE o.id = $1 AND o.pos = $2 AND o.seq = $3 RETURNING o.id, o.kind, o.uid, o.scope, o.name, o.pos, o.seq, o.body),
		d AS (DELETE FROM {owners} w USING o WHERE w.uid = o.uid AND w.owner = ANY ($8::text[])),
		r AS (INSERT INTO {owners} (uid, owner) SELECT o.uid, x FROM o, unnest($9::text[]) x),{+restricts}{+archive}
		l AS (INSERT INTO {log} (pos, seq, mark, at, type, kind, uid, scope, name, body)
			SELECT pos, seq, $10::bigint, $11::bigint, 1, kind, uid, scope, name, body FROM o)
		SELECT pos, seq, id{notify} FROM o`,
		"remove":  pgRemove(`0`, `WHERE o.id = $3 AND o.pos = $4 AND o.seq = $5 AND EXISTS (SELECT 1 FROM {meta} m WHERE {stamp} = $6)`),
		"plain":   pgRemove(`0`, `WHERE o.kind = $3 AND o.place = $4 AND NOT o.held{plain} AND EXISTS (`+pgUnchanged+`) AND ($5 = '' OR o.uid = $5) AND ($6::bigint = 0 OR o.pos = $6::bigint AND o.seq = $7::bigint) AND EXISTS (SELECT 1 FROM {meta} m WHERE {stamp} = $8)`),
		"server":  `SELECT pg_is_in_recovery(), {system}`,
		"tables":  `SELECT {stamp}, {start}, {system} FROM {meta} m WHERE m.id = 1`,
		"kindrow": `INSERT INTO {kinds} (kind, scoped, no_owner, served) VALUES ($1, $2, $3, $4) ON CONFLICT (kind) DO UPDATE SET no_owner = $3, served = $4`,
		"stamp":   `UPDATE {meta} SET kinds = $1 WHERE id = 1`,
		"note": `INSERT INTO {log} (pos, seq, mark, at, type, kind, uid, scope, name)
		SELECT ` + pgPos + `, nextval('{seq}'), $1, $2, $3, 0, '', '', '' FROM {meta} m WHERE m.id = 1`,
		"moment": pgMoment,
		"bound":  pgBound,
		"writer": pgWriter, "prepared": pgPrepared,
		"level": pgLevel, "lockall": `LOCK TABLE {objects}, {log} IN ROW EXCLUSIVE MODE`, "current": `SELECT id FROM {kinds} ORDER BY id LIMIT 1 FOR SHARE`, "number": pgNumber, "setleast": pgSetLeast,
		"all":         `SELECT id, kind, uid, scope, name, pos, seq, body FROM {objects} WHERE id > $1 ORDER BY id LIMIT $2`,
		"kind":        `SELECT id, kind, uid, scope, name, pos, seq, body, place, labels FROM {objects} WHERE kind = $1 AND place > $2 ORDER BY place LIMIT $3`,
		"owners":      `SELECT id, kind, uid, scope, name, pos, seq, body, place, labels FROM {objects} WHERE uid = ANY ($1::text[]) ORDER BY uid FOR SHARE`,
		"ownersfirst": `SELECT id, kind, uid, scope, name, pos, seq, body, place, labels FROM {objects} WHERE uid = ANY ($1::text[]) ORDER BY uid FOR NO KEY UPDATE`,
		"look": `SELECT {stamp}, {start}, {system}, m.epoch, m.reason, m.floor, coalesce((SELECT true FROM {log} WHERE (pos, seq) >= ($6, $7) ORDER BY pos, seq LIMIT 1), false),
			m.floor > h.top OR coalesce((SELECT pos FROM {log} ORDER BY pos DESC, seq DESC LIMIT 1) >= h.top, false), a.mark, t.pos, t.seq, t.mark,
			l.pos, l.seq, l.mark, l.type, l.kind, l.uid, l.scope, l.name, l.body
		FROM {meta} m CROSS JOIN LATERAL (SELECT ` + pgTop + ` AS top) h LEFT JOIN {log} a ON a.pos = $1 AND a.seq = $2
		LEFT JOIN LATERAL (SELECT pos, seq, mark FROM {log} WHERE (pos, seq) < ($6, $7) ORDER BY pos DESC, seq DESC LIMIT 1) t ON true
		LEFT JOIN LATERAL (SELECT * FROM {log} WHERE (pos, seq) >= ($3, $4) AND (pos, seq) < ($6, $7) ORDER BY pos, seq LIMIT $5) l ON true
		WHERE m.id = 1 ORDER BY l.pos, l.seq`,
		"bounds": `SELECT (SELECT pos FROM {log} ORDER BY pos, seq LIMIT 1), (SELECT pos FROM {log} ORDER BY pos DESC, seq DESC OFFSET $1 LIMIT 1),
		m.floor, m.epoch FROM {meta} m WHERE m.id = 1`,
		"part": `WITH part AS MATERIALIZED (SELECT pos, seq, at FROM {log} WHERE pos >= $1 ORDER BY pos, seq LIMIT $3 + 1)
		SELECT (SELECT pos FROM part ORDER BY pos, seq LIMIT 1), (SELECT pos FROM part WHERE at >= $2 ORDER BY pos, seq LIMIT 1),
		(SELECT pos FROM part ORDER BY pos, seq OFFSET $3 LIMIT 1)`,
		"lockRow": `SELECT id FROM {objects} WHERE id = $1 AND pos = $2 AND seq = $3 FOR UPDATE`,
		"cut":     `DELETE FROM {log} WHERE pos >= $1 AND pos < $2`,
		"floor":   `UPDATE {meta} SET floor = greatest(floor, $1) WHERE id = 1`,
		"heights": `SELECT m.epoch, greatest(` + pgTop + `, m.floor, (SELECT max(pos) FROM {objects}), (SELECT max(pos) FROM {log}))
		FROM {meta} m WHERE m.id = 1 AND {stamp} >= 0`,
	}
}

// pgRemove returns the statement that removes the rows of a condition, and logs that. It
// returns a row for each of them, with out in it.
func pgRemove(out, where string) string {
	return `WITH o AS (DELETE FROM {objects} o ` + where + ` RETURNING o.kind, o.uid, o.scope, o.name, o.pos{+o}),
		d AS (DELETE FROM {owners} w USING o WHERE w.uid = o.uid{+d}),{+restricts}{+archive}
		l AS (INSERT INTO {log} (pos, seq, mark, at, type, kind, uid, scope, name)
			SELECT greatest(o.pos, ` + pgPos + `), nextval('{seq}'), $1::bigint, $2::bigint, 2, o.kind, o.uid, o.scope, o.name FROM o, {meta} m)
		SELECT ` + out + `, 0, 0{notify} FROM o`
}

func newPostgres(c Config) tables {
	t := &postgresTables{conf: c, names: c.names(), text: map[string]string{}}
	notify := ""
	if c.Channel != "" {
		notify = ` + coalesce(length(pg_notify('` + c.Channel + `', '')::text), 0)`
	}
	for _, texts := range []map[string]string{postgresTexts(), postgresManyTexts(), postgresPolicyTexts(c.Strict)} {
		for key, text := range texts {
			text = withoutPolicies(text)
			if c.Archive != nil && strings.Contains(text, "{+archive}") {
				t.set(key+withArchive, withEntries(c, key, text, false), notify)
				t.set(key+withSealed, withEntries(c, key, text, true), notify)
			}
			t.set(key, withoutEntries(text), notify)
		}
	}
	if c.Archive != nil {
		t.set("noteall"+withArchive, withEntries(c, "noteall", pgNote, false), notify)
		t.set("unsealed", pgUnsealed(c), notify)
	}
	return t
}

// set keeps a statement under its name.
func (t *postgresTables) set(name, text, notify string) {
	text = strings.ReplaceAll(t.names.Replace(text), "{notify}", notify)
	t.text[name] = strings.ReplaceAll(text, "{system}", "0::bigint")
	t.text[name+withSystem] = strings.ReplaceAll(text, "{system}", systemText)
}

// withSystem ends the name of a statement that reads the system identifier.
const withSystem = "+"

// textOf returns a statement that reads the system identifier, if the role may.
func (t *postgresTables) textOf(name string) string {
	if t.control.Load() {
		name += withSystem
	}
	return t.text[name]
}

// texts is empty, because drivers of Postgres keep prepared statements themselves.
func (t *postgresTables) texts(bool) []string { return nil }

func (t *postgresTables) lock(context.Context, *conn) error { return nil }

func (t *postgresTables) kinds(ctx context.Context, c *conn) (*kindSet, error) {
	return scanKinds(ctx, c, t.textOf("kinds"))
}

// find locks a row that is there. If none is there, a second statement reads the kinds.
func (t *postgresTables) find(ctx context.Context, c *conn, kind int64, place []byte, lock bool) (*row, int64, error) {
	if !lock {
		return t.scanFound(ctx, c, "find", kind, place)
	}
	for range maxStale {
		if r, stamp, err := t.scanFound(ctx, c, "findlocked", kind, place); r != nil || err != nil {
			return r, stamp, err
		}
		if r, stamp, err := t.scanFound(ctx, c, "find", kind, place); r == nil || err != nil {
			return nil, stamp, err
		}
	}
	return nil, 0, errRaced
}

func (t *postgresTables) scanFound(ctx context.Context, c *conn, text string, kind int64, place []byte) (*row, int64, error) {
	var stamp int64
	var id, pos, seq sql.NullInt64
	var uid, labels sql.NullString
	var body []byte
	var restricted sql.NullBool
	if _, err := c.one(ctx, t.text[nameFor(c, text)], []any{kind, place}, &stamp, &id, &uid, &pos, &seq, &body, &labels, &restricted); err != nil || !id.Valid {
		return nil, stamp, err
	}
	r := &row{id: id.Int64, kind: kind, labels: labels.String, restricted: restricted.Bool}
	r.object.UID = graph.UID(uid.String)
	r.setAt(position{pos.Int64, seq.Int64})
	return r, stamp, decodeBody(body, &r.object)
}

// write runs a statement that writes one row, and reports whether it did. It sets the
// position and, for a new row, the id.
func (t *postgresTables) write(ctx context.Context, c *conn, text string, r *row, args ...any) (bool, error) {
	var at position
	var id int64
	done, err := c.one(ctx, t.text[text], args, &at.pos, &at.seq, &id)
	if done && r != nil {
		r.id = id
		r.setAt(at)
	}
	return done, err
}

func (t *postgresTables) create(ctx context.Context, c *conn, r *row, stamp int64) (bool, error) {
	o := &r.object
	text, args := "create", []any{stamp, r.kind, r.place, string(o.UID), o.Scope, o.Name, o.Deleting, r.held(), encodeBody(o), owners(o), newMark(), now()}
	if c.policies && hasPolicy(o) {
		_, is := restrictsFor(nil, o)
		text, args = text+withPolicies, append(args, is)
	}
	return t.write(ctx, c, text, r, args...)
}

func (t *postgresTables) change(ctx context.Context, c *conn, old, next *row) (bool, error) {
	o := &next.object
	removed, added := difference(&old.object, o)
	text, args := "change", []any{old.id, old.at.pos, old.at.seq, o.Deleting, next.held(), encodeBody(o), next.labels, removed, added, newMark(), now(), old.stamp}
	if c.policies && (hasPolicy(&old.object) || hasPolicy(o)) {
		dropped, is := restrictsFor(&old.object, o)
		text, args = text+withPolicies, append(args, dropped, is)
	}
	if next.words != nil {
		var x columns
		x.addWords(next, false)
		text, args = text+withArchive, append(args, x.noted()...)
	}
	return t.write(ctx, c, text, next, args...)
}

func (t *postgresTables) remove(ctx context.Context, c *conn, old, next *row) (bool, error) {
	text, args := "remove", []any{newMark(), now(), old.id, old.at.pos, old.at.seq, old.stamp}
	if c.policies && hasPolicy(&old.object) {
		dropped, _ := restrictsFor(&old.object, nil)
		text, args = text+withPolicies, append(args, dropped)
	}
	if next.words != nil {
		if same, err := t.sealAll(ctx, c, []*row{next}); !same || err != nil {
			return false, err
		}
		var x columns
		x.addWords(next, true)
		text, args = x.withEntries(text, args)
	}
	return t.write(ctx, c, text, nil, args...)
}

func (t *postgresTables) removePlain(ctx context.Context, c *conn, kind int64, place []byte, pre graph.Precondition, stamp int64, w *words) (bool, error) {
	at := positionOf(pre.Version)
	if pre.Version != "" && (at.pos == 0 || at.version() != pre.Version) || !isPlainText(string(pre.UID)) {
		return false, nil // no version of this store; the rules refuse it
	}
	text, args := nameFor(c, "plain"), []any{newMark(), now(), kind, place, string(pre.UID), at.pos, at.seq, stamp}
	if w != nil {
		text, args = text+withArchive, append(args, w.explicit, bytesOf(w.cause), w.holder, w.keep)
	}
	return t.write(ctx, c, text, nil, args...)
}

// isPlainText reports whether the text is like a UID of the store. Postgres takes no other
// text as an argument in all cases.
func isPlainText(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func (t *postgresTables) owners(ctx context.Context, c *conn, uids []string, first bool, add func(*row) error) error {
	text := "owners"
	if first {
		text = "ownersfirst"
	}
	return c.each(ctx, t.text[text], []any{uids}, func(rows *sql.Rows) error { return scanRow(rows, true, add) })
}

func (t *postgresTables) page(ctx context.Context, c *conn, kind, after int64, place []byte, limit int, add func(*row) error) error {
	if kind == 0 {
		return c.each(ctx, t.text["all"], []any{after, limit}, func(rows *sql.Rows) error { return scanRow(rows, false, add) })
	}
	return c.each(ctx, t.text["kind"], []any{kind, place, limit}, func(rows *sql.Rows) error { return scanRow(rows, true, add) })
}

func (t *postgresTables) after(p position) position { return position{p.pos, p.seq + 1} }

// known is empty for a listing. A listing brings states above the moment of its begin, so
// that the next listing may seem to be older.
func (t *postgresTables) known(next position, listing bool) graph.Version {
	switch {
	case listing:
		return ""
	case next.seq > 0:
		next.seq--
	}
	return next.version()
}

func (t *postgresTables) look(ctx context.Context, c *conn, from position, a anchor, limit int) (*look, error) {
	b, err := t.bound(ctx, c)
	if err != nil {
		return nil, err
	}
	l := &look{stamp: stampNone, moment: latest(b.moment(), from), present: b.present(), writer: b.writer}
	if a != (anchor{}) { // a crash of the server may have taken numbers back that no commit had
		from = t.after(a.at)
	}
	args := []any{a.at.pos, a.at.seq, from.pos, from.seq, limit, l.moment.pos, l.moment.seq}
	err = c.each(ctx, t.textOf("look"), args, func(rows *sql.Rows) error {
		var anchored, tipPos, tipSeq, tipMark, pos, seq, mark, what, kind sql.NullInt64
		var uid, scope, name sql.NullString
		var body []byte
		if err := rows.Scan(&l.stamp, &l.start, &l.system, &l.epoch, &l.reason, &l.floor, &l.beyond, &l.ahead, &anchored, &tipPos, &tipSeq, &tipMark,
			&pos, &seq, &mark, &what, &kind, &uid, &scope, &name, &body); err != nil {
			return err
		}
		l.tip = anchor{position{tipPos.Int64, tipSeq.Int64}, tipMark.Int64}
		l.anchored = anchored.Valid && anchored.Int64 == a.mark
		if pos.Valid {
			l.changes = append(l.changes, change{position{pos.Int64, seq.Int64}, mark.Int64, int(what.Int64), kind.Int64,
				graph.Key{Scope: scope.String, Name: name.String, UID: graph.UID(uid.String)}, body})
		}
		return nil
	})
	if err == nil {
		err = c.accept(l.stamp, l.system)
	}
	return l, err
}

// compact deletes no change that a running transaction may still precede. The lower bounds
// keep its statements from reading the index entries of the changes that were deleted before.
func (t *postgresTables) compact(ctx context.Context, c *conn, x *cut) (more bool, err error) {
	b, err := t.bound(ctx, c) // for each part: a pool may lead to another server
	if err != nil {
		return false, err
	}
	var low, young, size, next sql.NullInt64
	if !x.begun {
		var stray strayError
		if _, err := c.one(ctx, t.text["bounds"], []any{x.keep}, &low, &size, &stray.floor, &stray.epoch); err != nil || !low.Valid {
			return false, err
		}
		if stray.pos = low.Int64; stray.pos < stray.floor {
			return false, &stray
		}
		x.begun, x.end, x.from = true, b.moment().pos, low.Int64
		if size.Valid {
			x.size = size.Int64 + 1
		}
	}
	if _, err := c.one(ctx, t.text["part"], []any{x.from, x.before, maxCut}, &low, &young, &next); err != nil || !low.Valid {
		return false, err
	}
	x.end = min(x.end, b.moment().pos)
	floor := x.end
	if young.Valid {
		floor = min(x.end, max(young.Int64, x.size))
	}
	if next.Valid && next.Int64 < floor {
		floor, more = max(next.Int64, low.Int64+1), true
	}
	if floor <= low.Int64 {
		return false, nil
	}
	if _, err := c.exec(ctx, t.text["floor"], floor); err != nil {
		return false, err
	}
	_, err = c.exec(ctx, t.text["cut"], x.from, floor)
	x.from = floor
	return more, err
}

func now() int64 { return time.Now().UnixMilli() }

// newMark returns a random mark of a change. It is negative: from policySchema on the tables refuse the
// changes of programs from before, whose marks are not. Those from before the check of the version
// would go on otherwise.
//
//test:by TestStepShutsOutFormer
func newMark() int64 { return -1 - rand.Int64() }
