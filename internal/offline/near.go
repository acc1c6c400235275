package offline

import (
	"github.com/ownergraph/ownergraph/graph"
)

// Near returns the part of the content that the answers about the keys depend on. It has all
// objects that owner references connect with the keys, in either direction and over any
// number of references. It has the objects at the places that those references name, too. All
// kinds stay.
//
// Held by TestNearAnswersAlike.
func (c Content) Near(keys ...graph.Key) Content {
	w := walk{objects: c.Objects, taken: make([]bool, len(c.Objects))}
	w.index()
	for _, k := range keys {
		w.take(k.UID)
	}
	w.run()
	w.takePlaces()
	c.Objects = w.result()
	return c
}

// walk is a walk over references. It joins objects by UID alone, because a reference counts
// by its UID where its place is wrong or unknown.
type walk struct {
	objects    []graph.Object
	taken      []bool
	queue      []int
	first      map[graph.UID]int
	next       []int // the next object with the same UID, or -1
	dependents map[graph.UID][]int
}

func (w *walk) index() {
	w.first = make(map[graph.UID]int, len(w.objects))
	w.next = make([]int, len(w.objects))
	w.dependents = make(map[graph.UID][]int, len(w.objects)/4)
	for i := range w.objects {
		o := &w.objects[i]
		w.next[i] = -1
		if before, is := w.first[o.UID]; is {
			w.next[i] = before
		}
		w.first[o.UID] = i
		for j := range o.Owners {
			w.dependents[o.Owners[j].UID] = append(w.dependents[o.Owners[j].UID], i)
		}
	}
}

// take takes the objects with a UID, and the dependents of an owner that no object is.
func (w *walk) take(uid graph.UID) {
	if _, is := w.first[uid]; is {
		w.same(uid, w.takeObject)
		return
	}
	for _, d := range w.dependents[uid] {
		w.takeObject(d)
	}
	delete(w.dependents, uid)
}

// same calls do for each object with a UID.
func (w *walk) same(uid graph.UID, do func(int)) {
	i, is := w.first[uid]
	for ; is && i >= 0; i = w.next[i] {
		do(i)
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
		o := &w.objects[w.queue[len(w.queue)-1]]
		w.queue = w.queue[:len(w.queue)-1]
		for _, d := range w.dependents[o.UID] {
			w.takeObject(d)
		}
		for j := range o.Owners {
			w.take(o.Owners[j].UID)
		}
	}
}

// takePlaces takes the objects at the places of the references. Such an object with another
// UID shows that the owner is gone.
func (w *walk) takePlaces() {
	places := map[graph.Key]bool{}
	for i := range w.objects {
		if w.taken[i] {
			for _, owner := range w.objects[i].Owners {
				places[owner.Place()] = true
			}
		}
	}
	if len(places) == 0 {
		return
	}
	for i := range w.objects {
		if !w.taken[i] && places[w.objects[i].Place()] {
			w.taken[i] = true
		}
	}
}

func (w *walk) result() (list []graph.Object) {
	for i := range w.objects {
		if w.taken[i] {
			list = append(list, w.objects[i])
		}
	}
	return list
}
