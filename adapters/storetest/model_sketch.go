package storetest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"pgregory.net/rapid"
)

// stage is what a store offers to a history.
type stage struct {
	kinds  []ownergraph.KindInfo
	extras []string // the deeds for which it has the hook or the power
	grace  bool
}

// sketch draws a history. It follows the rules of package finalizer, with UIDs
// and versions of its own, so that what it draws has something to act on. It
// touches no store.
type sketch struct {
	stage
	places  []ownergraph.Key
	objects map[ownergraph.Key]ownergraph.Object   // live, by place
	states  map[ownergraph.Key][]ownergraph.Object // of every incarnation, by key
	order   []ownergraph.Key                       // of the incarnations
	version int
	backup  map[ownergraph.Key]ownergraph.Object
	deeds   []deed
}

func newSketch(s stage) *sketch {
	return &sketch{
		stage: s, places: somePlaces(s.kinds),
		objects: map[ownergraph.Key]ownergraph.Object{}, states: map[ownergraph.Key][]ownergraph.Object{},
	}
}

// drawHistory draws deeds, so many at most.
func drawHistory(t *rapid.T, s stage, most int) []deed {
	k := newSketch(s)
	actions := map[string]func(*rapid.T){
		"create": k.create, "create more": k.create, "update": k.update, "patch": k.patch, "patch more": k.patch,
		"delete":        func(t *rapid.T) { k.delete(t, doDelete) },
		"client delete": func(t *rapid.T) { k.delete(t, doClientDelete) },
		"get unserved":  func(t *rapid.T) { k.add(deed{do: doGetUnserved, at: k.anywhere(t)}) },
		"cancelled get": k.cancelledGet,
		"sync":          func(*rapid.T) { k.add(deed{do: doSync}) },
		"reconnect":     func(*rapid.T) { k.add(deed{do: doReconnect}) },
	}
	for _, do := range s.extras {
		actions[do] = func(t *rapid.T) { k.extra(t, do) }
	}
	for name, act := range actions {
		actions[name] = func(t *rapid.T) {
			if len(k.deeds) < most {
				act(t)
			}
		}
	}
	t.Repeat(actions)
	return k.deeds
}

func (k *sketch) add(d deed) {
	if d.do != doDelete && d.do != doClientDelete {
		d.grace = noGrace
	}
	k.deeds = append(k.deeds, d)
}

func (k *sketch) anywhere(t *rapid.T) ownergraph.Key {
	return rapid.SampledFrom(k.places).Draw(t, "place")
}

// somewhere draws a place, preferring one that is taken.
func (k *sketch) somewhere(t *rapid.T) ownergraph.Key {
	live := slices.SortedFunc(maps.Keys(k.objects), ownergraph.Key.Compare)
	if len(live) > 0 && rapid.IntRange(0, 3).Draw(t, "absent") < 3 {
		return rapid.SampledFrom(live).Draw(t, "place")
	}
	return k.anywhere(t)
}

// reference draws a reference of the object at a place to an incarnation that
// lives or lived, in its own scope or global.
func (k *sketch) reference(t *rapid.T, at ownergraph.Key) (r ownergraph.Owner, ok bool) {
	list := slices.DeleteFunc(slices.Clone(k.order), func(key ownergraph.Key) bool {
		return key.Place() == at || key.Scope != "" && key.Scope != at.Scope
	})
	if len(list) == 0 {
		return r, false
	}
	return ownergraph.Owner{Key: rapid.SampledFrom(list).Draw(t, "owner"), Block: rapid.Bool().Draw(t, "block")}, true
}

func (k *sketch) references(t *rapid.T, at ownergraph.Key) (list []ownergraph.Owner) {
	for range rapid.IntRange(0, 2).Draw(t, "references") {
		r, ok := k.reference(t, at)
		if ok && !ownedBy(list, r.UID) {
			list = append(list, r)
		}
	}
	return list
}

func ownedBy(list []ownergraph.Owner, uid ownergraph.UID) bool {
	return slices.ContainsFunc(list, func(x ownergraph.Owner) bool { return x.UID == uid })
}

// claims returns the references as a deed has them.
func claims(list ...ownergraph.Owner) (out []claimed) {
	for _, r := range list {
		n, err := strconv.Atoi(string(r.UID))
		if err != nil {
			panic(fmt.Sprintf("the sketch made the UID %q", r.UID)) // it makes numbers
		}
		out = append(out, claimed{n, r.Block})
	}
	return out
}

func someFinalizers() []string { return []string{foreign, another} }

func finalizersOf(t *rapid.T, among []string) []string {
	var list []string
	for _, f := range among {
		if rapid.Bool().Draw(t, f) {
			list = append(list, f)
		}
	}
	return list
}

func (k *sketch) create(t *rapid.T) {
	at := k.anywhere(t)
	o := ownergraph.Object{Key: at, Owners: k.references(t, at), Finalizers: finalizersOf(t, someFinalizers())}
	number := len(k.order) + 1
	k.add(deed{do: doCreate, at: at, number: number, refs: claims(o.Owners...), finalizers: o.Finalizers})
	o.UID = ownergraph.UID(strconv.Itoa(number))
	if _, taken := k.objects[at]; !taken {
		k.hold(o)
		k.order = append(k.order, o.Key)
	}
}

// hold takes a state of an object over, in a version of its own.
func (k *sketch) hold(o ownergraph.Object) {
	k.version++
	o.Version = ownergraph.Version(strconv.Itoa(k.version))
	k.objects[o.Place()] = o
	k.states[o.Key] = append(k.states[o.Key], o)
}

// wrote takes over what a write leaves.
func (k *sketch) wrote(live ownergraph.Object, out finalizer.Outcome, err error) {
	switch {
	case err != nil:
	case out.Effect == finalizer.Removed:
		delete(k.objects, live.Place())
	case out.Effect == finalizer.Stored:
		k.hold(out.Object)
	}
}

// demand draws what a write demands.
func (k *sketch) demand(t *rapid.T) (d demand) {
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

// precondition returns what the demand means for an object. Former has the keys
// of the incarnations that were at its place before.
func (d demand) precondition(live ownergraph.Object, states []ownergraph.Object, former []ownergraph.Key) (pre ownergraph.Precondition, text string) {
	if d.uid {
		pre.UID, text = live.UID, " if it has its UID"
	}
	switch {
	case d.version:
		pre.Version, text = live.Version, text+" if it is unchanged"
	case d.before && len(states) > 1:
		pre.Version, text = states[len(states)-2].Version, text+" if it is as it was before"
	case d.former && len(former) > 0:
		pre.UID, text = former[len(former)-1].UID, " if it is a former incarnation"
	}
	return pre, text
}

func (k *sketch) precondition(d demand, live ownergraph.Object) ownergraph.Precondition {
	former := slices.DeleteFunc(slices.Clone(k.order), func(key ownergraph.Key) bool {
		return key.Place() != live.Place() || key.UID == live.UID
	})
	pre, _ := d.precondition(live, k.states[live.Key], former)
	return pre
}
