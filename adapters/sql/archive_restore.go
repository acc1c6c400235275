package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// RestoreEntries creates the objects of entries with their payloads, and notes them in the entries, in one transaction
// (archive.Store). It takes the same statements for any number of items, but for the rows of the user: see restoreRows.
//
// Errors: those of Create, ErrNotFound for a purged entry, and *archive.TakenError for names. It returns ErrRefused for an entry
// that cannot be read, for a payload that does not fit its table, and for a constraint of that table. A payload that the
// program cannot open is refused, too (archive.Sealing).
//
//test:by TestArchiveRestore TestArchiveRing TestArchiveTaken TestArchiveRows TestArchiveForged TestSealedRefused
func (s *Store) RestoreEntries(ctx context.Context, items []archive.Item) (keys []graph.Key, err error) {
	if s.conf.Archive == nil {
		return nil, fmt.Errorf("restore: %w: %w", graph.ErrRefused, errNoArchive)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("restore: %w", err)
	}
	defer s.announce()
	for single := false; ; single = true {
		several := false
		err = s.transact(ctx, func(ses *session) error {
			r := revival{ses: ses, items: items, keys: make([]graph.Key, len(items)), made: map[graph.UID]graph.Key{}, single: single}
			keys = r.keys
			err := r.run(ctx)
			several = r.several
			return err
		})
		if !several || answerOf(err) != answerRefused && !errors.Is(err, graph.ErrRefused) {
			break
		}
	} // the second run names the entry
	if err != nil {
		return nil, s.failed("restore", fmt.Sprintf("%d entries", len(items)), err)
	}
	return keys, nil
}

// revival is one call of RestoreEntries.
type revival struct {
	ses     *session
	kinds   *kindSet
	items   []archive.Item
	entries map[graph.UID]*ended
	keys    []graph.Key // of the items, with their new UIDs
	made    map[graph.UID]graph.Key
	rows    []*row   // the new objects
	of      []int    // their items
	sources []*ended // their entries
	single  bool     // each row of the user is inserted alone
	several bool     // a statement that has inserted several rows of the user has failed
}

func (r *revival) run(ctx context.Context) (err error) {
	for _, step := range []func(context.Context) error{r.readEntries, r.open, r.name, r.findTaken, r.create, r.restorePayloads, r.note} {
		if err = step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// readEntries locks the entries, so that no purge and no other restore takes them.
func (r *revival) readEntries(ctx context.Context) (err error) {
	if r.kinds, err = r.ses.s.readKinds(ctx, &r.ses.c); err != nil {
		return err
	}
	var uids []graph.UID
	for _, item := range r.items {
		uids = append(uids, item.UID)
	}
	r.entries = map[graph.UID]*ended{}
	text := strings.Replace(readEnded, "{sealed}", "a.sealed IS NOT NULL, a.sealed, a.payload", 1) + ` FROM {archive} a WHERE a.uid {list} ORDER BY a.uid{locked}`
	err = r.ses.c.eachOf(ctx, r.ses.s.archiveText(text), sortedUIDs(uids), nil, func(rows *sql.Rows) error {
		x, err := scanEnded(rows, r.kinds)
		if err == nil {
			r.entries[x.entry.Object.UID] = x
		}
		return err
	})
	for _, uid := range uids {
		switch e := r.entries[uid]; {
		case err != nil:
		case e == nil:
			err = fmt.Errorf("restore %.80q: no entry: %w", uid, graph.ErrNotFound)
		case e.entry.Unreadable != "" && !e.entry.IsRestored():
			err = fmt.Errorf("restore %s: %s: %w", name(e.entry.Object.Key), e.entry.Unreadable, graph.ErrRefused)
		}
	}
	return err
}

// open opens the sealed payloads of the entries that make an object, before the first write.
func (r *revival) open(ctx context.Context) error {
	for _, item := range r.items {
		if x := r.entries[item.UID]; !x.isOpen && x.needsOpen(r.ses.s) && !x.entry.IsRestored() {
			if err := x.open(ctx, r.ses.s); err != nil {
				return fmt.Errorf("restore %s: %w: %w", name(x.entry.Object.Key), err, graph.ErrRefused)
			}
		}
	}
	return nil
}

// name gives each new object its UID first, so that the members of a ring can name each other.
func (r *revival) name(context.Context) error {
	var first []int // the items that make an object
	for i, item := range r.items {
		e := &r.entries[item.UID].entry
		k, again := r.made[item.UID]
		switch {
		case again:
		case e.IsRestored():
			k = e.Restored
		default:
			k = graph.Key{Kind: e.Object.Kind, Scope: item.Scope, Name: item.Name, UID: newUID()}
			first = append(first, i)
		}
		r.keys[i], r.made[item.UID] = k, k
	}
	for _, i := range first {
		o := graph.Object{Key: r.keys[i].Place()}
		for _, ref := range r.items[i].Owners {
			switch k, ok := r.made[ref.UID]; {
			case ok && r.entries[ref.UID].entry.Object.Place() == ref.Place():
				ref.Key = k
			case ok:
				ref.UID = k.UID
			}
			o.Owners = append(o.Owners, ref)
		}
		x, err := r.ses.s.newRow("restore", r.kinds, o)
		if err != nil {
			return err
		}
		x.object.UID = r.keys[i].UID
		r.rows, r.of, r.sources = append(r.rows, x), append(r.of, i), append(r.sources, r.entries[r.items[i].UID])
	}
	return nil
}

// findTaken looks for all names before the first write. Two items of one place take it from each other.
func (r *revival) findTaken(ctx context.Context) error {
	taken, first := map[graph.UID]graph.Key{}, map[string]graph.Key{} // by kind and place
	places, items := map[int64][][]byte{}, map[string]int{}
	at := func(kind int64, place []byte) string { return fmt.Sprintf("%d/%s", kind, place) }
	for n, x := range r.rows {
		place := at(x.kind, x.place)
		if by, twice := first[place]; twice {
			taken[r.items[r.of[n]].UID] = by
			continue
		}
		first[place], items[place] = r.keys[r.of[n]], n
		places[x.kind] = append(places[x.kind], x.place)
	}
	for _, kind := range slices.Sorted(maps.Keys(places)) {
		err := r.ses.s.tables.taken(ctx, &r.ses.c, kind, places[kind], func(place []byte, uid string) {
			n := items[at(kind, place)]
			k := r.keys[r.of[n]]
			k.UID = graph.UID(uid)
			taken[r.items[r.of[n]].UID] = k
		})
		if err != nil {
			return err
		}
	}
	if len(taken) > 0 {
		return &archive.TakenError{Taken: taken}
	}
	return nil
}

// create adds the objects. A strict store judges all references as new ones, when all objects of the call are known.
func (r *revival) create(ctx context.Context) error {
	ses := r.ses
	if len(r.rows) == 0 {
		return nil
	}
	if err := ses.checkAllNew(ctx, "restore", r.kinds, r.rows); err != nil {
		return err
	}
	done, err := ses.s.tables.createAll(ctx, &ses.c, r.rows, r.kinds.stamp)
	if err == nil && !done {
		err = errRaced // another write has a name now, or the kinds changed
	}
	if err == nil {
		err = r.restrict(ctx)
	}
	if err != nil {
		return err
	}
	var uids, labels []string
	for n, x := range r.rows {
		if text := r.sources[n].labels; text != "" {
			uids, labels = append(uids, string(x.object.UID)), append(labels, text)
		}
	}
	return ses.execPairs(ctx, `UPDATE {objects} SET labels = x.b FROM {pairs} WHERE uid = x.a`, uids, labels)
}

// restrict marks the owners of this call that an object of it restricts. The statement that creates both does not see
// them (postgresTables.createAll).
func (r *revival) restrict(ctx context.Context) error {
	if r.ses.s.conf.Dialect == SQLite {
		return nil
	}
	own := map[string]bool{}
	for _, x := range r.rows {
		own[string(x.object.UID)] = true
	}
	var uids []graph.UID
	for _, x := range r.rows {
		for _, uid := range restrictedBy(&x.object) {
			if own[uid] {
				uids = append(uids, graph.UID(uid))
			}
		}
	}
	return r.ses.c.execOf(ctx, r.ses.s.archiveText(`UPDATE {objects} SET restricted = true WHERE uid {list} AND NOT restricted`), sortedUIDs(uids))
}

// note notes the new objects in their entries. The time of an explicit entry begins anew (RULES, A6).
func (r *revival) note(ctx context.Context) error {
	if len(r.rows) == 0 {
		return nil
	}
	s := r.ses.s
	text := s.archiveText(`UPDATE {archive} AS a SET restored = x.back, restored_scope = x.scope, restored_name = x.name,
		explicit = a.explicit OR x.root, until = CASE WHEN (a.explicit OR x.root) AND x.keep > 0 THEN {clock} + x.keep ELSE 0 END FROM ` + noteFrom(s.conf.Dialect))
	args, err := r.noteArgs()
	if err != nil {
		return err
	}
	res, err := r.ses.c.exec(ctx, text, args...)
	return allRows(res, err, len(r.rows))
}

// noteFrom returns the rows of a note. On Postgres the second condition makes the planner expect few rows, so that it uses the
// index (TestArchiveNotePlan). On SQLite the names are those of the new objects, because JSON has no name that is no UTF-8.
func noteFrom(d Dialect) string {
	if d == Postgres {
		return `unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::boolean[]) AS x(uid, back, scope, name, keep, root)
			WHERE a.uid = x.uid AND a.uid = ANY ($1::text[])`
	}
	return `(SELECT e.value ->> 0 AS uid, o.uid AS back, o.scope, o.name, e.value ->> 2 AS keep, e.value ->> 3 AS root
			FROM json_each($1) e CROSS JOIN {objects} o ON o.uid = e.value ->> 1) x
		WHERE a.uid = x.uid`
}

func (r *revival) noteArgs() ([]any, error) {
	var uids, back, scopes, names []string
	var keeps []int64
	var roots []bool
	var list [][4]any
	for n, x := range r.rows {
		uids, back = append(uids, string(r.items[r.of[n]].UID)), append(back, string(x.object.UID))
		scopes, names = append(scopes, x.object.Scope), append(names, x.object.Name)
		keeps = append(keeps, r.ses.s.conf.keepOf(x.object.Kind))
		roots = append(roots, r.items[r.of[n]].Root)
		list = append(list, [4]any{uids[n], back[n], keeps[n], roots[n]})
	}
	if r.ses.s.conf.Dialect == Postgres {
		return []any{uids, back, scopes, names, keeps, roots}, nil
	}
	text, err := json.Marshal(list)
	return []any{string(text)}, err
}

// allRows returns an error if a statement has not written all rows.
func allRows(r sql.Result, err error, want int) error {
	if err != nil {
		return err
	}
	n, err := r.RowsAffected()
	if err == nil && n != int64(want) {
		err = errIgnored
	}
	return err
}

// execPairs runs a statement on pairs of texts, x.a and x.b.
func (ses *session) execPairs(ctx context.Context, text string, a, b []string) error {
	if len(a) == 0 {
		return nil
	}
	args, err := ses.s.pairs(a, b)
	if err != nil {
		return err
	}
	pairs := `unnest($1::text[], $2::text[]) AS x(a, b)`
	if ses.s.conf.Dialect == SQLite {
		pairs = `(SELECT value ->> 0 AS a, value ->> 1 AS b FROM json_each($1)) x`
	}
	r, err := ses.c.exec(ctx, ses.s.archiveText(strings.Replace(text, "{pairs}", pairs, 1)), args...)
	return allRows(r, err, len(a))
}
