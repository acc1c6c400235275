package storetest

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// fencesWaitForSickKinds begins two fences. When the second has passed all other
// kinds, the store had its chance to pass the first.
func fencesWaitForSickKinds(t *trial) {
	sick := t.second.Kind
	w := t.watch().ready()
	t.sicken(sick)
	w.mustSee(fmt.Sprintf("the watch reports that %s is sick", sick), func(r *replica) bool { return r.of(sick).sick })
	late := t.watch()
	late.mustSee(fmt.Sprintf("the watch reports that %s is sick", sick), func(r *replica) bool { return r.of(sick).sick })
	first := t.fence()
	t.mustPass(w, first, sick)
	second := t.fence()
	for _, w := range []*watcher{w, late} {
		t.mustPass(w, second, sick)
		events, _ := w.reported()
		r := replay(events)
		if r.passed[passage{sick, first}] || r.passed[passage{sick, second}] {
			t.broken(fmt.Sprintf("a fence does not pass %s while it is sick", sick), "the watch reported "+formatEvents(events))
		}
	}
}

func fencesPassAfterSickness(t *trial) {
	w := t.watch().ready()
	end := t.sicken(t.main.Kind)
	w.mustSee(fmt.Sprintf("the watch reports that %s is sick", t.main.Kind), func(r *replica) bool { return r.of(t.main.Kind).sick })
	id := t.fence()
	t.mustPass(w, id, t.main.Kind) // the fence now waits for the sick kind alone
	end()
	t.mustPass(w, id)
}

// fencesCoverTheKinds pauses the watch while a kind goes and comes back.
func fencesCoverTheKinds(t *trial) {
	kind := t.second.Kind
	w := t.watchStepped()
	w.pauseAt("the watch lists "+string(t.main.Kind), isMain(t, graph.ListEnded))
	serve := t.vanish(kind)
	gone := t.fence()
	w.free()
	w.mustSee("the watch reports fence-passed of the set of kinds", func(r *replica) bool { return r.passed[passage{"", gone}] })
	if w.passedWith(gone, func(r *replica) bool { return r.serves(kind) }) {
		t.broken(fmt.Sprintf("fence %d comes after the set of kinds without %s", gone, kind), "it came first")
	}
	serve()
	back := t.fence()
	t.mustPass(w, back)
	if w.passedWith(back, func(r *replica) bool { return !r.serves(kind) }) {
		t.broken(fmt.Sprintf("fence %d comes after the set of kinds with %s", back, kind), "it came first")
	}
}

// passedWith reports whether the set of kinds passed the fence while the replica
// satisfied the condition.
func (w *watcher) passedWith(id uint64, known func(*replica) bool) bool {
	events, _ := w.reported()
	r := replay(nil)
	for _, e := range events {
		r.apply(e)
		if e.Type == graph.FencePassed && e.Kind == "" && e.Fence == id && known(r) {
			return true
		}
	}
	return false
}
