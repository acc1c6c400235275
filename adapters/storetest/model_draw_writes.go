package storetest

import (
	"maps"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

func (g *generator) update(t *rapid.T) {
	live, ok := g.objects[g.somewhere(t)]
	if !ok {
		return
	}
	o := live.Clone()
	o.Owners = g.references(t, live.Place())
	among := someFinalizers()
	if live.Deleting { // a marked object accepts no new finalizer
		among = live.Finalizers
	}
	o.Finalizers = finalizersOf(t, among)
	stale := rapid.IntRange(0, 3).Draw(t, "stale") == 3 && len(g.states[live.Key]) > 1
	g.add(operation{verb: opUpdate, at: live.Place(), refs: claims(o.Owners...), finalizers: o.Finalizers, stale: stale})
	if !stale {
		out, err := finalizer.Update(live, o)
		g.applyOutcome(live, out, err)
	}
}

func (g *generator) patch(t *rapid.T) {
	at := g.somewhere(t)
	live, there := g.objects[at]
	if !there {
		g.add(operation{verb: opPatch, at: at, change: changeAddFinalizer, finalizers: []string{holdFinalizer}})
		return
	}
	d := operation{verb: opPatch, at: at, conditions: g.drawConditions(t)}
	c := g.change(t, live, &d)
	g.cancelled(t, live, &d)
	g.add(d)
	out, err := finalizer.Patch(live, g.precondition(d.conditions, live), c)
	g.applyOutcome(live, out, err)
}

// change draws one of the engine's changes.
func (g *generator) change(t *rapid.T, live ownergraph.Object, d *operation) (c ownergraph.Change) {
	set := func(change string, finalizers []string, refs ...ownergraph.Owner) ownergraph.Change {
		d.change, d.finalizers, d.refs = change, finalizers, claims(refs...)
		return changeOf(change, finalizers, refs)
	}
	switch rapid.IntRange(0, 5).Draw(t, "change") {
	case 0:
		return set(changeAddFinalizer, []string{rapid.SampledFrom(someFinalizers()).Draw(t, "finalizer")})
	case 1:
		if r, ok := g.reference(t, live.Place()); ok && !ownedBy(live.Owners, r.UID) {
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
func (g *generator) cancelled(t *rapid.T, live ownergraph.Object, d *operation) {
	if live.Deleting || g.taken != nil || rapid.IntRange(0, 9).Draw(t, "cancelled") < 9 {
		return
	}
	d.cancel, d.conditions = rapid.IntRange(1, maxMoment).Draw(t, "moment"), conditions{uid: true, version: true}
}

func (g *generator) cancelledGet(t *rapid.T) {
	g.add(operation{verb: opGet, at: g.somewhere(t), cancel: rapid.IntRange(1, maxMoment).Draw(t, "moment")})
}

func (g *generator) delete(t *rapid.T, do string) {
	at := g.somewhere(t)
	live, there := g.objects[at]
	d := operation{verb: do, at: at, grace: noGrace}
	d.propagation = rapid.SampledFrom([]graph.Propagation{
		ownergraph.Background, ownergraph.Foreground, ownergraph.Orphan, graph.Unset,
	}).Draw(t, "propagation")
	switch {
	case live.Deleting && live.GraceSeconds > 0:
		d.grace = 0
	case g.grace && rapid.IntRange(0, 5).Draw(t, "grace") == 5:
		d.grace = 30
	case rapid.Bool().Draw(t, "no grace"):
		d.grace = 0
	}
	d.atMost = g.grace && rapid.IntRange(0, 2).Draw(t, "at most") == 2
	if !there {
		g.add(d)
		return
	}
	d.conditions = g.drawConditions(t)
	if do == opDelete {
		g.cancelled(t, live, &d)
	}
	g.add(d)
	out, err := finalizer.Delete(live, d.options(live, g.precondition(d.conditions, live)), ownergraph.Background)
	g.applyOutcome(live, out, err)
}

// options returns the options with which an operation deletes an object.
func (o operation) options(live ownergraph.Object, pre ownergraph.Precondition) ownergraph.DeleteOptions {
	opts := ownergraph.DeleteOptions{Precondition: pre, Propagation: o.propagation, GraceAtMost: o.atMost}
	// The contract leaves other second deletions to the store.
	if live.Deleting && live.GraceSeconds > 0 {
		o.grace = 0
		if opts.Propagation == graph.Unset {
			opts.Propagation = ownergraph.Background
		}
	}
	if o.grace != noGrace {
		opts.GraceSeconds = &o.grace
	}
	return opts
}

// extra draws an operation of a hook or an optional power.
func (g *generator) extra(t *rapid.T, do string) {
	if do == opBatch {
		g.batch(t)
		return
	}
	d := operation{verb: do}
	switch do {
	case opList, opSicken, opVanish:
		d.at.Kind = rapid.SampledFrom(g.kinds).Draw(t, "kind").Kind
	case opHistory:
		if g.backup == nil {
			g.backup = maps.Clone(g.objects)
		} else {
			g.objects, g.backup = g.backup, nil
		}
	case opRestart:
		g.backup = nil
	}
	g.add(d)
}
