package storetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// lawsOfKept are about memory that the store has handed out, or was given. A receiver may
// change what it got, and the store may not.
func lawsOfKept() []law {
	return []law{
		{
			name: "alias/watch", rests: []string{"alias/event", watchGone},
			why: "the sink changes its events: a store that goes on using their lists compares with what the engine made of them, and its watch goes wrong",
			run: overwrittenWatchesGoOn,
		},
		{
			name: "alias/fence", level: ownergraph.Level2, needs: []need{needFencer}, rests: []string{"alias/watch", fencePasses, "fence/every-watch"},
			why: "a store that takes the kinds of a fence from a list that it gave away passes it for other kinds: a deletion never ends, or ends too early",
			run: overwrittenWatchesPassFences,
		},
		{
			name: "alias/kinds", needs: []need{needVanish}, rests: []string{"alias/watch", "kinds/vanished-keeps", "kinds/served-again", "list/every-watch"},
			why: "the engine keeps the set of kinds that it got: if the store changes that list, the engine takes a kind for known or unknown that is not",
			run: kindsAreCopied,
		},
		{
			name: "alias/kept", rests: []string{"alias/watch", "alias/get", "alias/patch", patchUnblock, "patch/add-owner", "patch/drop-owners", "delete/foreground"},
			why: "the engine keeps the lists of its objects: if the store changes them later, the engine judges a state that no object ever had",
			run: listsAreKept,
		},
		{
			name: "alias/select", needs: []need{needSelector, needLabel}, rests: []string{"select/fresh", "select/pages"},
			why: "the engine keeps and changes a page: a store that shares its memory loses a member, and the holder goes before it",
			run: pagesAreCopied,
		},
	}
}

// kindChanges are the changes that a receiver may make to its list of kinds.
func kindChanges() []func([]ownergraph.KindInfo) {
	return []func([]ownergraph.KindInfo){
		func(list []ownergraph.KindInfo) {
			for i := range list {
				list[i] = ownergraph.KindInfo{Kind: ownergraph.Kind(fmt.Sprint("scribbled", i))}
			}
		},
		func(list []ownergraph.KindInfo) { clear(list) },
		func(list []ownergraph.KindInfo) { slices.Reverse(list) },
		func(list []ownergraph.KindInfo) {
			for i := range list {
				list[i].Scoped, list[i].NoOwner, list[i].Unwatched = !list[i].Scoped, !list[i].NoOwner, true
			}
		},
		func(list []ownergraph.KindInfo) { _ = append(list[:0], list[len(list)-1]) },
	}
}

// overwrittenWatches starts a watch for each change of kinds, whose sink also changes the
// lists of objects. A watcher has copies from before the change.
func (t *trial) overwrittenWatches() (list []*watcher) {
	t.Helper()
	for _, change := range kindChanges() {
		list = append(list, t.watchWith(func(e ownergraph.Event) error {
			overwrite(e.Object)
			if len(e.Kinds) > 0 {
				change(e.Kinds)
			}
			return nil
		}).ready())
	}
	return list
}

// overwrittenWatchesGoOn compares watches whose sinks change their events with reads, and
// with watches whose sinks do not.
func overwrittenWatchesGoOn(t *trial) {
	plain := []*watcher{t.watch().ready()}
	watches := t.overwrittenWatches()
	plain = append(plain, t.watch().ready())
	want := map[ownergraph.Kind][]ownergraph.Object{t.main.Kind: {t.made("x"), t.made("y")}}
	for i, info := range t.few {
		for n := range 3 {
			o := ownergraph.Object{Key: keyOf(info, fmt.Sprintf("a%d-%d", i, n)), Finalizers: []string{holdFinalizer}}
			o.Owners = []ownergraph.Owner{{Key: want[t.main.Kind][0].Key, Block: true}, {Key: want[t.main.Kind][1].Key}}
			o = t.touch(t.create(o))
			if n == 0 {
				t.userDelete(o.Key, propagated(ownergraph.Background))
				o = t.live(o.Key)
			}
			want[info.Kind] = append(want[info.Kind], o)
		}
		gone := t.create(ownergraph.Object{Key: keyOf(info, fmt.Sprint("gone", i))})
		t.remove(gone)
	}
	for _, w := range slices.Concat(watches, plain) {
		t.knowsExactly(w, want)
		t.onlyKnown(w)
	}
	t.kindsOnce(watches, plain)
}

// kindsOnce breaks the law if a watch whose sink changed its lists reports the same set of
// kinds again and again. A store does so if it compares with a changed list. It may also
// have reasons of its own, such as a new connection. Then the other watches show them too,
// and the law does not judge.
func (t *trial) kindsOnce(watches, others []*watcher) {
	t.Helper()
	if slices.ContainsFunc(others, func(w *watcher) bool { return kindsRepeated(w) > 0 }) {
		return
	}
	const few = 4 // new connections of one watch
	for _, w := range watches {
		if n := kindsRepeated(w); n > few {
			t.broken("a watch whose sink changed its list of kinds reports the same set again only with a new listing, as the other watches do",
				history(fmt.Sprintf("it reported the same set %d times without one, and the others never", n), "the store compares with the list that it gave to the sink"))
		}
	}
}

// knowsExactly breaks the law if the watch does not know the objects as they are.
func (t *trial) knowsExactly(w *watcher, want map[ownergraph.Kind][]ownergraph.Object) {
	t.Helper()
	for _, info := range t.few {
		list := want[info.Kind]
		w.mustSee(fmt.Sprintf("a watch goes on after its sink changed the lists of its events, and knows %s", formatObjects(list)), func(r *replica) bool {
			return r.agrees(info.Kind, list)
		})
		events, _ := w.reported()
		for _, o := range list {
			t.wantSame("a watch whose sink changed its events", o, replay(events).of(info.Kind).objects[o.Key])
		}
	}
}

// kindsRepeated returns how often the watch reported the set of kinds although it was the
// same, and no listing explains it.
func kindsRepeated(w *watcher) int {
	events, _ := w.reported()
	return repeatsOfKinds(events)
}

// repeatsOfKinds is kindsRepeated for these events. A watch that begins anew reports the set
// of kinds and lists the kinds. It may begin several times until it lists. So a listing
// explains the reports next to it on both sides.
func repeatsOfKinds(events []ownergraph.Event) (repeats int) {
	var former []ownergraph.KindInfo
	run := 0                     // reports of the same set with nothing between
	before, after := true, false // a listing has begun before the run, and since the run
	adjacent := false            // the last event was of the run
	for _, e := range events {
		switch e.Type {
		case graph.KindsKnown:
			if !adjacent {
				if !before && !after {
					repeats += run
				}
				before, after, run = former == nil || after, false, 0
			}
			if sameKinds(former, e.Kinds) {
				run++
			}
			former = e.Kinds
		case graph.ListBegun:
			after = true
		}
		adjacent = e.Type == graph.KindsKnown
	}
	return repeats // without the last run, whose listing may come
}

// sameKinds compares two sets of kinds, which are in any order.
func sameKinds(a, b []ownergraph.KindInfo) bool {
	byKind := func(a, b ownergraph.KindInfo) int { return strings.Compare(string(a.Kind), string(b.Kind)) }
	return slices.Equal(slices.SortedFunc(slices.Values(a), byKind), slices.SortedFunc(slices.Values(b), byKind))
}

func overwrittenWatchesPassFences(t *trial) {
	watches := t.overwrittenWatches()
	for range 2 {
		id := t.fence()
		for _, w := range watches {
			t.mustPass(w, id)
			for p := range replayed(w).passed {
				if known := func(i ownergraph.KindInfo) bool { return i.Kind == p.kind }; p.id == id && p.kind != "" && !slices.ContainsFunc(t.infos, known) {
					t.broken(fmt.Sprintf("fence %d passes the kinds of the store", id), fmt.Sprintf("it passed %q, which the sink wrote into its list of kinds", p.kind))
				}
			}
		}
		t.made(fmt.Sprint("a", id))
	}
}

func replayed(w *watcher) *replica {
	events, _ := w.reported()
	return replay(events)
}

// keeper keeps lists that the store handed out or was given, with their first content.
// It is safe for concurrent use.
type keeper struct {
	mu   sync.Mutex
	list []keepsake
}

type keepsake struct {
	what, was string
	text      func() string
}

func (k *keeper) add(what string, text func() string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = append(k.list, keepsake{what, text(), text})
}

// object keeps the lists of an object. The receiver may append to them, so it keeps the
// memory behind them as well.
func (k *keeper) object(what string, o ownergraph.Object) {
	k.add(what, func() string { return o.String() })
	longer := o
	longer.Owners = append(o.Owners, ownergraph.Owner{Key: ownergraph.Key{Kind: "kept", Name: "kept"}})
	longer.Finalizers = append(o.Finalizers, "example.org/kept")
	k.add(what+", which appends to it,", func() string { return longer.String() })
}

func (k *keeper) see(e ownergraph.Event) error {
	switch e.Type {
	case graph.Put:
		k.object("the event of a watch", e.Object)
	case graph.KindsKnown:
		longer := append(e.Kinds, ownergraph.KindInfo{Kind: "kept"})
		k.add("the event of a watch", func() string { return fmt.Sprintf("kinds-known %+v", e.Kinds) })
		k.add("the event of a watch, which appends to it,", func() string { return fmt.Sprintf("kinds-known %+v", longer) })
	}
	return nil
}

// check breaks the law if a list has changed.
func (t *trial) check(k *keeper, step string) {
	t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, x := range k.list {
		if now := x.text(); now != x.was {
			t.broken(fmt.Sprintf("%s belongs to its receiver, and stays: %s", x.what, x.was), history(now, "changed by the store, after "+step))
		}
	}
}

// kindsAreCopied: a kind vanishes and comes back twice.
func kindsAreCopied(t *trial) {
	k := &keeper{}
	keeping := t.watchWith(k.see).ready()
	watches := append(t.overwrittenWatches(), keeping)
	kind := t.second.Kind
	for i := range 2 {
		serve := t.vanish(kind)
		for _, w := range watches {
			w.mustSee(fmt.Sprintf("a watch whose sink changed its list of kinds reports the kinds without %s", kind), func(r *replica) bool { return len(r.infos) > 0 && !r.serves(kind) })
		}
		t.check(k, "the end of "+string(kind))
		serve()
		fresh := t.create(ownergraph.Object{Key: keyOf(t.second, fmt.Sprint("fresh", i))})
		for _, w := range watches {
			w.mustSee(fmt.Sprintf("a watch whose sink changed its list of kinds lists %s again, and knows %s", kind, fresh), func(r *replica) bool {
				return r.listed() && r.serves(kind) && r.knows(fresh)
			})
			t.onlyKnown(w)
			for _, e := range replayedKinds(w) {
				t.knownSet(e, kind)
			}
		}
		t.check(k, "the return of "+string(kind))
	}
}

// replayedKinds returns the sets of kinds that the watch reported.
func replayedKinds(w *watcher) (list [][]ownergraph.KindInfo) {
	events, _ := w.reported()
	for _, e := range events {
		if e.Type == graph.KindsKnown {
			list = append(list, e.Kinds)
		}
	}
	return list
}

// knownSet breaks the law if a reported set is not the store's, with or without the kind
// that comes and goes.
func (t *trial) knownSet(set []ownergraph.KindInfo, without ownergraph.Kind) {
	t.Helper()
	for _, info := range t.infos {
		if info.Kind != without && !slices.Contains(set, info) {
			t.broken(fmt.Sprintf("the set of kinds has %+v, as before", info), fmt.Sprintf("the watch reported %+v", set))
		}
	}
	for _, info := range set {
		if !slices.Contains(t.infos, info) {
			t.broken(fmt.Sprintf("the set of kinds is %+v", t.infos), fmt.Sprintf("the watch reported %+v", set))
		}
	}
}
