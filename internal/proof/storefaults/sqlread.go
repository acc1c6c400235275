package main

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/judge"
)

// tables reads the tables of a SQL store with statements of its own. The judge knows the
// schema, and none of the store's code.
type tables struct {
	db     querier
	prefix string // before each name of a table, such as "schema".
	seq    bool   // positions have a second part
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row
}

func (t tables) text(s string) string {
	seq := "0"
	if t.seq {
		seq = "seq"
	}
	return strings.NewReplacer("{t}", t.prefix, "{seq}", seq).Replace(s)
}

func (t tables) each(ctx context.Context, text string, scan func(*sql.Rows) error) error {
	rows, err := t.db.QueryContext(ctx, t.text(text))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

const selectObjects = `SELECT k.kind, o.scope, o.name, o.uid, o.pos, o.{seq}, o.deleting, o.body FROM {t}og_objects o JOIN {t}og_kinds k ON k.id = o.kind`

func (t tables) objects(ctx context.Context) (list []graph.Object, err error) {
	text := selectObjects
	if !t.seq {
		text = strings.Replace(text, "o.{seq}", "0", 1)
	}
	err = t.each(ctx, text, func(rows *sql.Rows) error {
		var kind, scope, name, uid string
		var pos, seq int64
		var deleting bool
		var body []byte
		if err := rows.Scan(&kind, &scope, &name, &uid, &pos, &seq, &deleting, &body); err != nil {
			return err
		}
		o, err := readBody(body)
		if err != nil || o.Deleting != deleting {
			return errors.Join(fmt.Errorf("row of uid %s: the column deleting is %t", uid, deleting), err)
		}
		o.Key = graph.Key{Kind: graph.Kind(kind), Scope: scope, Name: name, UID: graph.UID(uid)}
		o.Version = version(pos, seq)
		list = append(list, o)
		return nil
	})
	return list, err
}

func version(pos, seq int64) graph.Version { return graph.Version(fmt.Sprintf("%d.%d", pos, seq)) }

// logged is a row of the log, or of the copy that a trigger has made of it.
type logged struct {
	n, pos, seq int64
	change      judge.Change
}

// log reads the changes of objects in a table, in the order of the store.
func (t tables) log(ctx context.Context, table, number string) (list []logged, err error) {
	text := `SELECT ` + number + `, l.pos, ` + map[bool]string{true: "l.seq", false: "0"}[t.seq] + `, l.type, k.kind, l.scope, l.name, l.uid, l.body
		FROM {t}` + table + ` l JOIN {t}og_kinds k ON k.id = l.kind WHERE l.type IN (1, 2) ORDER BY 2, 3`
	err = t.each(ctx, text, func(rows *sql.Rows) error {
		var l logged
		var what int
		var kind, scope, name, uid string
		var body []byte
		if err := rows.Scan(&l.n, &l.pos, &l.seq, &what, &kind, &scope, &name, &uid, &body); err != nil {
			return err
		}
		if what == 1 {
			if l.change.Object, err = readBody(body); err != nil {
				return fmt.Errorf("log of uid %s: %w", uid, err)
			}
		}
		l.change.Gone, l.change.Drawn = what == 2, l.n
		l.change.Object.Key = graph.Key{Kind: graph.Kind(kind), Scope: scope, Name: name, UID: graph.UID(uid)}
		l.change.Object.Version = version(l.pos, l.seq)
		list = append(list, l)
		return nil
	})
	return list, err
}

// content reads everything in one snapshot, since a write of a program that was killed may still end.
// The table judged is the copy of the log.
func (t tables) content(ctx context.Context, db *sql.DB) (*judge.Content, error) {
	options := &sql.TxOptions{}
	if t.seq {
		options.Isolation = sql.LevelRepeatableRead
	}
	tx, err := db.BeginTx(ctx, options)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() // it only reads
	t.db = tx
	objects, err := t.objects(ctx)
	if err != nil {
		return nil, err
	}
	c := &judge.Content{Objects: objects}
	if err := t.history(ctx, c); err != nil {
		return nil, err
	}
	owners := map[graph.UID][]graph.UID{}
	err = t.pairs(ctx, `SELECT uid, owner FROM {t}og_owners ORDER BY uid, owner`, func(uid, owner string) {
		owners[graph.UID(uid)] = append(owners[graph.UID(uid)], graph.UID(owner))
	})
	if err != nil {
		return nil, err
	}
	c.Faults = append(c.Faults, ownerFaults(objects, owners)...)
	if c.Entries, err = t.entries(ctx); err != nil {
		return nil, err
	}
	return c, t.pairs(ctx, `SELECT uid, name FROM {t}payload ORDER BY uid`, func(uid, name string) {
		c.Rows = append(c.Rows, judge.Row{UID: graph.UID(uid), Name: name})
	})
}

// history reads the copy of the log, and compares the log with it.
func (t tables) history(ctx context.Context, c *judge.Content) error {
	all, err := t.log(ctx, "judged", "l.n")
	if err != nil {
		return err
	}
	for _, l := range all {
		c.Changes = append(c.Changes, l.change)
	}
	kept, err := t.log(ctx, "og_log", "0")
	if err != nil {
		return err
	}
	var floor int64
	if err := t.db.QueryRowContext(ctx, t.text(`SELECT floor FROM {t}og_meta WHERE id = 1`)).Scan(&floor); err != nil {
		return err
	}
	c.Faults = append(logFaults(all, kept, floor), orderFaults(all)...)
	return nil
}

func (t tables) pairs(ctx context.Context, text string, add func(a, b string)) error {
	return t.each(ctx, text, func(rows *sql.Rows) error {
		var a, b string
		err := rows.Scan(&a, &b)
		add(a, b)
		return err
	})
}

// orderFaults finds changes of one object that were written in another order than that of
// their positions.
func orderFaults(all []logged) (out []string) {
	last := map[graph.UID]int64{}
	for _, l := range all {
		uid := l.change.Object.UID
		if l.n < last[uid] {
			out = append(out, fmt.Sprintf("log of %s: position %d.%d was written before a lower one", l.change.Object.Key, l.pos, l.seq))
		}
		last[uid] = l.n
	}
	return out
}

// logFaults compares the log above its floor with the copy.
func logFaults(all, kept []logged, floor int64) (out []string) {
	have := map[graph.Version]bool{}
	for _, l := range kept {
		have[l.change.Object.Version] = true
	}
	copied := map[graph.Version]bool{}
	for _, l := range all {
		v := l.change.Object.Version
		if copied[v] {
			out = append(out, fmt.Sprintf("log: two rows have the position %s", v))
		}
		copied[v] = true
		if l.pos >= floor && !have[v] {
			out = append(out, fmt.Sprintf("log: the row %s is missing, and the floor is %d", v, floor))
		}
	}
	for v := range have {
		if !copied[v] {
			out = append(out, fmt.Sprintf("log: the row %s has changed", v))
		}
	}
	slices.Sort(out)
	return out
}

// ownerFaults compares the table of references with the objects.
func ownerFaults(objects []graph.Object, owners map[graph.UID][]graph.UID) (out []string) {
	live := map[graph.UID]bool{}
	for _, o := range objects {
		live[o.UID] = true
		var want []graph.UID
		for _, r := range o.Owners {
			want = append(want, r.UID)
		}
		slices.Sort(want)
		if want = slices.Compact(want); !slices.Equal(want, owners[o.UID]) {
			out = append(out, fmt.Sprintf("table of references: %s has the owners %q", o, owners[o.UID]))
		}
	}
	for uid := range owners {
		if !live[uid] {
			out = append(out, fmt.Sprintf("table of references: uid %s has rows and no object", uid))
		}
	}
	slices.Sort(out)
	return out
}

// readBody reads the stored content of an object: a format byte, flags, three numbers,
// references and finalizers.
func readBody(b []byte) (o graph.Object, err error) {
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("body % x: not readable", b)
		}
	}()
	next := func() byte { v := b[0]; b = b[1:]; return v }
	number := func() int64 { v, n := binary.Varint(b); b = b[n:]; return v }
	count := func() int { v, n := binary.Uvarint(b); b = b[n:]; return int(v) }
	text := func() string { n := count(); s := string(b[:n]); b = b[n:]; return s }
	format := next()
	if format < 1 || format > 3 {
		return o, errors.New("body: unknown format")
	}
	o.Deleting = next()&1 != 0
	o.GraceSeconds, o.Generation, o.ObservedGeneration = number(), number(), number()
	for range count() {
		flags := next()
		key := graph.Key{Kind: graph.Kind(text()), Scope: text(), Name: text(), UID: graph.UID(text())}
		o.Owners = append(o.Owners, graph.Owner{
			Key: key, Unresolved: flags&1 != 0, Block: flags&2 != 0, Controller: flags&4 != 0, OnDelete: graph.OnDelete(flags >> 3),
		})
		if format == 1 && flags>>3 != 0 {
			return o, errors.New("body: a policy in format 1")
		}
	}
	for range count() {
		o.Finalizers = append(o.Finalizers, text())
	}
	if len(b) > 0 {
		return o, fmt.Errorf("body: %d bytes too many", len(b))
	}
	return o, nil
}
