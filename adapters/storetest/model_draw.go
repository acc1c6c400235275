package storetest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// capabilities describes the histories that a store supports.
type capabilities struct {
	kinds  []ownergraph.KindInfo
	extras []string // the operations for which it has the hook or the power
	grace  bool
	strict bool // the store has level 3
}

// generator draws a history. It follows the rules of package finalizer, with UIDs
// and versions of its own, so that most operations have a target. It does not call
// the store.
type generator struct {
	capabilities
	places     []ownergraph.Key
	objects    map[ownergraph.Key]ownergraph.Object   // live, by place
	states     map[ownergraph.Key][]ownergraph.Object // of every incarnation, by key
	order      []ownergraph.Key                       // of the incarnations
	version    int
	backup     map[ownergraph.Key]ownergraph.Object
	operations []operation
	// taken are the places that the batch under way has a write to; nil at other times.
	taken map[ownergraph.Key]bool
}

func newGenerator(s capabilities) *generator {
	return &generator{
		capabilities: s, places: testPlaces(s.kinds),
		objects: map[ownergraph.Key]ownergraph.Object{}, states: map[ownergraph.Key][]ownergraph.Object{},
	}
}

// drawHistory draws at most max operations.
func drawHistory(t *rapid.T, s capabilities, maxOperations int) []operation {
	k := newGenerator(s)
	actions := map[string]func(*rapid.T){
		"create": k.create, "create more": k.create, "update": k.update, "patch": k.patch, "patch more": k.patch,
		"delete":        func(t *rapid.T) { k.delete(t, opDelete) },
		"client delete": func(t *rapid.T) { k.delete(t, opClientDelete) },
		"get unserved":  func(t *rapid.T) { k.add(operation{verb: opGetUnserved, at: k.anywhere(t)}) },
		"cancelled get": k.cancelledGet,
		"sync":          func(*rapid.T) { k.add(operation{verb: opSync}) },
		"reconnect":     func(*rapid.T) { k.add(operation{verb: opReconnect}) },
	}
	for _, do := range s.extras {
		actions[do] = func(t *rapid.T) { k.extra(t, do) }
	}
	for name, act := range actions {
		actions[name] = func(t *rapid.T) {
			if len(k.operations) < maxOperations {
				act(t)
			}
		}
	}
	t.Repeat(actions)
	return k.operations
}

func (g *generator) add(d operation) {
	if d.verb != opDelete && d.verb != opClientDelete {
		d.grace = noGrace
	}
	g.operations = append(g.operations, d)
}

func (g *generator) anywhere(t *rapid.T) ownergraph.Key {
	return rapid.SampledFrom(g.untaken(g.places)).Draw(t, "place")
}

// untaken returns the places that the batch under way has no write to.
func (g *generator) untaken(places []ownergraph.Key) []ownergraph.Key {
	if g.taken == nil {
		return places
	}
	return slices.DeleteFunc(slices.Clone(places), func(k ownergraph.Key) bool { return g.taken[k] })
}

// somewhere draws a place, mostly one with an object.
func (g *generator) somewhere(t *rapid.T) ownergraph.Key {
	live := g.untaken(slices.SortedFunc(maps.Keys(g.objects), ownergraph.Key.Compare))
	if len(live) > 0 && rapid.IntRange(0, 3).Draw(t, "absent") < 3 {
		return rapid.SampledFrom(live).Draw(t, "place")
	}
	return g.anywhere(t)
}

// reference draws a reference of the object at a place to a present or former
// incarnation. The owner is in the object's own scope, or global.
func (g *generator) reference(t *rapid.T, at ownergraph.Key) (r ownergraph.Owner, ok bool) {
	list := slices.DeleteFunc(slices.Clone(g.order), func(key ownergraph.Key) bool {
		return key.Place() == at || key.Scope != "" && key.Scope != at.Scope
	})
	if len(list) == 0 {
		return r, false
	}
	return ownergraph.Owner{Key: rapid.SampledFrom(list).Draw(t, "owner"), Block: rapid.Bool().Draw(t, "block")}, true
}

func (g *generator) references(t *rapid.T, at ownergraph.Key) (list []ownergraph.Owner) {
	for range rapid.IntRange(0, 2).Draw(t, "references") {
		r, ok := g.reference(t, at)
		if ok && !ownedBy(list, r.UID) {
			list = append(list, r)
		}
	}
	return list
}

func ownedBy(list []ownergraph.Owner, uid graph.UID) bool {
	return slices.ContainsFunc(list, func(x ownergraph.Owner) bool { return x.UID == uid })
}

// claims returns the references in the form of an operation.
func claims(list ...ownergraph.Owner) (out []claim) {
	for _, r := range list {
		n, err := strconv.Atoi(string(r.UID))
		if err != nil {
			panic(fmt.Sprintf("the generator made the UID %q", r.UID)) // the generator makes numbers
		}
		out = append(out, claim{n, r.Block})
	}
	return out
}

func someFinalizers() []string { return []string{holdFinalizer, moreFinalizer} }

func finalizersOf(t *rapid.T, among []string) []string {
	var list []string
	for _, f := range among {
		if rapid.Bool().Draw(t, f) {
			list = append(list, f)
		}
	}
	return list
}

func (g *generator) create(t *rapid.T) {
	at := g.anywhere(t)
	o := ownergraph.Object{Key: at, Owners: g.references(t, at), Finalizers: finalizersOf(t, someFinalizers())}
	number := len(g.order) + 1
	g.add(operation{verb: opCreate, at: at, number: number, refs: claims(o.Owners...), finalizers: o.Finalizers})
	o.UID = graph.UID(strconv.Itoa(number))
	_, refused := refusedOwner(g.objects, nil, o.Owners)
	if _, taken := g.objects[at]; !taken && !(g.strict && refused) {
		g.record(o)
		g.order = append(g.order, o.Key)
	}
}

// record takes a state of an object, in a version of its own.
func (g *generator) record(o ownergraph.Object) {
	g.version++
	o.Version = ownergraph.Version(strconv.Itoa(g.version))
	g.objects[o.Place()] = o
	g.states[o.Key] = append(g.states[o.Key], o)
}

// applyOutcome takes the outcome of a write.
func (g *generator) applyOutcome(live ownergraph.Object, out finalizer.Outcome, err error) {
	if g.strict {
		err = judgeStrict(g.objects, live, out, err)
	}
	switch {
	case err != nil:
	case out.Effect == finalizer.Removed:
		delete(g.objects, live.Place())
	case out.Effect == finalizer.Stored:
		g.record(out.Object)
	}
}

// drawConditions draws the preconditions of a write.
func (g *generator) drawConditions(t *rapid.T) (d conditions) {
	d.uid = rapid.Bool().Draw(t, "uid")
	switch rapid.IntRange(0, 5).Draw(t, "version") {
	case 0, 1:
		d.version = true
	case 4:
		d.before = true
	case 5:
		d.former = true
	}
	return d
}

// precondition returns the precondition for an object. Former has the keys of the
// former incarnations at its place.
func (c conditions) precondition(live ownergraph.Object, states []ownergraph.Object, former []ownergraph.Key) (pre ownergraph.Precondition, text string) {
	if c.uid {
		pre.UID, text = live.UID, " if it has its UID"
	}
	switch {
	case c.version:
		pre.Version, text = live.Version, text+" if it is unchanged"
	case c.before && len(states) > 1:
		pre.Version, text = states[len(states)-2].Version, text+" if it is as it was before"
	case c.former && len(former) > 0:
		pre.UID, text = former[len(former)-1].UID, " if it is a former incarnation"
	}
	return pre, text
}

func (g *generator) precondition(d conditions, live ownergraph.Object) ownergraph.Precondition {
	former := slices.DeleteFunc(slices.Clone(g.order), func(key ownergraph.Key) bool {
		return key.Place() != live.Place() || key.UID == live.UID
	})
	pre, _ := d.precondition(live, g.states[live.Key], former)
	return pre
}
