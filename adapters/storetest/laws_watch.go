package storetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const (
	watchListing     = "watch/listing"
	watchComplete    = "watch/listing-complete"
	watchEveryChange = "watch/every-change"
	watchGone        = "watch/gone"
	watchExact       = "watch/exact"
	watchRecreated   = "watch/recreated"
	watchSeveral     = "watch/several"
)

// lawsOfWatch are about the objects that a watch reports.
func lawsOfWatch() []law {
	return []law{
		{
			name: watchListing,
			why:  "the engine decides nothing about a kind before its listing, and no deletion ends",
			run:  func(t *trial) { t.watch().ready() },
		},
		{
			name: watchComplete, rests: []string{watchListing},
			why: "the end of a listing removes every object outside of it: if a listing forgets one object, all its dependents are deleted",
			run: listingsAreComplete,
		},
		{
			name: watchEveryChange, rests: []string{watchListing, watchComplete},
			why: "an engine cannot act on a change that is not reported: an object stays for ever, or is deleted for an owner that it no longer has",
			run: changesAreReported,
		},
		{
			name: watchExact, rests: []string{readMarked, watchEveryChange},
			why: "if a flag of a reference or a finalizer is missing, a deletion ends before its dependents are gone",
			run: putsAreExact,
		},
		{
			name: watchGone, rests: []string{readMarked, deleteRemoves, lastFinalizer, patchAccepted, watchEveryChange},
			why: "if the end of an owner is not reported, or is reported for another one, its dependents stay for ever",
			run: goneIsReported,
		},
		{
			name: watchRecreated, rests: []string{watchGone},
			why: "if the report of a new incarnation replaces the end of the former one, its dependents stay for ever",
			run: recreatedIsReported,
		},
		{
			name: watchSeveral, rests: []string{watchEveryChange, watchGone},
			why: "any number of engines may run on one store: a watch must not take events away from another watch",
			run: watchesAreMany,
		},
	}
}

// listingsAreComplete makes more objects than fit on a small page.
func listingsAreComplete(t *trial) {
	want := map[ownergraph.Kind][]ownergraph.Object{}
	note := func(o ownergraph.Object) { want[o.Kind] = append(want[o.Kind], o) }
	for i := range 40 {
		o := t.object(fmt.Sprintf("a%02d", i))
		if i%7 == 3 {
			o.Finalizers = []string{holdFinalizer}
		}
		if t.main.Scoped && i%3 == 1 {
			o.Scope = scopeTwo
		}
		o = t.create(o)
		if i%7 == 3 {
			t.remove(o) // it is marked, and stays
		}
		note(o)
	}
	for i := range 10 {
		if len(t.few) > 1 {
			note(t.create(ownergraph.Object{Key: keyOf(t.second, fmt.Sprintf("b%02d", i))}))
		}
	}
	w := t.watch()
	w.sees((*replica).listed)
	events, _ := w.reported()
	t.listingsBring(events, want)
}

// listingsBring breaks the law if a listing lacks a wanted object.
func (t *trial) listingsBring(events []ownergraph.Event, want map[ownergraph.Kind][]ownergraph.Object) {
	t.Helper()
	r := replay(nil)
	for _, e := range events {
		if e.Type == graph.ListEnded {
			for _, o := range want[e.Kind] {
				if listing := r.of(e.Kind).listing; listing != nil && !listing[o.Key] {
					t.broken(fmt.Sprintf("the listing of %s brings %s", e.Kind, o), fmt.Sprintf("it brought %d objects, and not that one", len(listing)))
				}
			}
		}
		r.apply(e)
	}
}

// changesAreReported writes by users and by the store, on objects of every kind,
// and in two scopes.
func changesAreReported(t *trial) {
	w := t.watch().ready()
	j := &journal{}
	var objects []ownergraph.Object
	for i := range 3 {
		o := t.object(fmt.Sprintf("a%d", i))
		if t.main.Scoped && i == 1 {
			o.Scope = scopeTwo
		}
		objects = append(objects, j.put(t.create(o)))
	}
	for _, info := range t.few {
		objects = append(objects, j.put(t.create(ownergraph.Object{Key: keyOf(info, "b")})))
	}
	for i := range 5 * len(objects) {
		at := (i + i/len(objects)) % len(objects)
		objects[at] = j.put(t.touch(objects[at]))
		if at == 0 { // another law is about slow watches
			t.allReported(w, j)
		}
	}
	t.allReported(w, j)
	for i, o := range objects {
		if i%2 == 0 {
			t.userDelete(o.Key, propagated(ownergraph.Foreground))
		} else if t.patch(o.Key, exact(o), ownergraph.Change{AddFinalizer: holdFinalizer}) != nil {
			continue
		}
		if now, err := t.get(o.Key); err == nil && now.Version != o.Version {
			j.put(now)
		}
	}
	t.allReported(w, j)
	w.stop()
	t.eachReported()
	t.reportedAtOnce()
}

// eachObjects is the number of objects that are written once, and then once more.
const eachObjects = 44

// eachReported writes many objects quickly, each of them once. So no later change hides one
// that is lost.
func (t *trial) eachReported() {
	t.Helper()
	w, j := t.watch().ready(), &journal{}
	var objects []ownergraph.Object
	for i := range eachObjects {
		objects = append(objects, j.put(t.made(fmt.Sprintf("each%02d", i))))
	}
	t.allReported(w, j)
	for _, o := range objects {
		j.put(t.touch(o))
	}
	t.allReported(w, j)
	w.stop()
}

// idleWrites is the number of writes that one watch awaits.
const idleWrites = 40

// reportedAtOnce awaits the report of each write. So each write finds a watch that begins to
// wait. It takes a part of the time of a search.
func (t *trial) reportedAtOnce() {
	t.Helper()
	o := t.made("idle")
	begun, part := time.Now(), t.searchTime/4
	for n := 0; n == 0 || time.Since(begun) < part && time.Duration(n*idleWrites)*minRound < part; n++ {
		w, j := t.watch().ready(), &journal{}
		for i := 0; i < idleWrites && (i < 5 || time.Since(begun) < part); i++ {
			o = j.put(t.touch(o))
			t.allReported(w, j)
		}
		w.stop()
	}
}

// allReported breaks the law if the watch does not report every entry, or a later
// entry of its object, in time.
func (t *trial) allReported(w *watcher, j *journal) {
	t.Helper()
	open := entry{}
	ok := w.until(func(events []ownergraph.Event) bool {
		r := j.reader()
		for _, e := range events {
			r.applyEvent(e)
		}
		for _, info := range t.few {
			if x, behind := r.behind(info.Kind, j.last()); behind {
				open = x
				return false
			}
		}
		return true
	})
	if !ok {
		w.missing(fmt.Sprintf("the watch reports %s", open))
	}
}

// putsAreExact compares a listing and a change with a read.
func putsAreExact(t *trial) {
	made := func(name string) ownergraph.Object {
		owner := t.made("owner-" + name)
		o := t.owned(name, ownergraph.Owner{Key: owner.Key, Block: true, Controller: true}, ownergraph.Owner{Key: t.made("beside-" + name).Key})
		o.Finalizers = []string{holdFinalizer, moreFinalizer}
		o = t.update(o)
		t.userDelete(o.Key, propagated(ownergraph.Orphan))
		return t.live(o.Key)
	}
	want := []ownergraph.Object{made("a")}
	w := t.watch().ready()
	want = append(want, made("b"))
	for _, o := range want {
		w.mustSee("the watch reports "+o.String(), func(r *replica) bool { return r.knows(o) })
		events, _ := w.reported()
		if seen := replay(events).of(o.Kind).objects[o.Key]; !sameContent(o, seen) || o.Generation != seen.Generation {
			t.broken(fmt.Sprintf("the watch reports the answer of a read: %s", o), seen.String())
		}
	}
}

// goneIsReported removes one object after another, the oldest first. It writes
// nothing while it waits for the watch, because the report of an end must not wait
// for the next change.
func goneIsReported(t *trial) {
	a, b, c, patched := t.made("a"), t.made("b"), t.marked("c"), t.marked("patched")
	other := t.create(ownergraph.Object{Key: keyOf(t.second, "other")})
	w := t.watch().ready()
	d, newest := t.made("d"), t.made("newest")
	w.mustSee("the watch reports "+newest.String(), func(r *replica) bool { return r.knows(newest) })
	end := func(o ownergraph.Object, remove func()) {
		t.Helper()
		remove()
		w.mustSee(fmt.Sprintf("the watch reports that %s is gone", o.Key), func(r *replica) bool { return !r.has(o.Key) })
	}
	end(a, func() { t.remove(a) })
	end(c, func() { t.update(withFinalizers(c)) })
	end(patched, func() {
		t.accept("Patch", t.patch(patched.Key, exact(patched), ownergraph.Change{DropFinalizer: holdFinalizer}))
	})
	end(d, func() {
		t.accept("Delete", t.delete(d.Key, ownergraph.DeleteOptions{Precondition: exact(d), Propagation: ownergraph.Background}))
	})
	end(other, func() { t.remove(other) })
	events, _ := w.reported()
	if r := replay(events); !r.has(b.Key) || !r.has(newest.Key) {
		t.broken(fmt.Sprintf("%s and %s stay while others go", b, newest), "the watch reported "+formatEvents(events))
	}
	for _, e := range events {
		if e.Type == graph.Gone && !slices.Contains([]ownergraph.Key{a.Key, c.Key, patched.Key, d.Key, other.Key}, e.Key) {
			t.broken(fmt.Sprintf("%s, %s, %s, %s and %s are gone", a.Key, c.Key, patched.Key, d.Key, other.Key), "the watch reported "+formatEvent(e))
		}
	}
	end(b, func() { t.remove(b) })
	end(newest, func() { t.remove(newest) }) // the kind is empty after it
}

// recreatedIsReported pauses the watch while one incarnation follows another.
func recreatedIsReported(t *trial) {
	old := t.made("a")
	w := t.watchStepped()
	w.pauseAt("the watch lists "+string(t.main.Kind), isMain(t, graph.ListEnded))
	t.remove(old)
	between := t.made("a")
	t.remove(between)
	now := t.made("a")
	w.free()
	w.mustSee(fmt.Sprintf("the watch knows only %s at these coordinates", now), func(r *replica) bool {
		return r.agrees(t.main.Kind, []ownergraph.Object{now})
	})
}

func watchesAreMany(t *trial) {
	watches := []*watcher{t.watch().ready(), t.watch().ready(), t.watch().ready()}
	var want []ownergraph.Object
	for i := range 12 {
		o := t.made(fmt.Sprintf("a%d", i))
		if i%3 == 0 {
			t.remove(o)
			continue
		}
		want = append(want, t.touch(o))
	}
	for i, w := range watches {
		w.mustSee(fmt.Sprintf("watch %d of %d knows %s", i+1, len(watches), formatObjects(want)), func(r *replica) bool {
			return r.agrees(t.main.Kind, want)
		})
	}
}
