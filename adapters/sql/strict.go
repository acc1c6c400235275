package sqlstore

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// checkNew refuses a new reference of a strict store to an owner that does not exist, or
// that is being deleted in the foreground or orphans. No reference that restricts may name an owner
// with a mark. It locks the owners in the order of their UIDs, so their state stays until the end of
// the transaction. A reference that stays, or that only stops blocking, is not new. One with another
// policy is. Unresolved references are not refused, unless they restrict a marked object.
//
//test:by TestStrictReferences TestStrictKeepsOldReferences TestWriteSkew TestStrictShrinks
//test:by TestRestrictReferences
func (ses *session) checkNew(ctx context.Context, verb string, kinds *kindSet, live *row, next graph.Object) error {
	if !ses.s.conf.Strict {
		return nil
	}
	var old []graph.Owner
	if live != nil {
		old = live.object.Owners
	}
	added := newReferences(old, next.Owners)
	if len(added) == 0 {
		return nil
	}
	found := map[graph.UID]*row{}
	if err := ses.lockOwners(ctx, added, live, found); err != nil {
		return err
	}
	return refuseUnfit(verb, kinds, next, added, found)
}

func refuseUnfit(verb string, kinds *kindSet, o graph.Object, refs []graph.Owner, found map[graph.UID]*row) error {
	for _, ref := range refs {
		if why := unfit(kinds, ref, found[ref.UID]); why != "" {
			return fmt.Errorf("%s %s: owner %s: %s: %w", verb, name(o.Key), name(ref.Key), why, graph.ErrRefused)
		}
	}
	return nil
}

// lockOwners reads the owners, and locks them and the object itself in the order of their
// UIDs. Otherwise two writers could each wait for the other. The first reference that restricts an
// owner changes the owner's row, so its writer has a stronger lock on all owners from the start.
func (ses *session) lockOwners(ctx context.Context, refs []graph.Owner, live *row, found map[graph.UID]*row) error {
	uids, first := uidsOf(refs), false
	if to := uidsOf(slices.DeleteFunc(slices.Clone(refs), func(r graph.Owner) bool { return r.OnDelete != graph.OnDeleteRestrict })); len(to) > 0 {
		var err error
		if first, err = ses.s.tables.unrestricted(ctx, &ses.c, to); err != nil {
			return err
		}
	}
	add := func(r *row) error {
		found[r.object.UID] = r
		return nil
	}
	if live == nil {
		return ses.s.tables.owners(ctx, &ses.c, uids, first, add)
	}
	at, _ := slices.BinarySearch(uids, string(live.object.UID))
	if err := ses.s.tables.owners(ctx, &ses.c, uids[:at], first, add); err != nil {
		return err
	}
	same, err := ses.s.tables.lockRow(ctx, &ses.c, live)
	if err == nil && !same {
		err = errRaced
	}
	if err != nil {
		return err
	}
	return ses.s.tables.owners(ctx, &ses.c, uids[at:], first, add)
}

// newReferences returns the references that old does not have in this form. An unresolved one counts
// only if it restricts the objects with its UID.
func newReferences(old, next []graph.Owner) (list []graph.Owner) {
	for _, ref := range next {
		stays := slices.ContainsFunc(old, func(was graph.Owner) bool {
			return was.Same(ref) && was.OnDelete == ref.OnDelete && (was.Block || !ref.Block)
		})
		if (!ref.Unresolved || ref.OnDelete == graph.OnDeleteRestrict) && !stays {
			list = append(list, ref)
		}
	}
	return list
}

func uidsOf(refs []graph.Owner) (uids []string) {
	for _, ref := range refs {
		uids = append(uids, string(ref.UID))
	}
	slices.Sort(uids)
	return slices.Compact(uids)
}

// unfit returns the reason to refuse a reference to the owner, "" for none. The owner is
// nil if there is no object with its UID.
func unfit(kinds *kindSet, ref graph.Owner, owner *row) string {
	switch {
	case ref.Unresolved && (owner == nil || !owner.object.Deleting): // it may be any kind, of another store
		return ""
	case ref.OnDelete == graph.OnDeleteRestrict && owner != nil && owner.object.Deleting:
		return "is being deleted, and takes no new reference with onDelete restrict"
	case owner == nil, owner.kind != kinds.number(ref.Kind), !bytes.Equal(owner.place, placeOf(ref.Key)):
		return "does not exist"
	case owner.object.Waiting():
		return "is being deleted in the foreground"
	case owner.object.Orphaning():
		return "is being deleted and orphans its dependents"
	}
	return ""
}
