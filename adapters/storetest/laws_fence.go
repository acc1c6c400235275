package storetest

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const (
	fencePasses   = "fence/passes"
	fenceNotEarly = "fence/not-early"
	fenceSick     = "fence/sick"
)

// lawsOfFence are about ownergraph.Fencer, which makes a store level 2.
func lawsOfFence() []law {
	list := []law{
		{
			name: fencePasses, rests: []string{watchListing},
			why: "a foreground or orphan deletion ends after a fence that every kind has passed: without one, it does not end",
			run: fencesPass,
		},
		{
			name: fenceNotEarly, rests: []string{fencePasses, "watch/ordered", slowDelaysNone},
			why: "a fence that passes too early removes an owner while a dependent still refers to it",
			run: fencesAreNotEarly,
		},
		{
			name: "fence/listing", rests: []string{fencePasses, watchComplete, slowDelaysNone},
			why: "in the middle of a listing, the engine does not know the rest of it",
			run: fencesWaitForListings,
		},
		{
			name: "fence/every-watch", rests: []string{fencePasses},
			why: "several engines on one store share its fences: an engine whose watch does not report them waits for ever",
			run: fencesPassInEveryWatch,
		},
		{
			name: "fence/several", rests: []string{fencePasses},
			why: "engines begin fences at the same time: a fence that replaces another leaves an engine waiting",
			run: fencesAreMany,
		},
		{
			name: "fence/returns", rests: []string{fencePasses, slowDelaysNone},
			why: "an engine that waits for its own watch, which waits for the engine, waits for ever",
			run: fenceReturns,
		},
		{
			name: fenceSick, needs: []need{needSicken, needTwoKinds}, rests: []string{fencePasses, sickReported},
			why: "a fence that passes a kind out of reach covers dependents that no engine has seen: their owner goes too early",
			run: fencesWaitForSickKinds,
		},
		{
			name: "fence/recovered", needs: []need{needSicken}, rests: []string{fencePasses, "kinds/recovered"},
			why: "without it, a deletion that waits for a fence never ends after the sick kind has recovered",
			run: fencesPassAfterSickness,
		},
		{
			name: "fence/kinds", needs: []need{needVanish, needTwoKinds}, rests: []string{fencePasses, "kinds/vanished-told", "kinds/served-again", slowDelaysNone},
			why: "a kind that was just added may have dependents: a fence must not leave it out",
			run: fencesCoverTheKinds,
		},
	}
	return withDemand(list, ownergraph.Level2, needFencer)
}

// fence begins a fence, and returns its token.
func (t *trial) fence() uint64 {
	t.Helper()
	f, _ := ownergraph.As[ownergraph.Fencer](t.Store)
	return t.fenceBy(f)
}

func (t *trial) fenceBy(f ownergraph.Fencer) uint64 {
	t.Helper()
	return t.fenceAt("Fence", f)
}

// fenceAt is fenceBy, and names the moment of the call.
func (t *trial) fenceAt(what string, f ownergraph.Fencer) uint64 {
	t.Helper()
	var token uint64
	t.accept(what, t.do(what, func(ctx context.Context) (err error) { token, err = f.Fence(ctx); return err }))
	return token
}

// passedBy reports whether the set of kinds has passed the fence, and every kind
// outside of but.
func (t *trial) passedBy(r *replica, id uint64, but ...ownergraph.Kind) bool {
	skip := map[ownergraph.Kind]bool{}
	for _, k := range but {
		skip[k] = true
	}
	for _, info := range t.infos {
		if !skip[info.Kind] && !r.passed[passage{info.Kind, id}] {
			return false
		}
	}
	return r.passed[passage{"", id}]
}

func (t *trial) mustPass(w *watcher, id uint64, but ...ownergraph.Kind) {
	t.Helper()
	w.mustSee(fmt.Sprintf("the watch reports fence-passed %d of every kind, and of the set of kinds", id), func(r *replica) bool {
		return t.passedBy(r, id, but...)
	})
}

// fencesPass begins a fence without a change before it, and then one after a
// change.
func fencesPass(t *trial) {
	w := t.watch().ready()
	t.mustPass(w, t.fence())
	t.made("a")
	t.mustPass(w, t.fence())
}

// fencesAreNotEarly begins fences while the watch is behind with changes of every
// sort.
func fencesAreNotEarly(t *trial) {
	j := &journal{}
	keep := j.put(t.made("keep"))
	w := t.watchStepped()
	w.pauseListed()
	marks := map[uint64]int{}
	var last uint64
	for i := range 6 {
		keep = j.put(t.touch(keep))
		gone := j.put(t.made(fmt.Sprintf("gone%d", i)))
		j.put(t.made(fmt.Sprintf("new%d", i)))
		j.put(t.create(ownergraph.Object{Key: keyOf(t.second, fmt.Sprintf("other%d", i))}))
		if i > 0 {
			t.remove(gone)
			j.gone(gone)
		}
		last = t.fence()
		marks[last] = j.last()
		w.pass()
		if _, ok := w.step(); !ok {
			w.missing("the watch goes on")
		}
	}
	w.free()
	t.mustPass(w, last)
	t.notEarly(w, j, marks)
}

// notEarly breaks the law if a fence passed a kind too early. The watch must have
// reported all entries of that kind from before the fence.
func (t *trial) notEarly(w *watcher, j *journal, marks map[uint64]int) {
	t.Helper()
	events, _ := w.reported()
	t.notEarlyIn(events, j, marks)
}

func (t *trial) notEarlyIn(events []ownergraph.Event, j *journal, marks map[uint64]int) {
	t.Helper()
	r := j.reader()
	for _, e := range events {
		number, ours := marks[e.Fence]
		if e.Type == graph.FencePassed && e.Kind != "" && ours {
			if x, behind := r.behind(e.Kind, number); behind {
				t.broken(fmt.Sprintf("%s comes after %s, which was committed before the fence began", formatEvent(e), x), "it came first")
			}
		}
		r.applyEvent(e)
	}
}

// fencesWaitForListings begins a fence at each event of a watch's beginning.
func fencesWaitForListings(t *trial) {
	j := &journal{}
	for i := range 6 {
		j.put(t.made(fmt.Sprintf("a%d", i)))
		j.put(t.create(ownergraph.Object{Key: keyOf(t.second, fmt.Sprintf("b%d", i))}))
	}
	w := t.watchStepped()
	marks := map[uint64]int{}
	var last uint64
	for range beginEvents {
		if _, ok := w.step(); !ok {
			w.missing("the watch lists every kind")
		}
		last = t.fence()
		marks[last] = j.last()
		events, _ := w.reported()
		if replay(events).listed() {
			break
		}
		w.pass()
	}
	w.free()
	t.mustPass(w, last)
	t.notEarly(w, j, marks)
}

func fencesPassInEveryWatch(t *trial) {
	watches := []*watcher{t.watch().ready(), t.watch().ready(), t.watch().ready()}
	for range 2 {
		id := t.fence()
		for _, w := range watches {
			t.mustPass(w, id)
		}
		if _, ended := watches[0].stop(); ended {
			watches = watches[1:]
		}
	}
}

func fencesAreMany(t *trial) {
	w := t.watchStepped()
	w.pauseAt("the watch lists "+string(t.main.Kind), isMain(t, graph.ListEnded))
	var ids []uint64
	for i := range 8 {
		ids = append(ids, t.fence())
		if i%2 == 0 {
			t.made(fmt.Sprintf("a%d", i))
		}
	}
	w.free()
	for _, id := range ids {
		t.mustPass(w, id)
	}
}

// fenceReturns begins a fence without a watch, and one inside of a sink's call.
func fenceReturns(t *trial) {
	f, _ := ownergraph.As[ownergraph.Fencer](t.Store)
	t.fenceAt("Fence, while no watch runs,", f)
	w := t.watchStepped()
	w.pauseAt("the watch begins", func(ownergraph.Event) bool { return true })
	id := t.fenceAt("Fence, called while the sink of a watch has the first event and has not returned,", f)
	w.free()
	w.mustSee(fmt.Sprintf("the watch reports fence-passed %d of every kind, and of the set of kinds; "+
		"the fence began while the sink of this watch had the first event", id), func(r *replica) bool { return t.passedBy(r, id) })
}
