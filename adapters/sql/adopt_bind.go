package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// tally is the outcome of a transaction.
type tally struct {
	created, changed, filled, noted int64
	errs                            []error
}

// add adds the changes of another part of the transaction.
func (t *tally) add(x tally) {
	t.created, t.changed, t.filled, t.noted = t.created+x.created, t.changed+x.changed, t.filled+x.filled, t.noted+x.noted
}

func (a *adoption) count(x tally) {
	a.report.Created += x.created
	a.report.Changed += x.changed
	a.changed = a.changed || x.created+x.changed+x.filled+x.noted > 0
}

// bind gives rows their objects and references, in one transaction. If a constraint or a trigger of
// the user refuses it, halves of the rows follow, down to the row that is the cause.
func (a *adoption) bind(ctx context.Context, src *source, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	var out tally
	try := func(look bool) error {
		return a.transact(ctx, func(ses *session) (err error) {
			out, err = a.bindIn(ctx, ses, src, keys, nil, look)
			return err
		})
	}
	err := try(false)
	if errors.Is(err, errTaken) {
		err = try(true)
	}
	switch half := len(keys) / 2; {
	case err == nil:
		a.count(out)
		for _, e := range out.errs {
			a.find(e)
		}
		return nil
	case !isRowFault(err):
		return fmt.Errorf("kind %s: table %s: %w", src.Kind, src.table, err)
	case half == 0:
		a.find(fmt.Errorf("adopt kind %s: table %s: row %.80q: column %s: %w: %w", src.Kind, src.table, keys[0], src.UID, graph.ErrRefused, err))
		return nil
	default:
		if err := a.bind(ctx, src, keys[:half]); err != nil {
			return err
		}
		return a.bind(ctx, src, keys[half:])
	}
}

// isRowFault reports whether the database refuses a row, and not the statement.
func isRowFault(err error) bool {
	var commit *errCommit
	var postgres interface{ SQLState() string }
	switch {
	case errors.As(err, &commit) && commit.isUnknown(), answerOf(err) != answerRefused:
		return false
	case errors.As(err, &postgres):
		class := postgres.SQLState()[:2]
		return class == "22" || class == "23" || class == "27" || class == "P0"
	}
	return true
}

// transact waits briefly for the locks of rows, because programs of the user wait behind it, and lets
// them pass before it tries again. A row that a policy of Postgres hides has not gone. So a statement
// that a policy would affect is an error.
//
//test:by TestAdoptLockTimeout TestAdoptHiddenRows
func (a *adoption) transact(ctx context.Context, do func(*session) error) error {
	defer a.s.announce()
	return tryLocks(ctx, "rows", "locks", func() error {
		return a.s.transact(ctx, func(ses *session) error {
			if text := a.text[textBegin]; text != "" {
				if err := ses.c.each(ctx, text, nil, func(*sql.Rows) error { return nil }); err != nil {
					return err
				}
			}
			return do(ses)
		})
	})
}

// errTaken says that a place of a new object is taken. The transaction is repeated, and looks for it.
var errTaken = errors.New("a name is taken")

// bindIn is bind inside of a transaction. With look it looks for taken names before it creates
// objects. The objects with the UIDs in gone are deleted next.
func (a *adoption) bindIn(ctx context.Context, ses *session, src *source, keys, gone []string, look bool) (out tally, err error) {
	c := &ses.c
	rows, err := a.lockAndRead(ctx, c, src, keys)
	if err != nil {
		return out, err
	}
	f := &facts{made: map[*source]map[string]*row{}, fresh: map[string]bool{}, faults: map[*userRow]error{}, gone: map[string]bool{}}
	for _, uid := range gone {
		f.gone[uid] = true
	}
	if f.kinds, err = a.s.readKinds(ctx, c); err != nil {
		return out, err
	}
	if err = a.gatherAll(ctx, c, f, rows); err != nil {
		return out, err
	}
	if err = a.makeObjects(ctx, c, f, src, rows, look); err != nil {
		return out, err
	}
	if err = a.findCopies(ctx, c, f, src, rows); err != nil {
		return out, err
	}
	w := &changeSet{facts: f, looked: look}
	for _, r := range rows {
		v := a.judge(src, r, f)
		w.take(src, r, v)
		if v.err != nil {
			out.errs = append(out.errs, v.err)
		}
	}
	w.count(&out)
	return out, a.write(ctx, ses, w)
}

// lockAndRead reads rows after they are locked: a statement that waits for a lock joins the new state
// of the row with the old state of other tables.
func (a *adoption) lockAndRead(ctx context.Context, c *conn, src *source, keys []string) ([]*userRow, error) {
	if a.s.conf.Dialect == Postgres {
		if err := c.eachOf(ctx, src.text[textLock], keys, nil, func(*sql.Rows) error { return nil }); err != nil {
			return nil, err
		}
	}
	return src.some(ctx, c, keys)
}

// findCopies finds rows whose UID the record gives to another row that has it, too.
func (a *adoption) findCopies(ctx context.Context, c *conn, f *facts, src *source, rows []*userRow) error {
	var keys []string
	for _, r := range rows {
		if x, ours := f.records[r.uid]; ours && x.source == src.id && x.key != r.key {
			keys = append(keys, x.key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	others, err := src.some(ctx, c, keys)
	f.copied = map[string]string{}
	for _, o := range others {
		if f.records[o.uid].key == o.key {
			f.copied[o.uid] = o.key
		}
	}
	return err
}

// changeSet has the changes of a transaction.
type changeSet struct {
	*facts
	looked    bool // for taken names
	old, next []*row
	added     []string // UIDs of owners that get references
	fills     map[*source]*pairList
	notes     map[*source]*pairList
	forgotten []string // UIDs whose records go
}

// pairList has keys and UIDs.
type pairList struct{ keys, uids []string }

func (p *pairList) add(key, uid string) {
	p.keys, p.uids = append(p.keys, key), append(p.uids, uid)
}

func (w *changeSet) take(src *source, r *userRow, v verdict) {
	if v.next != nil {
		w.old, w.next = append(w.old, v.old), append(w.next, v.next)
	}
	for _, uid := range v.added {
		if !w.fresh[string(uid)] {
			w.added = append(w.added, string(uid))
		}
	}
	if v.note {
		w.forgotten = append(w.forgotten, r.uid)
		pairsOf(&w.notes, src).add(r.key, r.uid)
	}
}

func pairsOf(of *map[*source]*pairList, src *source) *pairList {
	if *of == nil {
		*of = map[*source]*pairList{}
	}
	if (*of)[src] == nil {
		(*of)[src] = &pairList{}
	}
	return (*of)[src]
}

// count takes the new objects over, and counts the changes.
func (w *changeSet) count(out *tally) {
	for _, n := range w.newcomers {
		pairsOf(&w.fills, n.src).add(n.key, string(n.object.object.UID))
		if n.fresh {
			out.created++
			pairsOf(&w.notes, n.src).add(n.key, string(n.object.object.UID))
		}
	}
	w.forgotten = append(w.forgotten, w.stale...)
	out.changed, out.filled = int64(len(w.next)), int64(len(w.newcomers))
	for _, p := range w.notes {
		out.noted += int64(len(p.keys))
	}
}

// write carries the changes out. It locks the changed objects, and the owners that get references, and
// fails if one of them is not as it was judged.
func (a *adoption) write(ctx context.Context, ses *session, w *changeSet) error {
	if err := a.lockObjects(ctx, ses, w); err != nil {
		return err
	}
	var create []*row
	for _, n := range w.newcomers {
		if n.fresh {
			create = append(create, n.object)
		}
	}
	if len(create) > 0 {
		done, err := a.s.tables.createAll(ctx, &ses.c, create, w.kinds.stamp)
		switch {
		case err == nil && !done && w.looked: // another writer was first, or the set of kinds has changed
			err = errRaced
		case err == nil && !done:
			err = errTaken
		}
		if err != nil {
			return err
		}
	}
	if len(w.next) > 0 {
		if err := a.s.tables.changeAll(ctx, &ses.c, w.old, w.next); err != nil {
			return err
		}
	}
	if err := a.forget(ctx, &ses.c, w.forgotten); err != nil {
		return err
	}
	for _, src := range a.sources {
		if err := a.writePairs(ctx, &ses.c, src.text[textFill], w.fills[src], nil); err != nil {
			return err
		}
		if err := a.writePairs(ctx, &ses.c, src.text[textNote], w.notes[src], []any{src.id}); err != nil {
			return err
		}
	}
	return nil
}

// lockObjects locks the changed objects first, and then the owners.
func (a *adoption) lockObjects(ctx context.Context, ses *session, w *changeSet) error {
	if text := a.text[textLockAll]; text != "" && len(w.old) > 0 {
		at, uids := map[string]position{}, make([]string, len(w.old))
		for i, r := range w.old {
			uids[i] = string(r.object.UID)
		}
		err := ses.c.eachOf(ctx, text, uids, nil, func(rows *sql.Rows) error {
			var uid string
			var p position
			err := rows.Scan(&uid, &p.pos, &p.seq)
			at[uid] = p
			return err
		})
		if err != nil {
			return err
		}
		for i, r := range w.old {
			if at[uids[i]] != r.at {
				return errRaced
			}
		}
	}
	slices.Sort(w.added)
	added, live := slices.Compact(w.added), 0
	if len(added) == 0 {
		return nil
	}
	err := a.s.tables.owners(ctx, &ses.c, added, false, func(r *row) error {
		if was := w.objects[string(r.object.UID)]; was != nil && r.object.Deleting == was.object.Deleting {
			live++
		}
		return nil
	})
	if err == nil && live != len(added) {
		err = errRaced
	}
	return err
}

func (a *adoption) forget(ctx context.Context, c *conn, uids []string) error {
	return c.execOf(ctx, a.text[textForget], uids)
}

// writePairs runs a statement that writes a row for each pair.
func (a *adoption) writePairs(ctx context.Context, c *conn, text string, p *pairList, args []any) error {
	if p == nil {
		return nil
	}
	lists, err := a.s.pairs(p.keys, p.uids)
	if err != nil {
		return err
	}
	r, err := c.exec(ctx, text, append(lists, args...)...)
	if err != nil {
		return err
	}
	n, err := r.RowsAffected()
	if err == nil && n != int64(len(p.keys)) {
		err = errIgnored
	}
	return err
}
