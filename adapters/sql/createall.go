package sqlstore

import (
	"context"
	"fmt"
	"maps"

	"github.com/ownergraph/ownergraph/graph"
)

// createAll adds objects in the transaction of the caller.
func (ses *session) createAll(ctx context.Context, list []graph.Object) ([]graph.Object, error) {
	const verb = "create"
	kinds, err := ses.s.readKinds(ctx, &ses.c)
	if err != nil {
		return nil, err
	}
	rows := make([]*row, len(list))
	for i, o := range list {
		if rows[i], err = ses.s.newRow(verb, kinds, o); err != nil {
			return nil, err
		}
	}
	if err := ses.checkAllNew(ctx, verb, kinds, rows); err != nil {
		return nil, err
	}
	done, err := ses.s.tables.createAll(ctx, &ses.c, rows, kinds.stamp)
	switch {
	case err != nil:
		return nil, err
	case !done:
		return nil, ses.whyNotAll(ctx, verb, rows)
	}
	made := make([]graph.Object, len(rows))
	for i, r := range rows {
		made[i] = r.object
	}
	return made, nil
}

// whyNotAll names the first object whose place is taken by another one.
func (ses *session) whyNotAll(ctx context.Context, verb string, rows []*row) error {
	for _, r := range rows {
		_, taken, err := ses.look(ctx, r.object.Key)
		if err != nil {
			return err
		}
		if taken != nil && taken.object.UID != r.object.UID {
			return fmt.Errorf("%s %s: name: taken by uid %q: %w", verb, name(r.object.Key.Place()), taken.object.UID, graph.ErrConflict)
		}
	}
	return fmt.Errorf("%s %d objects: the set of kinds changed: %w", verb, len(rows), graph.ErrConflict)
}

// checkAllNew is checkNew for new objects. It locks all their owners in the order of the
// UIDs. An owner may be one of the new objects, as in a ring that a restore brings back.
func (ses *session) checkAllNew(ctx context.Context, verb string, kinds *kindSet, rows []*row) error {
	if !ses.s.conf.Strict {
		return nil
	}
	own := make(map[graph.UID]*row, len(rows))
	for _, r := range rows {
		own[r.object.UID] = r
	}
	var refs []graph.Owner
	for _, r := range rows {
		for _, ref := range newReferences(nil, r.object.Owners) {
			if own[ref.UID] == nil {
				refs = append(refs, ref)
			}
		}
	}
	found := map[graph.UID]*row{}
	if err := ses.lockOwners(ctx, refs, nil, found); err != nil {
		return err
	}
	maps.Copy(found, own)
	for _, r := range rows {
		if err := refuseUnfit(verb, kinds, r.object, newReferences(nil, r.object.Owners), found); err != nil {
			return err
		}
	}
	return nil
}
