package restoring

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// maxEntries bounds the entries of one restore, which take 2 to 4 kilobytes each, with the plan.
const maxEntries = 2_000_000

// reader reads the entries that a restore may need: the roots, the entries below them, and the owners of these.
type reader struct {
	entries Entries
	all     []archive.Entry
	seen    map[graph.UID]bool
}

// readEntries returns the entries of a world. An entry that no member can come through leads no further. A restored one leads
// on by both UIDs, also if a user deleted its object.
//
//test:by TestPlanReadsAll
func readEntries(ctx context.Context, from Entries, roots []graph.UID) ([]archive.Entry, error) {
	r, isRoot := reader{entries: from, seen: map[graph.UID]bool{}}, map[graph.UID]bool{}
	for _, uid := range roots {
		isRoot[uid] = true
	}
	if err := r.byUIDs(ctx, roots); err != nil {
		return nil, err
	}
	for at := 0; at < len(r.all); {
		var below, made []graph.UID
		for ; at < len(r.all); at++ {
			e := &r.all[at]
			if e.IsRestored() {
				below, made = append(below, e.Restored.UID), append(made, e.Restored.UID)
			}
			if !e.Explicit || e.IsRestored() || isRoot[e.Object.UID] {
				below = append(below, e.Object.UID)
			}
		}
		if err := r.byUIDs(ctx, made); err != nil {
			return nil, err
		}
		if err := r.byOwners(ctx, below); err != nil {
			return nil, err
		}
	}
	err := r.owners(ctx)
	return r.all, err
}

// owners reads the entries of the owners of all entries so far. An owner may have come back and ended several times: its
// last entry tells whether it is there.
func (r *reader) owners(ctx context.Context) error {
	var next []graph.UID
	for i := range r.all {
		next = append(next, r.all[i].Names()...)
	}
	for len(next) > 0 {
		slices.Sort(next)
		next = slices.DeleteFunc(slices.Compact(next), func(uid graph.UID) bool { return r.seen[uid] })
		from := len(r.all)
		if err := r.byUIDs(ctx, next); err != nil {
			return err
		}
		next = nil
		for i := range r.all[from:] {
			if e := &r.all[from+i]; e.IsRestored() {
				next = append(next, e.Restored.UID)
			}
		}
	}
	return nil
}

// byUIDs adds the entries of objects.
func (r *reader) byUIDs(ctx context.Context, uids []graph.UID) error {
	for some := range slices.Chunk(uids, archive.MaxPage) {
		if _, err := r.add(ctx, archive.Query{UIDs: some}); err != nil {
			return err
		}
	}
	return nil
}

// byOwners adds the entries below some owners. A store finds the next page of one owner by an index, and of many owners by
// sorting all their entries. So owners with more than a page are asked for in halves.
func (r *reader) byOwners(ctx context.Context, uids []graph.UID) error {
	for some := range slices.Chunk(uids, archive.MaxPage) {
		q := archive.Query{Owners: some}
		for again := true; again; again = q.After != "" {
			more, err := r.add(ctx, q)
			if err != nil {
				return err
			}
			if q.After = more; more != "" && len(some) > 1 {
				if err := cmp.Or(r.byOwners(ctx, some[:len(some)/2]), r.byOwners(ctx, some[len(some)/2:])); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

// add adds the entries of a page, and returns the beginning of the next one.
func (r *reader) add(ctx context.Context, q archive.Query) (more string, err error) {
	page, err := r.entries.Entries(ctx, q)
	if err != nil {
		return "", fmt.Errorf("read entries: %w", err)
	}
	for i := range page.Entries {
		if uid := page.Entries[i].Object.UID; !r.seen[uid] {
			r.seen[uid] = true
			r.all = append(r.all, page.Entries[i])
		}
	}
	if len(r.all) > maxEntries {
		return "", fmt.Errorf("read entries: more than %d: %w", maxEntries, graph.ErrRefused)
	}
	return page.More, nil
}
