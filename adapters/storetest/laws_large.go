package storetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph"
)

// many is more than a page of any usual size has.
const many = 1100

// lawsOfLarge are about more than a page.
func lawsOfLarge() []law {
	return []law{
		{
			name: "large/listing", rests: []string{watchComplete, "list/complete", "concurrency/no-lost-update"},
			why: "what the end of a listing has not brought is gone: a listing that ends with its first page takes the dependents of all others with it",
			run: largeListingsAreComplete,
		},
		{
			name: "large/behind", rests: []string{slowLosesNone, "concurrency/no-lost-update"},
			why: "a watch that was slow for long, and is not told that the log was cut, never sees what was in it",
			run: watchesFarBehindLoseNothing,
		},
		{
			name: "large/progress", needs: []need{needComparer}, rests: []string{"large/behind", "version/progress"},
			why: "a watch that catches up in parts and says at the first that it is done shows owners as newer than dependents that it has not reported",
			run: progressFarBehindIsNotAhead,
		},
	}
}

// makeMany creates the objects, several at a time.
func (t *trial) makeMany(name string) []ownergraph.Object {
	t.Helper()
	made := make([]ownergraph.Object, many)
	for from := 0; from < many; from += many / 10 { // each part within the time of a call
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

// largeListingsAreComplete also lists again, where the store can.
func largeListingsAreComplete(t *trial) {
	want := map[ownergraph.Kind][]ownergraph.Object{t.main.Kind: t.makeMany("a")}
	w := t.watch()
	w.sees((*replica).listed)
	if is[ownergraph.Lister](t.Subject) {
		t.list(t.main.Kind)
		w.sees(func(r *replica) bool { return r.of(t.main.Kind).ended > 1 })
	}
	events, _ := w.look()
	t.listingsBring(events, want)
	w.mustSee(fmt.Sprintf("the watch knows %d objects of %s", many, t.main.Kind), func(r *replica) bool {
		return r.listed() && r.agrees(t.main.Kind, want[t.main.Kind])
	})
}

// watchesFarBehindLoseNothing holds a watch while more is written than a store
// may want to keep for it.
func watchesFarBehindLoseNothing(t *trial) {
	gone := t.made("gone")
	w := t.watchHeld()
	w.holdListed()
	t.remove(gone)
	want := t.makeMany("a")
	w.free()
	w.mustSee(fmt.Sprintf("a watch that is %d changes behind knows them", many+1), func(r *replica) bool { return r.agrees(t.main.Kind, want) })
}

func progressFarBehindIsNotAhead(t *trial) {
	first := t.made("first")
	w := t.watchHeld()
	w.holdListed()
	j := &journal{}
	j.put(first)
	for _, o := range t.makeMany("a") {
		j.put(o)
	}
	w.free()
	w.mustSee("the watch reports every object", func(r *replica) bool { return len(r.of(t.main.Kind).objects) > many })
	t.notAhead(w, j)
}
