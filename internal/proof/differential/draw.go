package main

import (
	"math/rand/v2"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

const maxActions = 3

// dice draws histories. Each history is drawn from its own numbers, so that the n-th of
// a seed is the same in every run.
type dice struct{ *rand.Rand }

func drawHistory(seed, n uint64) history {
	d := dice{rand.New(rand.NewPCG(seed, n))}
	h := history{start: d.objects(2 + d.IntN(3))}
	for range 1 + d.IntN(maxActions) {
		h.actions = append(h.actions, d.action(h))
	}
	return h
}

// in reports true in so many cases of 100.
func (d dice) in(percent int) bool { return d.IntN(100) < percent }

func pick[T any](d dice, list ...T) T { return list[d.IntN(len(list))] }

// objects draws objects at places of their own, and then their owners.
func (d dice) objects(n int) []graph.Object {
	var list []graph.Object
	taken := map[graph.Key]bool{}
	for len(list) < n {
		key := d.place(len(list))
		if !taken[key] {
			taken[key] = true
			key.UID = graph.UID(key.String()[:len(key.String())-len(`@""`)])
			list = append(list, graph.Object{Key: key})
		}
	}
	for i := range list {
		d.dress(list, i)
	}
	return list
}

// place draws the place of the i-th object: mostly under a name of its own.
func (d dice) place(i int) graph.Key {
	key := graph.Key{Kind: pick(d, pod, pod, pod, custom, node)}
	if scoped(key.Kind) {
		key.Scope = pick(d, "s", "s", "s", "t")
	}
	if i > 0 && d.in(15) {
		i--
	}
	key.Name = string(rune('a' + i))
	return key
}

// dress gives the i-th object its references, finalizers and mark.
func (d dice) dress(list []graph.Object, i int) {
	o := &list[i]
	for j, other := range list {
		if i != j && d.in(35) {
			o.Owners = append(o.Owners, d.flags(resolve(o.Key, graph.Owner{Key: other.Key})))
		}
	}
	if d.in(25) {
		r := d.odd(list, *o)
		if twice := slices.ContainsFunc(o.Owners, func(p graph.Owner) bool { return p.UID == r.UID }); !twice || d.in(20) {
			o.Owners = append(o.Owners, d.flags(resolve(o.Key, r)))
		}
	}
	switch {
	case d.in(15):
		o.Finalizers = []string{"foreign"}
	case d.in(5):
		o.Finalizers = []string{pick(d, graph.FinalizerOrphan, graph.FinalizerForeground)}
	}
	o.Deleting = len(o.Finalizers) > 0 && d.in(20)
}

func (d dice) flags(r graph.Owner) graph.Owner {
	r.Block = d.in(50)
	return r
}

// odd draws a reference that no good writer makes.
func (d dice) odd(list []graph.Object, dep graph.Object) graph.Owner {
	r := graph.Owner{Key: pick(d, list...).Key}
	switch d.IntN(12) {
	case 0: // a name that no object has
		r.Name = "z"
	case 1: // another kind, perhaps of another scope
		r.Kind = pick(d, pod, custom, node)
	case 2: // a kind that is not served, with a UID that lives
		r.Kind = lost
	case 3: // an incarnation that is gone
		r.UID = "gone"
	case 4: // the object itself
		r.Key = dep.Key
	case 5, 6: // a kind that is not served
		r.Key = graph.Key{Kind: lost, Name: "z", UID: "gone"}
	default: // an owner that is gone
		r.Key = graph.Key{Kind: pick(d, pod, custom, node), Name: "z", UID: "gone"}
	}
	return r
}

// action draws a user's action on one of the objects, or on a new one.
func (d dice) action(h history) oracle.Action {
	o := pick(d, h.start...)
	verb := pick(d, oracle.Foreground, oracle.Background, oracle.Orphan, oracle.Foreground, oracle.Background, oracle.Orphan,
		oracle.Strip, oracle.Finish, oracle.AddRef, oracle.DropRef, oracle.Flip, oracle.Create)
	a := oracle.Action{Verb: verb, Object: graph.Object{Key: o.Key}}
	switch verb {
	case oracle.AddRef, oracle.DropRef, oracle.Flip:
		a.Object.Owners = []graph.Owner{d.target(h, o, verb)}
	case oracle.Create:
		return d.create(h)
	}
	return a
}

// target draws the reference of an action: of the object's, or to any other.
func (d dice) target(h history, o graph.Object, verb oracle.Verb) graph.Owner {
	r := graph.Owner{Key: pick(d, h.start...).Key}
	if verb == oracle.AddRef {
		if d.in(15) {
			r = d.odd(h.start, o)
		}
		return d.flags(resolve(o.Key, r))
	}
	if len(o.Owners) > 0 && d.in(80) {
		r.Key = pick(d, o.Owners...).Key
	}
	return graph.Owner{Key: resolve(o.Key, r).Key}
}

// create draws a new object. A history has one at most, so that its UID is known
// before: the store's first.
func (d dice) create(h history) oracle.Action {
	for _, a := range h.actions {
		if a.Verb == oracle.Create {
			return oracle.Action{Verb: oracle.Background, Object: graph.Object{Key: a.Object.Key}}
		}
	}
	key := pick(d, h.start...).Key // once more, if it is gone
	if d.in(60) {
		key = d.place(len(h.start))
	}
	key.UID = "u1"
	o := graph.Object{Key: key}
	for _, owner := range h.start {
		if d.in(40) {
			o.Owners = append(o.Owners, d.flags(resolve(key, graph.Owner{Key: owner.Key})))
		}
	}
	if d.in(15) {
		o.Owners = append(o.Owners, d.flags(resolve(key, d.odd(h.start, o))))
	}
	return oracle.Action{Verb: oracle.Create, Object: o}
}
