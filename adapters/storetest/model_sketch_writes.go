package storetest

import (
	"maps"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"pgregory.net/rapid"
)

func (k *sketch) update(t *rapid.T) {
	live, ok := k.objects[k.somewhere(t)]
	if !ok {
		return
	}
	o := live.Clone()
	o.Owners = k.references(t, live.Place())
	among := someFinalizers()
	if live.Deleting { // a marked object gains none
		among = live.Finalizers
	}
	o.Finalizers = finalizersOf(t, among)
	stale := rapid.IntRange(0, 3).Draw(t, "stale") == 3 && len(k.states[live.Key]) > 1
	k.add(deed{do: doUpdate, at: live.Place(), refs: claims(o.Owners...), finalizers: o.Finalizers, stale: stale})
	if !stale {
		out, err := finalizer.Update(live, o)
		k.wrote(live, out, err)
	}
}

func (k *sketch) patch(t *rapid.T) {
	at := k.somewhere(t)
	live, there := k.objects[at]
	if !there {
		k.add(deed{do: doPatch, at: at, change: changeAddFinalizer, finalizers: []string{foreign}})
		return
	}
	d := deed{do: doPatch, at: at, demands: k.demand(t)}
	c := k.change(t, live, &d)
	k.cancelled(t, live, &d)
	k.add(d)
	out, err := finalizer.Patch(live, k.precondition(d.demands, live), c)
	k.wrote(live, out, err)
}

// change draws one of the engine's changes.
func (k *sketch) change(t *rapid.T, live ownergraph.Object, d *deed) (c ownergraph.Change) {
	set := func(change string, finalizers []string, refs ...ownergraph.Owner) ownergraph.Change {
		d.change, d.finalizers, d.refs = change, finalizers, claims(refs...)
		return changeOf(change, finalizers, refs)
	}
	switch rapid.IntRange(0, 5).Draw(t, "change") {
	case 0:
		return set(changeAddFinalizer, []string{rapid.SampledFrom(someFinalizers()).Draw(t, "finalizer")})
	case 1:
		if r, ok := k.reference(t, live.Place()); ok && !ownedBy(live.Owners, r.UID) {
			return set(changeAddOwner, nil, r)
		}
	case 2, 3:
		if len(live.Owners) > 0 {
			r := rapid.SampledFrom(live.Owners).Draw(t, "reference")
			if rapid.Bool().Draw(t, "unblock") {
				return set(changeUnblock, nil, r)
			}
			return set(changeDropOwner, nil, r)
		}
	}
	list := append([]string{graph.FinalizerOrphan, graph.FinalizerForeground}, someFinalizers()...)
	if len(live.Finalizers) > 0 && rapid.Bool().Draw(t, "its own") {
		list = live.Finalizers
	}
	return set(changeDropFinalizer, []string{rapid.SampledFrom(list).Draw(t, "finalizer")})
}

// changeOf returns a change of one thing.
func changeOf(change string, finalizers []string, refs []ownergraph.Owner) (c ownergraph.Change) {
	switch change {
	case changeAddFinalizer:
		c.AddFinalizer = finalizers[0]
	case changeDropFinalizer:
		c.DropFinalizer = finalizers[0]
	case changeAddOwner:
		c.AddOwner = &refs[0]
	case changeDropOwner:
		c.DropOwners = refs
	case changeUnblock:
		c.Unblock = refs
	}
	return c
}

// mostMoment is the latest moment at which a call is cancelled.
const mostMoment = 5

// cancelled draws whether a call of the engine is cancelled, and when. A
// cancelled write may be done or not. The model has to find out which, so the
// write names UID and version, and its object is not marked.
func (k *sketch) cancelled(t *rapid.T, live ownergraph.Object, d *deed) {
	if live.Deleting || rapid.IntRange(0, 9).Draw(t, "cancelled") < 9 {
		return
	}
	d.cancel, d.demands = rapid.IntRange(1, mostMoment).Draw(t, "moment"), demand{uid: true, version: true}
}

func (k *sketch) cancelledGet(t *rapid.T) {
	k.add(deed{do: doGet, at: k.somewhere(t), cancel: rapid.IntRange(1, mostMoment).Draw(t, "moment")})
}

func (k *sketch) delete(t *rapid.T, do string) {
	at := k.somewhere(t)
	live, there := k.objects[at]
	d := deed{do: do, at: at, grace: noGrace}
	d.spread = rapid.SampledFrom([]ownergraph.Propagation{
		ownergraph.Background, ownergraph.Foreground, ownergraph.Orphan, ownergraph.Unset,
	}).Draw(t, "propagation")
	switch {
	case live.Deleting && live.GraceSeconds > 0:
		d.grace = 0
	case k.grace && rapid.IntRange(0, 5).Draw(t, "grace") == 5:
		d.grace = 30
	case rapid.Bool().Draw(t, "no grace"):
		d.grace = 0
	}
	if !there {
		k.add(d)
		return
	}
	d.demands = k.demand(t)
	if do == doDelete {
		k.cancelled(t, live, &d)
	}
	k.add(d)
	out, err := finalizer.Delete(live, d.options(live, k.precondition(d.demands, live)), ownergraph.Background)
	k.wrote(live, out, err)
}

// options returns how a deed deletes an object.
func (d deed) options(live ownergraph.Object, pre ownergraph.Precondition) ownergraph.DeleteOptions {
	opts := ownergraph.DeleteOptions{Precondition: pre, Propagation: d.spread}
	if live.Deleting && live.GraceSeconds > 0 { // what else a second deletion does is the store's
		d.grace = 0
		if opts.Propagation == ownergraph.Unset {
			opts.Propagation = ownergraph.Background
		}
	}
	if d.grace != noGrace {
		opts.GraceSeconds = &d.grace
	}
	return opts
}

// extra draws what a hook or an optional power does.
func (k *sketch) extra(t *rapid.T, do string) {
	d := deed{do: do}
	switch do {
	case doList, doSicken, doVanish:
		d.at.Kind = rapid.SampledFrom(k.kinds).Draw(t, "kind").Kind
	case doHistory:
		if k.backup == nil {
			k.backup = maps.Clone(k.objects)
		} else {
			k.objects, k.backup = k.backup, nil
		}
	case doRestart:
		k.backup = nil
	}
	k.add(d)
}
