package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// restrictedBy returns the UIDs of the owners that an object restricts, each once: those of {restricts}. A
// marked object restricts only while its mark counts for no dependent (RULES, E4).
func restrictedBy(o *graph.Object) (uids []string) {
	if o.Deleting && !o.MarkWithheld() {
		return nil
	}
	for _, r := range o.Owners {
		if r.OnDelete == graph.OnDeleteRestrict && r.UID != o.UID {
			uids = append(uids, string(r.UID))
		}
	}
	slices.Sort(uids)
	return slices.Compact(uids)
}

// restrictsFor returns the rows of {restricts} that the next state of an object does not have, and those
// that it has. An object from before the step has a row for each owner. Both lists are empty if no
// state has a policy.
func restrictsFor(old, next *graph.Object) (removed, is []string) {
	if old != nil && hasPolicy(old) {
		removed = owners(old)
	}
	if next != nil && hasPolicy(next) {
		is = restrictedBy(next)
	}
	return without(removed, is), is
}

// marks reports whether a write gives a live object its mark, or removes it without one.
func marks(live, next *row, effect finalizer.Effect) bool {
	return !live.object.Deleting && (effect == finalizer.Removed || effect == finalizer.Stored && next.object.Deleting)
}

// The look for the objects that restrict a deletion reads pages of restrictPage rows. It names those of
// the first page that has one.
const restrictPage = 64

var errOldView = errors.New("an object restricts it, or did so: the level of the transaction shows an older state than its locks, so begin it as READ COMMITTED, or delete with Store.Delete")

// checkRestricted refuses the mark of an object that another one restricts. The row is locked, and the
// writer of such a reference locks it, too. So the look has a view of all commits up to the lock. A
// transaction of the user at a higher level has an older view. Then the store refuses the mark of each
// object that an object has ever restricted. Another object has not got such a reference meanwhile,
// because the first one changes the row, and Postgres ends the transaction then (40001).
//
//test:by TestRestrict TestRestrictRace TestRestrictLevels
func (ses *session) checkRestricted(ctx context.Context, kinds *kindSet, live *row) error {
	if !ses.s.conf.Strict || !live.restricted {
		return nil
	}
	after := ""
	for {
		var page []*row
		current, err := ses.s.tables.restricting(ctx, &ses.c, string(live.object.UID), after, restrictPage, func(r *row) error {
			page = append(page, r)
			return nil
		})
		if err != nil {
			return err
		}
		if !current {
			return fmt.Errorf("%s %s: %w: %w", verbDelete, name(live.object.Key), errOldView, graph.ErrRefused)
		}
		var by []graph.Key
		for _, r := range page {
			r.object.Kind = kinds.byID[r.kind].info.Kind
			if finalizer.Restricts(r.object, live.object) {
				by = append(by, r.object.Key)
			}
		}
		switch {
		case len(by) > 0:
			return graph.NewRestrictedError(live.object.Key, by)
		case len(page) < restrictPage:
			return nil
		}
		after = string(page[len(page)-1].object.UID)
	}
}

// checkPolicies refuses a new reference with a policy before the step of Config.Policies. References from
// before stay as they are. A program of a former version may run on these tables, and would decide
// as if there were no policy.
//
//test:by TestPoliciesBeforeStep
func (k *kindSet) checkPolicies(verb string, old []graph.Owner, next graph.Object) error {
	if k.policies() {
		return nil
	}
	for i, ref := range next.Owners {
		had := slices.ContainsFunc(old, func(was graph.Owner) bool { return was.Same(ref) && was.OnDelete == ref.OnDelete })
		if ref.OnDelete != graph.OnDeleteUnset && !had {
			return refused(verb, next.Key, fmt.Sprintf("owners[%d].onDelete", i),
				fmt.Sprintf("%s, and the tables have version %d: policies begin with version %d, which Migrate makes with Config.Policies", ref.OnDelete, k.version, policySchema))
		}
	}
	return nil
}
