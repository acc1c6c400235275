package sqlstore

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// checkNew refuses a new reference of a strict store to an owner that does not exist, or
// that is being deleted in the foreground or orphans. It locks the owners in the order of
// their UIDs, so their state stays until the end of the transaction. A reference that
// stays, or that only stops blocking, is not new. Unresolved references are not refused.
//
//test:by TestStrictReferences TestStrictKeepsOldReferences TestWriteSkew TestStrictShrinks
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
	err := ses.lockOwners(ctx, uidsOf(added), live, found)
	if err != nil {
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
// UIDs. Otherwise two writers could each wait for the other.
func (ses *session) lockOwners(ctx context.Context, uids []string, live *row, found map[graph.UID]*row) error {
	add := func(r *row) error {
		found[r.object.UID] = r
		return nil
	}
	if live == nil {
		return ses.s.tables.owners(ctx, &ses.c, uids, add)
	}
	at, _ := slices.BinarySearch(uids, string(live.object.UID))
	if err := ses.s.tables.owners(ctx, &ses.c, uids[:at], add); err != nil {
		return err
	}
	same, err := ses.s.tables.lockRow(ctx, &ses.c, live)
	if err == nil && !same {
		err = errRaced
	}
	if err != nil {
		return err
	}
	return ses.s.tables.owners(ctx, &ses.c, uids[at:], add)
}

// newReferences returns the resolved references that old does not have in this form.
func newReferences(old, next []graph.Owner) (list []graph.Owner) {
	for _, ref := range next {
		stays := slices.ContainsFunc(old, func(was graph.Owner) bool { return was.Same(ref) && (was.Block || !ref.Block) })
		if !ref.Unresolved && !stays {
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
	case owner == nil, owner.kind != kinds.number(ref.Kind), !bytes.Equal(owner.place, placeOf(ref.Key)):
		return "does not exist"
	case owner.object.Waiting():
		return "is being deleted in the foreground"
	case owner.object.Orphaning():
		return "is being deleted and orphans its dependents"
	}
	return ""
}
