package storetest

import (
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// lawsOfChanges are about the order in which a watch tells changes.
func lawsOfChanges() []law {
	return []law{
		{
			name: "watch/ordered", rests: []string{watchRecreated, oneCall},
			why: "an older state that comes behind a newer one of its kind is believed: a mark that was set looks taken back, and a fence passes what it should not",
			run: changesAreOrdered,
		},
		{
			name: "watch/once", excuse: SingleReports, rests: []string{"watch/ordered"},
			why: "what is told twice is judged twice, and what is told again late looks like a restore",
			run: changesAreToldOnce,
		},
		{
			name: "watch/listing-not-older", needs: []need{needRelisting}, rests: []string{watchRecreated, "watch/ordered"},
			why: "a listing that is older than what the watch has told takes an owner for gone that has been created since",
			run: listingsAreNotOlder,
		},
	}
}

// history writes on several objects of one kind while the watch is held now and
// then, so that it has more than one thing to tell.
func (t *trial) history(w *watcher) *journal {
	t.Helper()
	j := &journal{}
	w.holdAt("the watch lists "+string(t.main.Kind), isMain(t, graph.ListEnded))
	var objects []ownergraph.Object
	for i := range 4 {
		objects = append(objects, j.put(t.made(fmt.Sprintf("a%d", i))))
	}
	for i := range 24 {
		at := i * 5 % len(objects)
		switch o := objects[at]; {
		case i%8 == 7:
			t.update(withFinalizers(o))
			t.remove(o)
			j.gone(o)
			objects[at] = j.put(t.made(o.Name))
		default:
			objects[at] = j.put(t.touch(o))
		}
		if i == 12 {
			w.free()
		}
	}
	return j
}

func withFinalizers(o ownergraph.Object, finalizers ...string) ownergraph.Object {
	o.Finalizers = finalizers
	return o
}

// told writes a history, and one thing more once it has been told, so that what
// comes late is seen too. It returns what the watch reported of it.
func (t *trial) told() (*journal, []ownergraph.Event) {
	t.Helper()
	w := t.watchHeld()
	j := t.history(w)
	t.allReported(w, j)
	j.put(t.made("last"))
	t.allReported(w, j)
	events, _ := w.look()
	return j, events
}

func changesAreOrdered(t *trial) {
	j, events := t.told()
	r := j.reader()
	for _, e := range events {
		if x, ok := j.find(e); ok && r.listing[e.Of()] == nil {
			if newest := r.shown[x.object.Key]; newest > x.number {
				t.broken(fmt.Sprintf("%s is not followed by an older state of it", j.entries[newest-1]), "the watch reported "+say(e))
			}
			if before, behind := r.behind(t.main.Kind, x.number-1); behind {
				t.broken(fmt.Sprintf("the watch reports %s before %s, as they were committed", before, x), "it reported "+say(e)+" first")
			}
		}
		r.take(e)
	}
}

func changesAreToldOnce(t *trial) {
	j, events := t.told()
	told := map[int]bool{}
	listing := false
	for _, e := range events {
		if e.Of() == t.main.Kind && (e.Type == graph.ListBegun || e.Type == graph.ListEnded) {
			listing = e.Type == graph.ListBegun
		}
		x, ok := j.find(e)
		if !ok {
			continue
		}
		if told[x.number] && !listing {
			t.broken(fmt.Sprintf("the watch reports %s once", x), "it reported it again: "+say(e))
		}
		told[x.number] = true
	}
}

// listingsAreNotOlder has a watch list again that has told some changes and is
// behind with others.
func listingsAreNotOlder(t *trial) {
	w := t.watchHeld()
	j := t.history(w) // it runs now
	t.allReported(w, j)
	a, b := j.put(t.made("late-a")), j.put(t.made("late-b"))
	t.allReported(w, j)
	for range 4 {
		a = j.put(t.touch(a))
		t.relist()
		b = j.put(t.touch(b))
	}
	t.remove(b)
	if len(b.Finalizers) > 0 {
		t.update(withFinalizers(t.live(b.Key)))
	}
	j.gone(b)
	t.relist()
	last := j.put(t.made("last"))
	w.mustSee("the watch reports "+last.String(), func(r *replica) bool { return r.holds(last) && !r.has(b.Key) && r.of(t.main.Kind).listing == nil })
	events, _ := w.look()
	r := j.reader()
	for _, e := range events {
		if x, ok := j.find(e); ok && e.Type == graph.Put && r.shown[x.object.Key] > x.number {
			t.broken(fmt.Sprintf("the watch does not go back behind %s", j.entries[r.shown[x.object.Key]-1]), "the watch reported "+say(e))
		}
		r.take(e)
	}
	t.noneLost(events, j)
}

// noneLost breaks the law if a listing takes an object away that was told and
// not removed.
func (t *trial) noneLost(events []ownergraph.Event, j *journal) {
	t.Helper()
	r := replay(nil)
	for _, e := range events {
		before := r.all(t.main.Kind)
		r.apply(e)
		for _, o := range before {
			if _, ended := j.end(o.Key); e.Type == graph.ListEnded && !r.has(o.Key) && !ended {
				t.broken(fmt.Sprintf("a listing brings %s, which has been reported and lives", o), "it ended without it")
			}
		}
	}
}

// relist has every watch list again.
func (t *trial) relist() {
	t.Helper()
	if l, ok := ownergraph.As[ownergraph.Lister](t.Store); ok {
		t.hook("List", withKind(l.List, t.main.Kind))
		return
	}
	t.hook("Compact", t.Compact)
}
