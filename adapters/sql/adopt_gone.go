package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// makeRecords creates {adopted}. Its rows are the proofs on which removeGone rests.
func (a *adoption) makeRecords(ctx context.Context) error {
	a.text = map[adoptText]string{}
	for name, text := range a.s.tables.adoptTexts() {
		a.text[name] = a.s.conf.names().Replace(text)
	}
	return a.transact(ctx, func(ses *session) error { return a.s.tables.makeAdopted(ctx, &ses.c) })
}

// goneRow is a record whose row has gone.
type goneRow struct{ uid, key string }

// removeGone deletes the objects whose rows have gone.
func (a *adoption) removeGone(ctx context.Context, src *source) error {
	last := ""
	for {
		var list []goneRow
		err := a.onServer(ctx, src, func(c *conn) error {
			list = nil
			return c.each(ctx, src.text[textGone], []any{last, src.id}, func(rows *sql.Rows) error { return scanGone(rows, &list) })
		})
		if err != nil {
			return err
		}
		for begin := 0; begin < len(list); begin += maxWrites {
			if err := a.removeSome(ctx, src, list[begin:min(begin+maxWrites, len(list))]); err != nil {
				return err
			}
			a.tell(src)
		}
		if len(list) < a.batch {
			return nil
		}
		last = list[len(list)-1].key
	}
}

func scanGone(rows *sql.Rows, list *[]goneRow) error {
	var g goneRow
	err := rows.Scan(&g.uid, &g.key)
	*list = append(*list, g)
	return err
}

// removeSome deletes the objects of some rows. First the dependents whose rows remain lose their
// references to them, in bounded parts. The transaction of the last part deletes.
func (a *adoption) removeSome(ctx context.Context, src *source, list []goneRow) error {
	var uids []string
	for _, g := range list {
		uids = append(uids, g.uid)
	}
	at := below{}
	for more := true; more; {
		var out tally
		var next below
		var deleted int64
		var kept []error
		err := a.transact(ctx, func(ses *session) (err error) {
			if err = a.lockGone(ctx, ses, uids); err != nil {
				return err
			}
			if out, next, more, err = a.release(ctx, ses, src, uids, at); err != nil || more {
				return err
			}
			deleted, kept, err = a.deleteGone(ctx, ses, src, uids)
			return err
		})
		if half := len(list) / 2; isRowFault(err) && half > 0 {
			return errors.Join(a.removeSome(ctx, src, list[:half]), a.removeSome(ctx, src, list[half:]))
		}
		if isRowFault(err) {
			a.find(fmt.Errorf("adopt kind %s: table %s: row %.80q, which has gone: column %s: delete its object: %w: %w", src.Kind, src.table, list[0].key, src.UID, graph.ErrRefused, err))
			return nil
		}
		if err != nil {
			return fmt.Errorf("kind %s: delete the objects of rows that have gone from table %s: %w", src.Kind, src.table, err)
		}
		at = next
		a.count(out)
		a.report.Deleted += deleted
		for _, e := range kept {
			a.find(e)
		}
		a.changed = a.changed || deleted > 0
	}
	return nil
}

// lockGone locks the objects before their dependents are read. Another run that gives a dependent a
// reference to one of them has committed then, or finds the object gone.
//
//test:by TestAdoptGoneOwnerLocks
func (a *adoption) lockGone(ctx context.Context, ses *session, uids []string) error {
	if a.s.conf.Dialect != Postgres {
		return nil
	}
	return ses.c.eachOf(ctx, a.text[textLockAll], uids, nil, func(*sql.Rows) error { return nil })
}

// below is a place in the rows that may depend on some objects.
type below struct {
	source int
	key    string
}

// release binds the next rows that may refer to the objects, and reports whether there are more.
func (a *adoption) release(ctx context.Context, ses *session, src *source, uids []string, at below) (out tally, next below, more bool, err error) {
	for ; at.source < len(a.sources); at = (below{source: at.source + 1}) {
		of := a.sources[at.source]
		if !of.managed[src.Kind] {
			continue
		}
		var keys []string
		err = ses.c.eachOf(ctx, of.text[textBelow], uids, []any{of.id, at.key}, func(rows *sql.Rows) error {
			var key string
			err := rows.Scan(&key)
			keys = append(keys, key)
			return err
		})
		if err != nil || len(keys) == 0 {
			if err != nil {
				return out, at, false, err
			}
			continue
		}
		part, err := a.bindIn(ctx, ses, of, keys, uids, true)
		if err != nil {
			return out, at, false, err
		}
		out.add(part)
		if len(keys) == a.batch {
			return out, below{at.source, keys[len(keys)-1]}, true, nil
		}
	}
	return out, at, false, nil
}

// foreignTo returns, for those objects on which objects of further tables depend, one of the tables. No
// declaration of this call tells whether these rows remain, and whom they name now.
//
//test:by TestAdoptPart
func (a *adoption) foreignTo(ctx context.Context, ses *session, src *source, uids []string) (map[string]string, error) {
	known := []string{}
	for _, of := range a.sources {
		if of.managed[src.Kind] {
			known = append(known, of.id)
		}
	}
	list, err := a.s.list(known)
	if err != nil {
		return nil, err
	}
	tables := map[string]string{}
	err = ses.c.eachOf(ctx, a.text[textForeign], uids, []any{list}, func(rows *sql.Rows) error {
		var uid, table string
		err := rows.Scan(&uid, &table)
		tables[uid] = table
		return err
	})
	return tables, err
}

// deleteGone deletes objects, if their rows are still gone. The records of objects that are gone go.
func (a *adoption) deleteGone(ctx context.Context, ses *session, src *source, uids []string) (deleted int64, kept []error, err error) {
	var still []goneRow
	err = ses.c.eachOf(ctx, src.text[textStillGone], uids, []any{src.id}, func(rows *sql.Rows) error { return scanGone(rows, &still) })
	if err != nil || len(still) == 0 {
		return 0, nil, err
	}
	f := &facts{}
	if f.kinds, err = a.s.readKinds(ctx, &ses.c); err != nil {
		return 0, nil, err
	}
	uids = nil
	for _, g := range still {
		uids = append(uids, g.uid)
	}
	if err := a.gather(ctx, &ses.c, f, uids); err != nil {
		return 0, nil, err
	}
	foreign, err := a.foreignTo(ctx, ses, src, uids)
	if err != nil {
		return 0, nil, err
	}
	var forgotten []string
	for i, uid := range uids {
		o := f.objects[uid]
		if o == nil {
			forgotten = append(forgotten, uid)
			continue
		}
		if o.object.Kind != src.Kind || o.object.Deleting {
			continue
		}
		if table := foreign[uid]; table != "" {
			kept = append(kept, fmt.Errorf("adopt kind %s: table %s: row %.80q, which has gone: its object stays, because objects of the table %s depend on it, and no declaration names both: %w",
				src.Kind, src.table, still[i].key, cutText(table), graph.ErrInvalid))
			continue
		}
		after, err := ses.apply(ctx, verbDelete, o.object.Key, a.s.deleteRule(src.Kind, graph.DeleteOptions{
			Precondition: graph.Precondition{UID: o.object.UID}, Propagation: graph.Background}))
		switch {
		case err == nil:
			deleted++
		case errors.Is(err, graph.ErrNotFound), errors.Is(err, graph.ErrConflict): // a collector was first
		case errors.Is(err, graph.ErrRestricted):
			kept = append(kept, fmt.Errorf("adopt kind %s: table %s: row %.80q, which has gone: its object stays: %w", src.Kind, src.table, still[i].key, err))
			continue
		default:
			return 0, nil, err
		}
		if err != nil || len(after.Finalizers) == 0 && after.GraceSeconds == 0 {
			forgotten = append(forgotten, uid)
		}
	}
	return deleted, kept, a.forget(ctx, &ses.c, forgotten)
}
