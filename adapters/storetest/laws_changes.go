package storetest

import (
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// lawsOfChanges are about the order of the changes that a watch reports.
func lawsOfChanges() []law {
	return []law{
		{
			name: "watch/ordered", rests: []string{watchRecreated, oneCall},
			why: "an engine believes an older state that follows a newer one: a mark looks removed, and a fence passes too early",
			run: changesAreOrdered,
		},
		{
			name: "watch/once", excuse: SingleReports, rests: []string{"watch/ordered"},
			why: "an engine decides twice on a change that is reported twice, and a late repetition looks like a restore",
			run: changesAreReportedOnce,
		},
		{
			name: "watch/listing-not-older", needs: []need{needRelisting}, rests: []string{watchRecreated, "watch/ordered"},
			why: "a listing that is older than the reported changes removes an owner that was created since",
			run: listingsAreNotOlder,
		},
	}
}

// history writes several objects of one kind. The watch is paused during the first
// half, so that it has several changes to report.
func (t *trial) history(w *watcher) *journal {
	t.Helper()
	j := &journal{}
	w.pauseAt("the watch lists "+string(t.main.Kind), isMain(t, graph.ListEnded))
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

// reportedHistory writes a history, and one more object after the watch has
// reported it. So the law sees late reports too. It returns the reported events.
func (t *trial) reportedHistory() (*journal, []ownergraph.Event) {
	t.Helper()
	w := t.watchStepped()
	j := t.history(w)
	t.allReported(w, j)
	j.put(t.made("last"))
	t.allReported(w, j)
	events, _ := w.reported()
	return j, events
}

func changesAreOrdered(t *trial) {
	j, events := t.reportedHistory()
	r := j.reader()
	for _, e := range events {
		if x, ok := j.find(e); ok && r.listing[e.Of()] == nil {
			if newest := r.shown[x.object.Key]; newest > x.number {
				t.broken(fmt.Sprintf("%s is not followed by an older state of it", j.entries[newest-1]), "the watch reported "+formatEvent(e))
			}
			if before, behind := r.behind(t.main.Kind, x.number-1); behind {
				t.broken(fmt.Sprintf("the watch reports %s before %s, as they were committed", before, x), "it reported "+formatEvent(e)+" first")
			}
		}
		r.applyEvent(e)
	}
}

func changesAreReportedOnce(t *trial) {
	j, events := t.reportedHistory()
	reported := map[int]bool{}
	listing := false
	for _, e := range events {
		if e.Of() == t.main.Kind && (e.Type == graph.ListBegun || e.Type == graph.ListEnded) {
			listing = e.Type == graph.ListBegun
		}
		x, ok := j.find(e)
		if !ok {
			continue
		}
		if reported[x.number] && !listing {
			t.broken(fmt.Sprintf("the watch reports %s once", x), "it reported it again: "+formatEvent(e))
		}
		reported[x.number] = true
	}
}

// listingsAreNotOlder makes a watch list again that has reported some changes and
// is behind with others.
func listingsAreNotOlder(t *trial) {
	w := t.watchStepped()
	j := t.history(w) // it is no longer stepped
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
	w.mustSee("the watch reports "+last.String(), func(r *replica) bool { return r.knows(last) && !r.has(b.Key) && r.of(t.main.Kind).listing == nil })
	events, _ := w.reported()
	r := j.reader()
	for _, e := range events {
		if x, ok := j.find(e); ok && e.Type == graph.Put && r.shown[x.object.Key] > x.number {
			t.broken(fmt.Sprintf("the watch does not go back before %s", j.entries[r.shown[x.object.Key]-1]), "the watch reported "+formatEvent(e))
		}
		r.applyEvent(e)
	}
	t.noneLost(events, j)
}

// noneLost breaks the law if a listing drops an object that was reported and not
// removed.
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

// relist makes every watch list again.
func (t *trial) relist() {
	t.Helper()
	if l, ok := ownergraph.As[ownergraph.Lister](t.Store); ok {
		t.hook("List", withKind(l.List, t.main.Kind))
		return
	}
	t.hook("Compact", t.Compact)
}
