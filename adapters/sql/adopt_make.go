package sqlstore

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// newcomer is a row without a UID, and its object.
type newcomer struct {
	src    *source
	key    string
	object *row
	fresh  bool // the transaction creates it; otherwise the row has lost its UID
}

// makeObjects makes the objects of the rows without a UID, and of such owners of the rows. So the
// tables may have any order. An owner gets its own references with its own batch.
func (a *adoption) makeObjects(ctx context.Context, c *conn, f *facts, src *source, rows []*userRow, look bool) error {
	here := map[string]bool{} // the keys of the batch
	for _, r := range rows {
		here[r.key] = true
	}
	wanted := map[*source][]string{}
	seen := map[*source]map[string]bool{src: here}
	for _, r := range rows {
		for i, o := range r.owners {
			of := src.owners[i]
			if seen[of] == nil {
				seen[of] = map[string]bool{}
			}
			if o.key.Valid && o.uid == "" && !seen[of][o.key.String] {
				seen[of][o.key.String] = true
				wanted[of] = append(wanted[of], o.key.String)
			}
		}
	}
	if err := a.makeSome(ctx, c, f, src, rows, look); err != nil {
		return err
	}
	for _, of := range a.sources {
		owners, err := a.lockAndRead(ctx, c, of, wanted[of])
		if err == nil {
			err = a.takeOwners(ctx, c, f, src, rows, of, owners)
		}
		if err == nil {
			err = a.makeSome(ctx, c, f, of, owners, look)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// takeOwners gives the rows the UIDs that their owners have got meanwhile.
func (a *adoption) takeOwners(ctx context.Context, c *conn, f *facts, src *source, rows []*userRow, of *source, owners []*userRow) error {
	uids := map[string]string{}
	for _, o := range owners {
		if o.uid != "" {
			uids[o.key] = o.uid
		}
	}
	if len(uids) == 0 {
		return nil
	}
	for _, r := range rows {
		for i := range r.owners {
			if o := &r.owners[i]; src.owners[i] == of && o.uid == "" {
				o.uid = uids[o.key.String]
			}
		}
	}
	return a.gather(ctx, c, f, uidsIn(owners))
}

// makeSome makes the objects of those rows that have no UID.
func (a *adoption) makeSome(ctx context.Context, c *conn, f *facts, src *source, rows []*userRow, look bool) error {
	var without []*userRow
	var keys []string
	for _, r := range rows {
		if r.uid == "" && unsoundKey(r.key) == "" {
			without, keys = append(without, r), append(keys, r.key)
		}
	}
	formers, err := a.formers(ctx, c, f, src, without, keys)
	if err != nil || len(keys) == 0 {
		return err
	}
	if f.made[src] == nil {
		f.made[src] = map[string]*row{}
	}
	var fresh []*row
	var of []*userRow
	for _, r := range without {
		if former := formers[r.key]; former != nil {
			f.made[src][r.key] = former
			f.newcomers = append(f.newcomers, newcomer{src, r.key, former, false})
			continue
		}
		o := graph.Object{Key: graph.Key{Kind: src.Kind, Scope: r.scope, Name: r.name}, Finalizers: src.Finalizers}
		x, err := a.s.newRow("adopt", f.kinds, o)
		if err != nil {
			f.faults[r] = src.wrongRow(r, src.columnOf(r), err.Error())
			continue
		}
		fresh, of = append(fresh, x), append(of, r)
	}
	return a.place(ctx, c, f, src, fresh, of, look)
}

// columnOf returns the column that most likely makes the key of the object wrong.
func (src *source) columnOf(r *userRow) string {
	if r.name != "" && src.Scope != "" && r.scope == "" {
		return src.Scope
	}
	return src.Name
}

// place takes the new objects whose names are free.
func (a *adoption) place(ctx context.Context, c *conn, f *facts, src *source, fresh []*row, of []*userRow, look bool) error {
	taken := map[string]string{} // who has a place
	if look {
		var places [][]byte
		for _, x := range fresh {
			places = append(places, x.place)
		}
		err := a.s.tables.taken(ctx, c, f.kinds.number(src.Kind), places, func(place []byte, uid string) {
			taken[string(place)] = fmt.Sprintf("the object with the UID %q", uid)
		})
		if err != nil {
			return err
		}
	}
	for i, x := range fresh {
		r, place := of[i], string(x.place)
		if by := taken[place]; by != "" {
			f.faults[r] = src.wrongRow(r, src.Name, fmt.Sprintf("the name of %s is taken by %s", name(x.object.Key.Place()), by))
			continue
		}
		taken[place] = fmt.Sprintf("row %.80q", r.key)
		f.made[src][r.key], f.fresh[string(x.object.UID)] = x, true
		f.newcomers = append(f.newcomers, newcomer{src, r.key, x, true})
	}
	return nil
}

// formers returns the objects that Adopt has created for the keys, which have lost their UIDs, as by
// INSERT OR REPLACE. An object whose UID another row has does not count, because that row has had
// the key. Nor does the record of an object that is gone or going. A key that rows have had after
// another has several records, until the objects of the rows that have gone are deleted. The object
// with the name of the row counts first.
func (a *adoption) formers(ctx context.Context, c *conn, f *facts, src *source, without []*userRow, keys []string) (map[string]*row, error) {
	byKey, uids := map[string][]string{}, []string{}
	err := c.eachOf(ctx, src.text[textFormer], keys, []any{src.id}, func(rows *sql.Rows) error {
		var key, uid string
		err := rows.Scan(&key, &uid)
		byKey[key], uids = append(byKey[key], uid), append(uids, uid)
		return err
	})
	if err == nil {
		err = a.gather(ctx, c, f, uids)
	}
	found := map[string]*row{}
	for _, r := range without {
		for _, uid := range byKey[r.key] {
			switch o := f.objects[uid]; {
			case o == nil || o.object.Kind != src.Kind || o.object.Deleting:
				f.stale = append(f.stale, uid)
			case found[r.key] == nil || o.object.Name == r.name && o.object.Scope == r.scope:
				found[r.key] = o
			}
		}
	}
	return found, err
}
