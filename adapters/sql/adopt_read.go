package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ownergraph/ownergraph/graph"
)

// userRow is a row of a table of the user, as its declaration reads it.
type userRow struct {
	key, uid, name, scope string
	owners                []userOwner
}

// userOwner is an owner of a row.
type userOwner struct {
	value sql.NullString // in the row
	key   sql.NullString // of the owner's row, if it is there
	uid   string         // in the owner's row

	several bool // rows are equal to the value, as '1' and '01' are to the number 1
}

// record is a row of {adopted}: the proof that Adopt has created an object for a row.
type record struct{ source, key string }

// facts are the state of the store as far as some rows need it.
type facts struct {
	kinds   *kindSet
	objects map[string]*row             // by UID
	records map[string]record           // by UID
	made    map[*source]map[string]*row // objects for rows without a UID, by key: in a transaction only
	fresh   map[string]bool             // the UIDs of objects that the transaction creates
	gone    map[string]bool             // the UIDs of objects that the transaction may delete

	newcomers []newcomer
	faults    map[*userRow]error // of rows without an object
	copied    map[string]string  // the keys of the rows with UIDs that other rows have too
	stale     []string           // the UIDs of records that no longer count
}

// readPage reads the rows behind a key, without a lock.
func (a *adoption) readPage(ctx context.Context, src *source, last string, first bool) (list []*userRow, more bool, err error) {
	text, args := src.text[textNext], []any{last}
	if first {
		text, args = src.text[textFirst], nil
	}
	err = a.onServer(ctx, src, func(c *conn) error {
		list = nil
		n := 0
		err := c.each(ctx, text, args, func(rows *sql.Rows) error { n++; return src.scan(rows, &list) })
		more = n == a.batch
		return err
	})
	return list, more, err
}

// onServer reads outside of a transaction, and names the source in an error.
func (a *adoption) onServer(ctx context.Context, src *source, read func(*conn) error) error {
	err := a.s.retry(ctx, func() error { return a.s.onServer(ctx, read) })
	if err != nil {
		err = fmt.Errorf("kind %s: read table %s: %w", src.Kind, src.table, err)
	}
	return err
}

// scan adds a row to a list in the order of the keys. The row is there once for each pair of rows that are
// equal to its owners.
func (src *source) scan(rows *sql.Rows, list *[]*userRow) error {
	r := &userRow{owners: make([]userOwner, len(src.owners))}
	into := []any{&r.key, &r.uid, &r.name, &r.scope}
	for i := range r.owners {
		into = append(into, &r.owners[i].value, &r.owners[i].key, &r.owners[i].uid)
	}
	if err := rows.Scan(into...); err != nil {
		return err
	}
	if n := len(*list); n > 0 && (*list)[n-1].key == r.key {
		for i := range r.owners {
			last := &(*list)[n-1].owners[i]
			last.several = last.several || last.key != r.owners[i].key
		}
		return nil
	}
	*list = append(*list, r)
	return nil
}

// some reads rows by their keys.
func (src *source) some(ctx context.Context, c *conn, keys []string) (list []*userRow, err error) {
	err = c.eachOf(ctx, src.text[textSome], keys, nil, func(rows *sql.Rows) error { return src.scan(rows, &list) })
	return list, err
}

// findUnsound reports the rows that no key names.
func (a *adoption) findUnsound(ctx context.Context, src *source) error {
	var n int64
	err := a.onServer(ctx, src, func(c *conn) error {
		_, err := c.one(ctx, src.text[textUnsound], nil, &n)
		return err
	})
	if err == nil && n > 0 {
		a.find(fmt.Errorf("adopt kind %s: table %s: column %s: %d rows have no key that is an integer or text: %w", src.Kind, src.table, src.Key, n, graph.ErrInvalid))
		a.report.Findings += n - 1
	}
	return err
}

// unsoundKey returns the fault of a key as an argument, or "".
func unsoundKey(key string) string {
	switch {
	case key == "":
		return "the key is empty"
	case len(key) > maxAdoptKey:
		return fmt.Sprintf("the key has %d bytes, more than %d", len(key), maxAdoptKey)
	case !utf8.ValidString(key):
		return "the key is not UTF-8"
	case strings.ContainsRune(key, 0):
		return "the key has a NUL character"
	}
	return ""
}

// judgeUnlocked judges rows as they are, outside of a transaction.
func (a *adoption) judgeUnlocked(ctx context.Context, src *source, rows []*userRow) (list []verdict, err error) {
	if len(rows) == 0 {
		return nil, nil
	}
	err = a.onServer(ctx, src, func(c *conn) error {
		list = nil
		kinds, err := a.s.knownKinds(ctx, c)
		if err != nil {
			return err
		}
		f := &facts{kinds: kinds}
		if err := a.gatherAll(ctx, c, f, rows); err != nil {
			return err
		}
		for _, r := range rows {
			list = append(list, a.judge(src, r, f))
		}
		return nil
	})
	return list, err
}

// uidsIn returns the UIDs of rows and of their owners, each once.
func uidsIn(rows []*userRow) (uids []string) {
	seen := map[string]bool{"": true}
	add := func(uid string) {
		if !seen[uid] {
			seen[uid] = true
			uids = append(uids, uid)
		}
	}
	for _, r := range rows {
		add(r.uid)
		for _, o := range r.owners {
			add(o.uid)
		}
	}
	return uids
}

// gatherAll gathers the objects of rows, of their owners, and of the owners that they have had.
func (a *adoption) gatherAll(ctx context.Context, c *conn, f *facts, rows []*userRow) error {
	if err := a.gather(ctx, c, f, uidsIn(rows)); err != nil {
		return err
	}
	var former []string
	for _, r := range rows {
		if live := f.objects[r.uid]; live != nil {
			for _, o := range live.object.Owners {
				if f.objects[string(o.UID)] == nil {
					former = append(former, string(o.UID))
				}
			}
		}
	}
	slices.Sort(former)
	return a.gather(ctx, c, f, slices.Compact(former))
}

// gather adds objects and records to the facts.
func (a *adoption) gather(ctx context.Context, c *conn, f *facts, uids []string) error {
	if f.objects == nil {
		f.objects, f.records = make(map[string]*row, len(uids)), make(map[string]record, len(uids))
	}
	sound := uids[:0:0]
	for _, uid := range uids {
		if isPlainText(uid) { // no other text is a UID of the store
			sound = append(sound, uid)
		}
	}
	err := c.eachOf(ctx, a.text[textByUID], sound, nil, func(rows *sql.Rows) error {
		return scanRow(rows, true, func(r *row) error {
			r.object.Kind = f.kinds.byID[r.kind].info.Kind
			r.stamp = f.kinds.stamp
			f.objects[string(r.object.UID)] = r
			return nil
		})
	})
	if err != nil {
		return err
	}
	return c.eachOf(ctx, a.text[textRecorded], sound, nil, func(rows *sql.Rows) error {
		var uid string
		var x record
		err := rows.Scan(&uid, &x.source, &x.key)
		f.records[uid] = x
		return err
	})
}
