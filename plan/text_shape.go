package plan

import (
	"encoding/binary"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// shape is the part of an object's tree that a reader sees, but for names.
type shape struct {
	kind  graph.Kind
	sign  string
	edges string
	end   string
	below string // the shapes below it, sorted
}

// shapeOf returns the number of an object's shape. Objects of one shape have one number. Where each
// object has a line, the sign alone counts.
func (w *writer) shapeOf(i int) int {
	if w.open {
		return w.tree.objects[i].rank()
	}
	if w.shape == nil {
		w.findShapes()
	}
	return w.shape[i]
}

// findShapes numbers the shapes, children before parents.
func (w *writer) findShapes() {
	w.shape = make([]int, len(w.tree.objects))
	numbers := map[shape]int{}
	var below []int
	var text []byte
	for _, i := range slices.Backward(w.tree.order) {
		below, text = below[:0], text[:0]
		for _, c := range w.tree.children[i] {
			below = append(below, w.shape[c])
		}
		slices.Sort(below)
		for _, n := range below {
			text = binary.AppendUvarint(text, uint64(n))
		}
		o := &w.tree.objects[i]
		s := shape{o.Key.Kind, w.sign(o), o.edges(true), w.end(o, true), string(text)}
		n, ok := numbers[s]
		if !ok {
			n = len(numbers)
			numbers[s] = n
		}
		w.shape[i] = n
	}
}
