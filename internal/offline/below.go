package offline

import "github.com/ownergraph/ownergraph/graph"

// Below returns the object with the key and all objects below it, in the order of the
// content. A dependent counts by the UID of its owner.
//
// Held by TestBelow.
func (c *Content) Below(key graph.Key) (list []graph.Object) {
	w := walk{objects: c.Objects, taken: make([]bool, len(c.Objects)), down: true}
	w.index()
	w.take(key.UID)
	w.run()
	return w.result()
}

// Lineage returns the object with the key, all objects below it, and all owners above it, in
// the order of the content. References count by UID.
//
// Held by TestBelow.
func (c *Content) Lineage(key graph.Key) (list []graph.Object) {
	w := walk{objects: c.Objects, taken: make([]bool, len(c.Objects)), up: true}
	w.index()
	w.take(key.UID)
	w.run()
	below := walk{objects: c.Objects, taken: make([]bool, len(c.Objects)), first: w.first, next: w.next, dependents: w.dependents, down: true}
	below.take(key.UID)
	below.run()
	for i := range c.Objects {
		if w.taken[i] || below.taken[i] {
			list = append(list, c.Objects[i])
		}
	}
	return list
}
