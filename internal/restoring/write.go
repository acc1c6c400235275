package restoring

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// perCall is the number of objects that one call creates, if no ring is larger.
const perCall = 1000

// relink moves the references of living objects (RULES, A5). An object that has changed since is looked at again. The
// error is that of the first object, and the others have their turn.
func (r *restore) relink(ctx context.Context, t *turn) (moved bool, err error) {
	for _, o := range t.living {
		failed := r.s.Patch(ctx, o.Key, graph.Precondition{UID: o.UID, Version: o.Version}, graph.Change{Relink: t.relinksOf(&o)})
		switch {
		case failed == nil:
			moved = true
			r.out.Relinked++
		case errors.Is(failed, graph.ErrConflict), errors.Is(failed, graph.ErrNotFound):
			moved = true
		case err == nil:
			err = fmt.Errorf("restore: move a reference of %s: %w", o.Key, failed)
		}
	}
	return moved, err
}

// create creates the members, in calls. A member whose name was taken in the meantime is held, with each member that
// needs it (RULES, A3). The others go on.
func (r *restore) create(ctx context.Context, members []archive.Member) (created bool, err error) {
	r.out.Held = nil
	held := map[graph.UID]graph.Key{} // by the UID of the member, the object that has the name
	for rest := members; len(rest) > 0; {
		n := part(rest)
		some := free(rest[:n], held)
		if len(some) == 0 {
			rest = rest[n:]
			continue
		}
		err := r.call(ctx, some)
		var names *archive.TakenError
		switch {
		case errors.As(err, &names) && hold(held, names):
			continue
		case err != nil:
			return created, err
		}
		created, rest = true, rest[n:]
	}
	for _, m := range members {
		if by, is := held[m.Entry.Object.UID]; is {
			r.out.Held = append(r.out.Held, archive.Taken{Member: m.Entry.Object.Key, By: by})
		}
	}
	slices.SortFunc(r.out.Held, func(a, b archive.Taken) int { return a.Member.Compare(b.Member) })
	return created, nil
}

// maxFailures bounds the turns in a row that write nothing because the store refuses a write.
const maxFailures = 8

// tolerate returns nil for an error that another look may end: an owner has gone since this one. It returns the error if
// that goes on.
func (r *restore) tolerate(err error, moved bool) error {
	if err == nil || moved {
		r.failures = 0
	}
	if err == nil {
		return nil
	}
	if r.failures++; r.failures < maxFailures && (errors.Is(err, graph.ErrRefused) || errors.Is(err, graph.ErrConflict) || errors.Is(err, graph.ErrNotFound)) {
		return nil
	}
	return err
}

// moved returns a reference to a member as one to its new object. With other coordinates than the entry has it gets the UID
// alone: it named no object before.
func moved(o graph.Owner, place, to graph.Key) graph.Owner {
	if place != (graph.Key{}) && o.Place() != place {
		o.UID = to.UID
		return o
	}
	o.Key = to
	return o
}

// call creates some members in one transaction.
func (r *restore) call(ctx context.Context, some []archive.Member) error {
	items := make([]archive.Item, len(some))
	for i, m := range some {
		items[i] = archive.Item{UID: m.Entry.Object.UID, Root: m.Root, Scope: m.Scope, Name: m.Name, Owners: slices.Clone(m.Owners)}
		for j, o := range m.Owners {
			if k, back := r.out.Restored[o.UID]; back {
				items[i].Owners[j] = moved(o, r.places[o.UID], k)
			}
		}
	}
	keys, err := r.s.RestoreEntries(ctx, items)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	for i, m := range some {
		r.out.Restored[m.Entry.Object.UID], r.places[m.Entry.Object.UID] = keys[i], m.Entry.Object.Place()
	}
	r.out.Created += len(some)
	r.report(len(some))
	return nil
}

// part returns the number of members of the next call. A ring is in one call.
func part(members []archive.Member) int {
	n := min(perCall, len(members))
	for n < len(members) && members[n].Ring != 0 && members[n].Ring == members[n-1].Ring {
		n++
	}
	return n
}

// free returns the members that are not held, and need no held one. The members of a ring need each other.
//
//test:by TestRestoreHeld TestRestoreHeldSweep
func free(members []archive.Member, held map[graph.UID]graph.Key) (out []archive.Member) {
	for again := true; again; {
		again, out = false, out[:0]
		for i := range members {
			m := &members[i]
			by, is := held[m.Entry.Object.UID]
			for _, uid := range needs(m) {
				if x, needed := held[uid]; !is && needed {
					by, is = x, true
				}
			}
			if !is {
				out = append(out, *m)
				continue
			}
			for _, uid := range slices.Concat(m.Former, []graph.UID{m.Entry.Object.UID}) {
				if _, noted := held[uid]; !noted {
					held[uid], again = by, true
				}
			}
		}
	}
	return out
}

// needs returns the UIDs of the owners that a member has to come back with. The holder of its sweep counts as one, by the UID of
// then (RULES, A1).
func needs(m *archive.Member) (uids []graph.UID) {
	for _, o := range m.Owners {
		uids = append(uids, o.UID)
	}
	if h := m.Entry.Cause.Holder.UID; h != "" {
		uids = append(uids, h)
	}
	return uids
}

// hold notes the members whose names are taken, and reports whether there is a new one.
func hold(held map[graph.UID]graph.Key, names *archive.TakenError) (news bool) {
	for uid, by := range names.Taken {
		if _, noted := held[uid]; !noted {
			held[uid], news = by, true
		}
	}
	return news
}
