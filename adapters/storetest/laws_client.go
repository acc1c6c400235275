package storetest

import (
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// The laws on which every other law rests.
const (
	kindsKnown   = "watch/kinds-known"
	clientCreate = "client/create"
	clientUpdate = "client/update"
	clientDelete = "client/delete"
)

// lawsOfClient check the Client against its contract, so that its mistakes do not
// look like the store's. The first law is about the watch, which reports the kinds.
func lawsOfClient() []law {
	return []law{
		lawOfKindsKnown(func(*trial, []ownergraph.KindInfo) {}),
		{
			name: clientCreate,
			why:  "the kit creates its objects by it: the store has to give each incarnation a UID, and each state a version",
			run:  clientCreates,
		},
		{
			name: clientUpdate, rests: []string{clientCreate},
			why: "the kit changes its objects by it: a user who ignores the version overwrites the writes of others",
			run: clientUpdates,
		},
		{
			name: clientDelete, rests: []string{clientCreate},
			why: "the kit deletes by it, as users do",
			run: clientDeletes,
		},
	}
}

// lawOfKindsKnown passes the kinds to found.
func lawOfKindsKnown(found func(*trial, []ownergraph.KindInfo)) law {
	return law{
		name: kindsKnown,
		why:  "an engine that does not know every kind accepts a fence that leaves out dependents, and removes their owner too early",
		run: func(t *trial) {
			w := t.watch()
			if !w.until(func(events []ownergraph.Event) bool {
				return len(events) > 0 && events[len(events)-1].Type != graph.Rewound
			}) {
				w.missing("a watch begins with kinds-known")
			}
			events, _ := w.reported()
			e := events[0]
			for i := 1; i < len(events) && e.Type == graph.Rewound; i++ {
				e = events[i]
			}
			if e.Type != graph.KindsKnown || len(e.Kinds) == 0 {
				w.missing("a watch begins with kinds-known, of at least one kind")
			}
			found(t, t.distinct(e.Kinds))
			w.until((func(events []ownergraph.Event) bool { return replay(events).listed() }))
			t.onlyKnown(w)
		},
	}
}

// distinct breaks the law if a kind is empty or occurs twice.
func (t *trial) distinct(infos []ownergraph.KindInfo) []ownergraph.KindInfo {
	t.Helper()
	seen := map[ownergraph.Kind]bool{"": true}
	for _, i := range infos {
		if seen[i.Kind] {
			t.broken("every kind has a name of its own", fmt.Sprintf("%q is empty or occurs twice", i.Kind))
		}
		seen[i.Kind] = true
	}
	return infos
}

// onlyKnown breaks the law if an event is about a kind that was not reported.
func (t *trial) onlyKnown(w *watcher) {
	t.Helper()
	events, _ := w.reported()
	r := replay(nil)
	for _, e := range events {
		r.apply(e)
		if kind := e.Of(); kind != "" && e.Type != graph.KindVanished && !r.serves(kind) {
			t.broken("events are about kinds that are known", formatEvent(e))
		}
	}
}

func clientCreates(t *trial) {
	want := t.object("a", holdFinalizer)
	a := t.create(want)
	t.checkMade(want, a)
	want = t.object("b")
	want.Owners = []ownergraph.Owner{{Key: a.Key, Block: true}}
	b := t.create(want)
	t.checkMade(want, b)
	if a.UID == b.UID {
		t.broken("two objects have different UIDs", fmt.Sprintf("%s and %s", a, b))
	}
	if o, err := t.tryCreate(t.object("a")); err == nil {
		t.broken(fmt.Sprintf("creating %s again is an error", place(a.Key)), o.String())
	}
}

func (t *trial) checkMade(want, o ownergraph.Object) {
	t.Helper()
	if o.UID == "" || o.Version == "" {
		t.broken(fmt.Sprintf("%s is created with a UID and a version", place(want.Key)), o.String())
	}
	want.UID = o.UID
	t.wantContent("created", want, o)
}

func clientUpdates(t *trial) {
	owner, a := t.made("owner"), t.made("a")
	a.Owners = []ownergraph.Owner{{Key: owner.Key}}
	a.Finalizers = []string{holdFinalizer}
	b := t.update(a)
	t.wantContent("updated", a, b)
	if b.Version == a.Version {
		t.broken("an update that changes an object gives it another version", b.String())
	}
	a.Finalizers = []string{moreFinalizer}
	if o, err := t.tryUpdate(a); !errors.Is(err, graph.ErrConflict) {
		t.broken(fmt.Sprintf("an update of %s from the former version is an ErrConflict", b), fmt.Sprintf("%s, %v", o, err))
	}
}

// clientDeletes creates again to find out whether a place is free.
func clientDeletes(t *trial) {
	a := t.made("a")
	t.remove(a)
	if again, err := t.tryCreate(t.object("a", holdFinalizer)); err != nil {
		t.broken(fmt.Sprintf("the place of %s is free once it is deleted", a), err.Error())
	} else {
		a = again
	}
	t.remove(a)
	if o, err := t.tryCreate(t.object("a")); err == nil {
		t.broken(fmt.Sprintf("%s stays after its deletion, for its finalizer", a), o.String())
	}
}
