package storetest

import (
	"maps"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"pgregory.net/rapid"
)

func (k *generator) update(t *rapid.T) {
	live, ok := k.objects[k.somewhere(t)]
	if !ok {
		return
	}
	o := live.Clone()
	o.Owners = k.references(t, live.Place())
	among := someFinalizers()
	if live.Deleting { // a marked object accepts no new finalizer
		among = live.Finalizers
	}
	o.Finalizers = finalizersOf(t, among)
	stale := rapid.IntRange(0, 3).Draw(t, "stale") == 3 && len(k.states[live.Key]) > 1
	k.add(operation{verb: opUpdate, at: live.Place(), refs: claims(o.Owners...), finalizers: o.Finalizers, stale: stale})
	if !stale {
		out, err := finalizer.Update(live, o)
		k.applyOutcome(live, out, err)
	}
}

func (k *generator) patch(t *rapid.T) {
	at := k.somewhere(t)
	live, there := k.objects[at]
	if !there {
		k.add(operation{verb: opPatch, at: at, change: changeAddFinalizer, finalizers: []string{holdFinalizer}})
		return
	}
	d := operation{verb: opPatch, at: at, conditions: k.drawConditions(t)}
	c := k.change(t, live, &d)
	k.cancelled(t, live, &d)
	k.add(d)
	out, err := finalizer.Patch(live, k.precondition(d.conditions, live), c)
	k.applyOutcome(live, out, err)
}

// change draws one of the engine's changes.
func (k *generator) change(t *rapid.T, live ownergraph.Object, d *operation) (c ownergraph.Change) {
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

// changeOf returns a change of one part.
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

// maxMoment is the latest moment at which a call is cancelled.
const maxMoment = 5

// cancelled draws whether a call of the engine is cancelled, and when. A cancelled
// write may be done or not, and the model has to find out. So the write names UID
// and version, and its object is not marked.
func (k *generator) cancelled(t *rapid.T, live ownergraph.Object, d *operation) {
	if live.Deleting || rapid.IntRange(0, 9).Draw(t, "cancelled") < 9 {
		return
	}
	d.cancel, d.conditions = rapid.IntRange(1, maxMoment).Draw(t, "moment"), conditions{uid: true, version: true}
}

func (k *generator) cancelledGet(t *rapid.T) {
	k.add(operation{verb: opGet, at: k.somewhere(t), cancel: rapid.IntRange(1, maxMoment).Draw(t, "moment")})
}

func (k *generator) delete(t *rapid.T, do string) {
	at := k.somewhere(t)
	live, there := k.objects[at]
	d := operation{verb: do, at: at, grace: noGrace}
	d.propagation = rapid.SampledFrom([]ownergraph.Propagation{
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
	d.conditions = k.drawConditions(t)
	if do == opDelete {
		k.cancelled(t, live, &d)
	}
	k.add(d)
	out, err := finalizer.Delete(live, d.options(live, k.precondition(d.conditions, live)), ownergraph.Background)
	k.applyOutcome(live, out, err)
}

// options returns the options with which an operation deletes an object.
func (d operation) options(live ownergraph.Object, pre ownergraph.Precondition) ownergraph.DeleteOptions {
	opts := ownergraph.DeleteOptions{Precondition: pre, Propagation: d.propagation}
	// The contract leaves other second deletions to the store.
	if live.Deleting && live.GraceSeconds > 0 {
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

// extra draws an operation of a hook or an optional power.
func (k *generator) extra(t *rapid.T, do string) {
	d := operation{verb: do}
	switch do {
	case opList, opSicken, opVanish:
		d.at.Kind = rapid.SampledFrom(k.kinds).Draw(t, "kind").Kind
	case opHistory:
		if k.backup == nil {
			k.backup = maps.Clone(k.objects)
		} else {
			k.objects, k.backup = k.backup, nil
		}
	case opRestart:
		k.backup = nil
	}
	k.add(d)
}
