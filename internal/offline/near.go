package offline

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Near returns the part of the content that plans of the keys depend on. It has all objects
// that owner references connect with the keys, in either direction and over any number of
// references. It has the objects at the places that those references name, too. All kinds
// stay.
//
//test:by TestNearAnswersAlike
func (x *Index) Near(keys ...graph.Key) Content { return x.part(keys, true) }

// Behind returns the smaller part that explanations of the keys depend on. The dependents of an
// object matter only if the object has a deletion mark, or may get one. So the part has no
// dependents of an object that has no mark, and whose owners are there without a mark.
//
//test:by TestNearAnswersAlike
func (x *Index) Behind(keys ...graph.Key) Content { return x.part(keys, false) }

func (x *Index) part(keys []graph.Key, all bool) Content {
	w := walk{Index: x, all: all, taken: make([]bool, len(x.content.Objects)), asked: map[graph.UID]bool{}}
	for _, k := range keys {
		w.take(k.UID)
	}
	w.run()
	w.takePlaces()
	c := x.content
	c.Objects = w.result()
	return c
}

// walk is a walk over references. It joins objects by UID alone, because a reference counts
// by its UID where its place is wrong or unknown.
type walk struct {
	*Index
	all   bool // also to the dependents of an object that stays
	taken []bool
	queue []int
	asked map[graph.UID]bool // owners that no object is
}

// take takes the objects with a UID, or the dependents of an owner that no object is.
func (w *walk) take(uid graph.UID) {
	if _, is := w.of.First(uid); is {
		w.of.Same(uid, w.takeObject)
		return
	}
	if w.asked[uid] {
		return
	}
	w.asked[uid] = true
	for _, d := range w.of.Dependents(uid) {
		w.takeObject(d)
	}
}

func (w *walk) takeObject(i int) {
	if !w.taken[i] {
		w.taken[i] = true
		w.queue = append(w.queue, i)
	}
}

func (w *walk) run() {
	for len(w.queue) > 0 {
		i := w.queue[len(w.queue)-1]
		o := &w.content.Objects[i]
		w.queue = w.queue[:len(w.queue)-1]
		if w.all || w.mayGo(o) {
			for _, d := range w.of.Dependents(o.UID) {
				w.takeObject(d)
			}
			for _, m := range w.of.Members(i) {
				w.takeObject(m)
			}
		}
		for _, h := range w.of.Containers(i) {
			if w.content.Objects[h].Deleting { // its actor deletes the object
				w.takeObject(h)
			}
		}
		for j := range o.Owners {
			w.take(o.Owners[j].UID)
		}
	}
}

// mayGo reports whether an object has a mark, or an owner that is missing, marked or elsewhere.
func (w *walk) mayGo(o *graph.Object) bool {
	return o.Deleting || slices.ContainsFunc(o.Owners, func(ref graph.Owner) bool {
		i, is := w.of.First(ref.UID)
		return !is || w.content.Objects[i].Deleting || w.content.Objects[i].Key != ref.Key
	})
}

// takePlaces takes the objects at the places of the references. Such an object with another
// UID shows that the owner is gone.
func (w *walk) takePlaces() {
	places := map[graph.Key]bool{}
	for i := range w.content.Objects {
		if w.taken[i] {
			for _, owner := range w.content.Objects[i].Owners {
				places[owner.Place()] = true
			}
		}
	}
	if len(places) == 0 {
		return
	}
	for i := range w.content.Objects {
		if !w.taken[i] && places[w.content.Objects[i].Place()] {
			w.taken[i] = true
		}
	}
}

func (w *walk) result() (list []graph.Object) {
	for i := range w.content.Objects {
		if w.taken[i] {
			list = append(list, w.content.Objects[i])
		}
	}
	return list
}
