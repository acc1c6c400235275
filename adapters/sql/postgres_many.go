package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// The statements that write many rows. Arrays carry the rows.
//
// "plainall" compares the rows in a subquery of its own, and OFFSET 0 keeps it apart. So
// Postgres looks each row up in an index. In one join it guesses that one row matches, and
// reads the whole table. If a row changes before the statement has its lock, Postgres tests
// the condition again. The row has a new number then, which is not in the array. The subquery
// leaves out the rows that another transaction has locked, so that the statement waits for none
// of them (TestLockedRow).
func postgresManyTexts() map[string]string {
	return map[string]string{
		"createall": `WITH p AS (SELECT ` + pgPos + ` AS pos FROM {meta} m WHERE m.id = 1 AND {stamp} = $1),
		o AS (INSERT INTO {objects} (id, kind, place, uid, scope, name, pos, seq, deleting, held, body, labels)
			SELECT x.seq, x.kind, x.place, x.uid, x.scope, x.name, p.pos, x.seq, false, x.held, x.body, ''
			FROM (SELECT nextval('{seq}') AS seq, u.* FROM unnest($2::integer[], $3::bytea[], $4::text[], $5::text[], $6::text[], $7::boolean[], $8::bytea[])
				AS u(kind, place, uid, scope, name, held, body)) x, p
			ON CONFLICT (kind, place) DO NOTHING RETURNING kind, uid, scope, name, pos, seq, body),
		r AS (INSERT INTO {owners} (uid, owner) SELECT * FROM unnest($9::text[], $10::text[])),{+restricts}
		l AS (INSERT INTO {log} (pos, seq, mark, at, type, kind, uid, scope, name, body)
			SELECT pos, seq, $11::bigint, $12::bigint, 1, kind, uid, scope, name, body FROM o)
		SELECT uid, pos, seq{notify} FROM o`,
		"plainall": pgRemove(`o.uid`, `WHERE o.id = ANY (ARRAY (SELECT i.id
				FROM unnest($3::integer[], $4::bytea[], $5::text[], $6::bigint[], $7::bigint[]) AS x(kind, place, uid, pos, seq) CROSS JOIN LATERAL
					(SELECT id FROM {objects} WHERE kind = x.kind AND place = x.place AND uid = x.uid AND pos = x.pos AND seq = x.seq OFFSET 0
						FOR UPDATE SKIP LOCKED) i))
			AND o.seq = ANY ($7::bigint[]) AND o.pos = ANY ($6::bigint[]) AND NOT o.held{plain} AND EXISTS (SELECT 1 FROM {meta} m WHERE {stamp} = $8)`),
		"findall": `SELECT o.id, o.kind, o.uid, o.scope, o.name, o.pos, o.seq, o.body, o.place, o.labels{restricted}
		FROM unnest($1::integer[], $2::bytea[]) AS x(kind, place) JOIN {objects} o ON o.kind = x.kind AND o.place = x.place ORDER BY o.uid FOR UPDATE OF o`,
		"removeall": pgRemove(`o.uid`, `WHERE o.id = ANY ($3::bigint[])`),
		"changeall": `WITH p AS (SELECT ` + pgPos + ` AS pos FROM {meta} m WHERE m.id = 1),
		o AS (UPDATE {objects} o SET pos = greatest(o.pos, p.pos), seq = x.seq, deleting = x.deleting, held = x.held, body = x.body
			FROM (SELECT nextval('{seq}') AS seq, u.* FROM unnest($1::bigint[], $2::boolean[], $3::boolean[], $4::bytea[]) AS u(id, deleting, held, body)) x, p
			WHERE o.id = x.id RETURNING o.kind, o.uid, o.scope, o.name, o.pos, o.seq, o.body),
		d AS (DELETE FROM {owners} w USING unnest($5::text[], $6::text[]) AS u(uid, owner) WHERE w.uid = u.uid AND w.owner = u.owner),
		r AS (INSERT INTO {owners} (uid, owner) SELECT * FROM unnest($7::text[], $8::text[])),{+restricts}{+archive}
		l AS (INSERT INTO {log} (pos, seq, mark, at, type, kind, uid, scope, name, body)
			SELECT pos, seq, $9::bigint, $10::bigint, 1, kind, uid, scope, name, body FROM o)
		SELECT uid, pos, seq{notify} FROM o`,
	}
}

// columns are the arrays of rows.
type columns struct {
	ids, kinds, pos, seq     []int64
	places, bodies           [][]byte
	uids, scopes, names      []string
	deleting, held           []bool
	ownedUIDs, owners        []string // pairs of {owners} to add
	disownedUIDs, disownedBy []string // and to remove
	policies                 bool     // there are objects with one
	restrictsUIDs, restricts []string // pairs of {+restricts} to add
	freedUIDs, freed         []string // and to remove
	archived                 archivedColumns
}

func (c *columns) add(r *row) {
	o := &r.object
	c.ids, c.kinds, c.places = append(c.ids, r.id), append(c.kinds, r.kind), append(c.places, r.place)
	c.uids, c.scopes, c.names = append(c.uids, string(o.UID)), append(c.scopes, o.Scope), append(c.names, o.Name)
	c.pos, c.seq = append(c.pos, r.at.pos), append(c.seq, r.at.seq)
	c.deleting, c.held = append(c.deleting, o.Deleting), append(c.held, r.held())
}

func (c *columns) addOwners(uid graph.UID, removed, added []string) {
	for _, owner := range removed {
		c.disownedUIDs, c.disownedBy = append(c.disownedUIDs, string(uid)), append(c.disownedBy, owner)
	}
	for _, owner := range added {
		c.ownedUIDs, c.owners = append(c.ownedUIDs, string(uid)), append(c.owners, owner)
	}
}

// addRestricts adds what restrictsFor returns.
func (c *columns) addRestricts(old, next *graph.Object) {
	of := cmp.Or(old, next)
	c.policies = c.policies || hasPolicy(of) || next != nil && hasPolicy(next)
	removed, is := restrictsFor(old, next)
	for _, owner := range removed {
		c.freedUIDs, c.freed = append(c.freedUIDs, string(of.UID)), append(c.freed, owner)
	}
	for _, owner := range is {
		c.restrictsUIDs, c.restricts = append(c.restrictsUIDs, string(of.UID)), append(c.restricts, owner)
	}
}

func (t *postgresTables) createAll(ctx context.Context, c *conn, list []*row, stamp int64) (bool, error) {
	var x columns
	for _, r := range list {
		x.add(r)
		x.bodies = append(x.bodies, encodeBody(&r.object))
		x.addOwners(r.object.UID, nil, owners(&r.object))
		x.addRestricts(nil, &r.object)
	}
	text, args := "createall", []any{stamp, x.kinds, x.places, x.uids, x.scopes, x.names, x.held, x.bodies, x.ownedUIDs, x.owners, newMark(), now()}
	if c.policies && x.policies {
		text, args = text+withPolicies, append(args, x.restrictsUIDs, x.restricts)
	}
	at, err := t.written(ctx, c, text, args...)
	for _, r := range list {
		r.setAt(at[r.object.UID])
	}
	return len(at) == len(list), err
}

// written runs a statement that writes many rows, and returns the positions by UID.
func (t *postgresTables) written(ctx context.Context, c *conn, text string, args ...any) (map[graph.UID]position, error) {
	at := map[graph.UID]position{}
	err := c.each(ctx, t.text[text], args, func(rows *sql.Rows) error {
		var uid graph.UID
		var p position
		if err := rows.Scan(&uid, &p.pos, &p.seq); err != nil {
			return err
		}
		at[uid] = p
		return nil
	})
	return at, err
}

// removePlainAll removes the rows that are as the arrays say, and have no finalizer and no
// grace period. It returns their UIDs.
func (t *postgresTables) removePlainAll(ctx context.Context, c *conn, x *columns, stamp int64) (map[graph.UID]position, error) {
	text, args := nameFor(c, "plainall"), []any{newMark(), now(), x.kinds, x.places, x.uids, x.pos, x.seq, stamp}
	if len(x.archived.uids) > 0 {
		text, args = text+withArchive, append(args, x.endings()...)
	}
	return t.written(ctx, c, text, args...)
}

// findAll locks the rows at the places, in the order of their UIDs.
func (t *postgresTables) findAll(ctx context.Context, c *conn, x *columns, add func(*row) error) error {
	return c.each(ctx, t.text[nameFor(c, "findall")], []any{x.kinds, x.places}, func(rows *sql.Rows) error {
		var restricted bool
		return scanRow(rows, true, func(r *row) error {
			r.restricted = restricted
			return add(r)
		}, &restricted)
	})
}

// removeAll removes rows that are locked. Last has their last states. The payloads of sealed rows pass through the program, so
// a statement has a bounded number of them.
func (t *postgresTables) removeAll(ctx context.Context, c *conn, list, last []*row) error {
	if len(last) > maxSealed && slices.ContainsFunc(last, (*row).isSealed) {
		if err := t.removeAll(ctx, c, list[maxSealed:], last[maxSealed:]); err != nil {
			return err
		}
		list, last = list[:maxSealed], last[:maxSealed]
	}
	if same, err := t.sealAll(ctx, c, last); !same || err != nil {
		return cmp.Or(err, errRaced)
	}
	var x columns
	for i, r := range list {
		x.add(r)
		x.addRestricts(&r.object, nil)
		x.addWords(last[i], true)
	}
	text, args := "removeall", []any{newMark(), now(), x.ids}
	if c.policies && x.policies {
		text, args = text+withPolicies, append(args, x.freedUIDs, x.freed)
	}
	if len(x.archived.uids) > 0 {
		text, args = x.withEntries(text, args)
	}
	at, err := t.written(ctx, c, text, args...)
	return all(at, list, err)
}

// changeAll stores rows that are locked.
func (t *postgresTables) changeAll(ctx context.Context, c *conn, old, next []*row) error {
	var x columns
	for i, r := range next {
		x.add(r)
		x.bodies = append(x.bodies, encodeBody(&r.object))
		removed, added := difference(&old[i].object, &r.object)
		x.addOwners(r.object.UID, removed, added)
		x.addRestricts(&old[i].object, &r.object)
		x.addWords(r, false)
	}
	text, args := "changeall", []any{x.ids, x.deleting, x.held, x.bodies, x.disownedUIDs, x.disownedBy, x.ownedUIDs, x.owners, newMark(), now()}
	if c.policies && x.policies {
		text, args = text+withPolicies, append(args, x.freedUIDs, x.freed, x.restrictsUIDs, x.restricts)
	}
	if len(x.archived.uids) > 0 {
		text, args = text+withArchive, append(args, x.noted()...)
	}
	at, err := t.written(ctx, c, text, args...)
	return all(at, next, err)
}

// all returns an error if a locked row was not written. Only a trigger can keep it.
func all(at map[graph.UID]position, list []*row, err error) error {
	if err == nil && len(at) != len(list) {
		err = fmt.Errorf("%d of %d rows were written: %w", len(at), len(list), graph.ErrRefused)
	}
	return err
}

func (t *postgresTables) lockRow(ctx context.Context, c *conn, r *row) (bool, error) {
	var id int64
	return c.one(ctx, t.text["lockRow"], []any{r.id, r.at.pos, r.at.seq}, &id)
}
