package storetest

import (
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const listAnew = "list/anew"

// lawsOfLister are about ownergraph.Lister.
func lawsOfLister() []law {
	return []law{
		{
			name: listAnew, needs: []need{needLister}, rests: []string{watchListing},
			why: "an engine that distrusts its state of a kind decides nothing about it before the new listing",
			run: listsAnew,
		},
		{
			name: "list/complete", needs: []need{needLister}, rests: []string{listAnew, watchComplete},
			why: "the end of the new listing removes every object outside of it",
			run: listsCompletely,
		},
		{
			name: "list/every-watch", needs: []need{needLister}, rests: []string{listAnew},
			why: "each engine has its own watch: the engine that called List needs the listing in that one",
			run: listsInEveryWatch,
		},
		{
			name: "list/returns", needs: []need{needLister}, rests: []string{listAnew, slowDelaysNone},
			why: "an engine that waits for its own watch, which waits for the engine, waits for ever",
			run: listReturns,
		},
	}
}

func (t *trial) list(kind ownergraph.Kind) {
	t.Helper()
	l, _ := ownergraph.As[ownergraph.Lister](t.Store)
	t.accept(fmt.Sprintf("List of %s", kind), t.do("List", withKind(l.List, kind)))
}

func listsAnew(t *trial) {
	w := t.watch().ready()
	for _, info := range t.infos {
		events, _ := w.reported()
		before := replay(events).of(info.Kind).ended
		t.list(info.Kind)
		w.mustSee(fmt.Sprintf("the watch lists %s again", info.Kind), func(r *replica) bool { return r.of(info.Kind).ended > before })
	}
}

func listsCompletely(t *trial) {
	want := map[ownergraph.Kind][]ownergraph.Object{}
	for i := range 12 {
		o := t.object(fmt.Sprintf("a%02d", i))
		if i%4 == 2 {
			o.Finalizers = []string{holdFinalizer}
		}
		o = t.create(o)
		if i%4 == 2 {
			t.remove(o) // it is marked, and stays: a query of the living objects lacks it
		}
		want[t.main.Kind] = append(want[t.main.Kind], o)
	}
	w := t.watch().ready()
	t.list(t.main.Kind)
	w.mustSee(fmt.Sprintf("the watch lists %s again", t.main.Kind), func(r *replica) bool { return r.of(t.main.Kind).ended > 1 })
	events, _ := w.reported()
	t.listingsBring(events, want)
}

func listsInEveryWatch(t *trial) {
	watches := []*watcher{t.watch().ready(), t.watch().ready(), t.watch().ready()}
	t.list(t.main.Kind)
	for i, w := range watches {
		w.mustSee(fmt.Sprintf("watch %d of %d lists %s again", i+1, len(watches), t.main.Kind), func(r *replica) bool {
			return r.of(t.main.Kind).ended > 1
		})
	}
}

func listReturns(t *trial) {
	w := t.watchStepped()
	w.pauseAt("the watch lists "+string(t.main.Kind), isMain(t, graph.ListEnded))
	t.list(t.main.Kind)
	w.free()
	w.mustSee(fmt.Sprintf("the watch lists %s again", t.main.Kind), func(r *replica) bool { return r.of(t.main.Kind).ended > 1 })
}
