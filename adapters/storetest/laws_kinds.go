package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const (
	kindsUnserved    = "kinds/unserved"
	sickReported     = "kinds/sick-told"
	vanishedReported = "kinds/vanished-told"
)

// lawsOfKinds are about kinds that are not served, or not reachable. They prove
// nothing about any object.
func lawsOfKinds() []law {
	return []law{
		{
			name: kindsUnserved,
			why:  "a kind that is not served proves nothing: an engine that takes it for absence deletes all dependents of its objects",
			run:  unservedIsNotAbsent,
		},
		{
			name: "kinds/sick-read", needs: []need{needSicken},
			why: "a kind that is out of reach proves nothing: an engine that takes it for absence deletes all dependents of its objects",
			run: func(t *trial) {
				o := t.made("a")
				t.sicken(t.main.Kind)
				t.provesNothing("while its kind is sick", o)
			},
		},
		{
			name: sickReported, needs: []need{needSicken},
			why: "without a report, the kind looks unchanged: the engine goes on as if it saw its dependents",
			run: sicknessIsReported,
		},
		{
			name: "kinds/sick-keeps", needs: []need{needSicken}, rests: []string{sickReported, watchComplete},
			why: "an empty listing of a kind out of reach removes every object of the kind",
			run: sicknessTakesNothing,
		},
		{
			name: "kinds/recovered", needs: []need{needSicken}, rests: []string{sickReported, watchGone},
			why: "an engine finds the changes of a sick kind by a listing, or never",
			run: recoveryIsListed,
		},
		{
			name: "kinds/vanished-read", needs: []need{needVanish}, rests: []string{kindsUnserved},
			why: "the end of serving a kind proves nothing about its objects",
			run: func(t *trial) {
				o := t.made("a")
				t.vanish(t.main.Kind)
				t.provesNothing("while its kind is not served", o)
			},
		},
		{
			name: vanishedReported, needs: []need{needVanish}, rests: []string{watchListing},
			why: "an engine waits for ever for a removed kind to pass its fences",
			run: vanishingIsReported,
		},
		{
			name: "kinds/vanished-keeps", needs: []need{needVanish}, rests: []string{vanishedReported},
			why: "the objects of a kind that is not served are not gone: their dependents must stay",
			run: vanishingTakesNothing,
		},
		{
			name: "kinds/served-again", needs: []need{needVanish}, rests: []string{vanishedReported, watchComplete},
			why: "an engine does not know an added kind before its listing",
			run: servedKindsAreListed,
		},
	}
}

// sicken takes a kind out of reach, and returns the function that ends that.
func (t *trial) sicken(kind ownergraph.Kind) (end func()) {
	t.Helper()
	return t.beginOf("Sicken", kind, t.Sicken)
}

func (t *trial) vanish(kind ownergraph.Kind) (serve func()) {
	t.Helper()
	return t.beginOf("Vanish", kind, t.Vanish)
}

// beginOf is begin for a hook that takes a kind.
func (t *trial) beginOf(name string, kind ownergraph.Kind, hook func(context.Context, ownergraph.Kind) (func(context.Context) error, error)) (end func()) {
	t.Helper()
	return t.begin(name, func(ctx context.Context) (func(context.Context) error, error) { return hook(ctx, kind) })
}

// provesNothing breaks the law if a call answers that an object is absent.
func (t *trial) provesNothing(when string, o ownergraph.Object) {
	t.Helper()
	for _, key := range []ownergraph.Key{o.Key, t.object("never").Key} {
		got, err := t.get(key)
		if err == nil && got.Key != o.Key {
			t.broken(fmt.Sprintf("Get of %s %s fails", place(key), when), got.String())
		}
		t.notAbsent(fmt.Sprintf("Get of %s %s", place(key), when), err)
		err = t.patch(key, ownergraph.Precondition{}, ownergraph.Change{DropFinalizer: holdFinalizer})
		t.notAbsent(fmt.Sprintf("Patch of %s %s", place(key), when), err)
		err = t.delete(key, ownergraph.DeleteOptions{Precondition: exact(o)})
		t.notAbsent(fmt.Sprintf("Delete of %s %s", place(key), when), err)
	}
}

func (t *trial) notAbsent(what string, err error) {
	t.Helper()
	if errors.Is(err, graph.ErrNotFound) {
		t.broken(what+" is not answered with ErrNotFound", err.Error())
	}
}

func unservedIsNotAbsent(t *trial) {
	key := ownergraph.Key{Kind: unservedKind, Scope: t.object("a").Scope, Name: "a"}
	o, err := t.get(key)
	if err == nil {
		t.broken("Get of a kind that is not served fails", o.String())
	}
	t.notAbsent("Get of a kind that is not served", err)
	err = t.patch(key, ownergraph.Precondition{}, ownergraph.Change{DropFinalizer: holdFinalizer})
	t.refuse("Patch of a kind that is not served", err)
	t.notAbsent("Patch of a kind that is not served", err)
	err = t.delete(key, ownergraph.DeleteOptions{})
	t.refuse("Delete of a kind that is not served", err)
	t.notAbsent("Delete of a kind that is not served", err)
}

func sicknessIsReported(t *trial) {
	kind := t.main.Kind
	w := t.watch()
	w.mustSee("the watch begins", func(r *replica) bool { return r.serves(kind) })
	end := t.sicken(kind)
	late := t.watch()
	for _, w := range []*watcher{w, late} {
		w.mustSee(fmt.Sprintf("the watch reports that %s is sick", kind), func(r *replica) bool { return r.of(kind).sick })
		events, _ := w.reported()
		if !replay(events).serves(kind) {
			t.broken(fmt.Sprintf("%s is among the kinds that are known, although it is sick", kind), "the watch reported "+formatEvents(events))
		}
	}
	end()
	for _, w := range []*watcher{w, late} {
		w.mustSee(fmt.Sprintf("the watch reports that %s has recovered", kind), func(r *replica) bool { return !r.of(kind).sick })
	}
}

// sicknessTakesNothing checks a watch that knew the kind, and one that begins while
// the kind is sick.
func sicknessTakesNothing(t *trial) {
	o := t.made("a")
	kind := t.main.Kind
	w := t.watch().ready()
	t.sicken(kind)
	late := t.watch()
	for _, w := range []*watcher{w, late} {
		w.mustSee(fmt.Sprintf("the watch reports that %s is sick", kind), func(r *replica) bool { return r.of(kind).sick })
		w.mustSee("the watch lists the other kinds", func(r *replica) bool {
			for _, info := range t.infos {
				if info.Kind != kind && r.of(info.Kind).ended == 0 {
					return false
				}
			}
			return true
		})
		events, _ := w.reported()
		r := replay(events)
		if !r.has(o.Key) && r.of(kind).ended > 0 {
			t.broken(fmt.Sprintf("%s is not taken for gone while its kind is sick", o), "the watch reported "+formatEvents(events))
		}
	}
}

// recoveryIsListed writes while the kind is sick, if the client can.
func recoveryIsListed(t *trial) {
	kept, gone := t.made("kept"), t.made("gone")
	w := t.watch().ready()
	end := t.sicken(t.main.Kind)
	w.mustSee(fmt.Sprintf("the watch reports that %s is sick", t.main.Kind), func(r *replica) bool { return r.of(t.main.Kind).sick })
	want := []ownergraph.Object{kept, gone}
	if o, err := t.tryUpdate(withFinalizers(kept, moreFinalizer)); err == nil {
		want[0] = o
	}
	if o, err := t.tryCreate(t.object("new")); err == nil {
		want = append(want, o)
	}
	if t.do("Client.Delete", func(ctx context.Context) error { return t.Client.Delete(ctx, gone.Key, ownergraph.DeleteOptions{}) }) == nil {
		want = append(want[:1], want[2:]...)
	}
	end()
	w.mustSee(fmt.Sprintf("the watch knows %s after the recovery", formatObjects(want)), func(r *replica) bool {
		return !r.of(t.main.Kind).sick && r.agrees(t.main.Kind, want)
	})
}

func vanishingIsReported(t *trial) {
	kind := t.second.Kind
	w := t.watch().ready()
	t.vanish(kind)
	w.mustSee(fmt.Sprintf("the watch reports the kinds without %s", kind), func(r *replica) bool { return !r.serves(kind) })
	late := t.watch()
	late.until(func(events []ownergraph.Event) bool {
		return slices.ContainsFunc(events, func(e ownergraph.Event) bool { return e.Type == graph.KindsKnown })
	})
	events, _ := late.reported()
	if replay(events).serves(kind) {
		t.broken(fmt.Sprintf("a watch that begins now does not know %s", kind), "it reported "+formatEvents(events))
	}
}

func vanishingTakesNothing(t *trial) {
	kind := t.second.Kind
	o := t.create(ownergraph.Object{Key: keyOf(t.second, "a")})
	w := t.watch().ready()
	t.vanish(kind)
	w.mustSee(fmt.Sprintf("the watch reports the kinds without %s", kind), func(r *replica) bool { return !r.serves(kind) })
	events, _ := w.reported()
	if !replay(events).has(o.Key) {
		t.broken(fmt.Sprintf("%s is not taken for gone because its kind is not served", o), "the watch reported "+formatEvents(events))
	}
}

// servedKindsAreListed leaves it to the store which objects the kind has when it is
// back.
func servedKindsAreListed(t *trial) {
	kind := t.second.Kind
	o := t.create(ownergraph.Object{Key: keyOf(t.second, "a")})
	w := t.watch().ready()
	serve := t.vanish(kind)
	w.mustSee(fmt.Sprintf("the watch reports the kinds without %s", kind), func(r *replica) bool { return !r.serves(kind) })
	serve()
	fresh := t.create(ownergraph.Object{Key: keyOf(t.second, "fresh")})
	_, err := t.get(o.Key)
	w.mustSee(fmt.Sprintf("the watch lists %s again, and knows %s", kind, fresh), func(r *replica) bool {
		listed := r.serves(kind) && r.of(kind).ended > 0 && r.knows(fresh)
		return listed && (r.has(o.Key) == (err == nil))
	})
	events, _ := w.reported()
	relisted := false
	for _, e := range events {
		if e.Of() == kind && e.Type == graph.ListBegun {
			relisted = true
		}
		if e.Type == graph.KindsKnown && !replay([]ownergraph.Event{e}).serves(kind) {
			relisted = false
		}
	}
	if !relisted {
		t.broken(fmt.Sprintf("%s is listed again when it is served again", kind), "the watch reported "+formatEvents(events))
	}
}
