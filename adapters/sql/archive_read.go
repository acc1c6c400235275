package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// ended is a row of {archive}. A row that cannot be read has Entry.Unreadable, and its key as far as that is known: one bad row
// hides no other one.
type ended struct {
	entry          archive.Entry
	at             int64 // the place in the order of pages
	labels         string
	shape, payload sql.NullString
	sealed         []byte
	isOpen         bool // the payload was sealed, and is open
}

// readEnded also looks for a living object with the UID. The removal and the entry are one commit, so only an edited table has
// both.
const readEnded = `SELECT a.uid, a.at, a.until, a.kind, a.scope, a.name, a.pos, a.seq, a.body, a.finalizers, a.explicit, a.orphaning, a.cause,
	a.restored, a.restored_scope, a.restored_name, a.labels, a.shape, a.size, EXISTS (SELECT 1 FROM {objects} o WHERE o.uid = a.uid), {sealed}`

// endedTexts are the columns of a row that have a code of their own.
type endedTexts struct {
	kind        int64
	body, cause []byte
	finalizers  string
	lives       bool
}

// scanEnded reads a row of readEnded.
func scanEnded(rows *sql.Rows, kinds *kindSet) (*ended, error) {
	x, t := &ended{}, endedTexts{}
	o, back := &x.entry.Object, &x.entry.Restored
	var until int64
	var pos position
	into := []any{&o.UID, &x.at, &until, &t.kind, &o.Scope, &o.Name, &pos.pos, &pos.seq, &t.body, &t.finalizers, &x.entry.Explicit, &x.entry.Orphaning, &t.cause,
		&back.UID, &back.Scope, &back.Name, &x.labels, &x.shape, &x.entry.Size, &t.lives, &x.entry.Sealed, &x.sealed, &x.payload}
	if err := rows.Scan(into...); err != nil {
		return scanOdd(rows, len(into), err)
	}
	o.Kind, o.Version = kinds.byID[t.kind].info.Kind, pos.version()
	if back.UID != "" {
		back.Kind = o.Kind
	}
	if x.entry.At = time.UnixMicro(x.at); until != 0 {
		x.entry.Until = time.UnixMicro(until)
	}
	if err := x.read(&t); err != nil {
		x.entry.Object = graph.Object{Key: o.Key, Version: o.Version}
		x.entry.Unreadable = err.Error()
	}
	if !o.Deleting && o.Generation > 0 { // the body of an object that was deleted without a mark has none
		o.Generation++
	}
	o.Deleting = true
	return x, nil
}

// read decodes the columns. Its errors come from rows that were edited by hand, or are of another database or a later version.
func (x *ended) read(t *endedTexts) (err error) {
	o := &x.entry.Object
	if err := decodeBody(t.body, o); err != nil {
		return fmt.Errorf("%w by this version", err)
	}
	if x.entry.Cause, err = decodeCause(t.cause); err != nil {
		return err
	}
	if o.Finalizers, err = unquoteTexts(t.finalizers); err != nil {
		return fmt.Errorf("finalizers: %w", err)
	}
	switch {
	case o.Kind == "":
		return fmt.Errorf("kind: there is no kind with the number %d", t.kind)
	case x.entry.Size < 0:
		return fmt.Errorf("size: %d is negative", x.entry.Size)
	case t.lives:
		return errors.New("uid: an object with it lives: the entry is of another database, or the tables were edited")
	}
	return checkLabels(o.Key, x.labels)
}

// checkLabels returns the error of labels that no object has.
func checkLabels(key graph.Key, text string) error {
	if text == "" {
		return nil
	}
	var labels map[string]string
	if err := json.Unmarshal([]byte(text), &labels); err != nil {
		return fmt.Errorf("labels: %w", err)
	}
	_, err := encodeLabels("read the entry of", key, labels)
	return err
}

// scanOdd reads the UID of a row whose columns have other types. SQLite keeps any type in a column.
func scanOdd(rows *sql.Rows, columns int, cause error) (*ended, error) {
	x := &ended{at: math.MaxInt64} // SQLite has texts behind all numbers
	var at any
	into := make([]any, columns)
	for i := range into {
		into[i] = new(any)
	}
	into[0], into[1] = &x.entry.Object.UID, &at
	if err := rows.Scan(into...); err != nil {
		return nil, cmp.Or(cause, err)
	}
	switch at := at.(type) {
	case int64:
		x.at = at
	case float64:
		x.at = int64(at)
	}
	x.entry.At, x.entry.Object.Deleting, x.entry.Unreadable = time.UnixMicro(x.at), true, cause.Error()
	return x, nil
}

// nameOwners gives entries whose bodies cannot be read the owners that {archive_owners} has. So a restore of an owner
// reports them.
func (ses *session) nameOwners(ctx context.Context, list []*ended) error {
	bad := map[graph.UID]*ended{}
	var uids []graph.UID
	for _, x := range list {
		if o := &x.entry.Object; x.entry.Unreadable != "" && len(o.Owners) == 0 {
			bad[o.UID], uids = x, append(uids, o.UID)
		}
	}
	text := ses.s.archiveText(fmt.Sprintf(`SELECT n.uid, n.owner, n.leads FROM {archive_owners} n WHERE n.uid {list} ORDER BY n.uid, n.owner LIMIT %d`, maxNamed))
	return ses.c.eachOf(ctx, text, sortedUIDs(uids), nil, func(rows *sql.Rows) error {
		var uid graph.UID
		var owner graph.Owner
		var leads bool
		if err := rows.Scan(&uid, &owner.UID, &leads); err != nil {
			return err
		}
		owner.OnDelete = graph.OnDeleteRelease
		if leads {
			owner.OnDelete = graph.OnDeleteCascade
		}
		o := &bad[uid].entry.Object
		o.Owners = append(o.Owners, owner)
		return nil
	})
}

// maxNamed bounds the owners of the unreadable entries of a page.
const maxNamed = 100_000
