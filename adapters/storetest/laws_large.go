package storetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph"
)

// many is more than one page of any usual size.
const many = 1100

// lawsOfLarge are about more than one page.
func lawsOfLarge() []law {
	return []law{
		{
			name: "large/listing", rests: []string{watchComplete, "list/complete", "concurrency/no-lost-update"},
			why: "the end of a listing removes every object outside of it: a listing of one page deletes the dependents of all other objects",
			run: largeListingsAreComplete,
		},
		{
			name: "large/behind", rests: []string{slowLosesNone, "concurrency/no-lost-update"},
			why: "a slow watch that does not notice that the log was cut never sees the deleted changes",
			run: watchesFarBehindLoseNothing,
		},
		{
			name: "large/progress", needs: []need{needComparer}, rests: []string{"large/behind", "version/progress"},
			why: "a watch that catches up in parts must not report its progress too early: owners look newer than dependents that it has not reported",
			run: progressFarBehindIsNotAhead,
		},
	}
}

// makeMany creates the objects, several at a time.
func (t *trial) makeMany(name string) []ownergraph.Object {
	t.Helper()
	made := make([]ownergraph.Object, many)
	// Each part fits into the time of one call.
	for from := 0; from < many; from += many / 10 {
		errs := t.together(func(ctx context.Context, i int) (err error) {
			for n := from + i; n < from+many/10; n += writers {
				if made[n], err = t.Client.Create(ctx, t.object(fmt.Sprintf("%s-%04d", name, n))); err != nil {
					return err
				}
			}
			return nil
		})
		if err := errors.Join(errs...); err != nil {
			t.unable("Client.Create of %d objects: %v", many, err)
		}
	}
	return made
}

// largeListingsAreComplete also lists again, if the store can.
func largeListingsAreComplete(t *trial) {
	want := map[ownergraph.Kind][]ownergraph.Object{t.main.Kind: t.makeMany("a")}
	w := t.watch()
	w.sees((*replica).listed)
	if is[ownergraph.Lister](t.Subject) {
		t.list(t.main.Kind)
		w.sees(func(r *replica) bool { return r.of(t.main.Kind).ended > 1 })
	}
	events, _ := w.reported()
	t.listingsBring(events, want)
	w.mustSee(fmt.Sprintf("the watch knows %d objects of %s", many, t.main.Kind), func(r *replica) bool {
		return r.listed() && r.agrees(t.main.Kind, want[t.main.Kind])
	})
}

// watchesFarBehindLoseNothing pauses a watch while the log grows beyond the length
// that a store may keep for it.
func watchesFarBehindLoseNothing(t *trial) {
	gone := t.made("gone")
	w := t.watchStepped()
	w.pauseListed()
	t.remove(gone)
	want := t.makeMany("a")
	w.free()
	w.mustSee(fmt.Sprintf("a watch that is %d changes behind knows them", many+1), func(r *replica) bool { return r.agrees(t.main.Kind, want) })
}

func progressFarBehindIsNotAhead(t *trial) {
	first := t.made("first")
	w := t.watchStepped()
	w.pauseListed()
	j := &journal{}
	j.put(first)
	for _, o := range t.makeMany("a") {
		j.put(o)
	}
	w.free()
	w.mustSee("the watch reports every object", func(r *replica) bool { return len(r.of(t.main.Kind).objects) > many })
	t.notAhead(w, j)
}
